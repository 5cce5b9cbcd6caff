package english

// A kind is what a byte means for the boundaries of words: its Word_Break
// property (UAX #29), as far as words in ASCII need it.
type kind uint8

const (
	other     kind = iota // never part of a word
	letter                // ALetter
	digit                 // Numeric
	extend                // ExtendNumLet
	midLetter             // MidLetter
	midNum                // MidNum
	midBoth               // MidNumLet or Single_Quote
	quote                 // Double_Quote, which joins Hebrew letters
	enclosed              // # or *, which a keycap may enclose
	foreign               // a byte of a rune beyond ASCII
)

var kinds = func() (table [256]kind) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			table[c] = letter
		case '0' <= c && c <= '9':
			table[c] = digit
		case c >= 0x80:
			table[c] = foreign
		}
	}
	table['_'], table[':'], table['"'] = extend, midLetter, quote
	table['.'], table['\''] = midBoth, midBoth
	table[','], table[';'] = midNum, midNum
	table['#'], table['*'] = enclosed, enclosed
	return table
}()

// scanWord returns where the word in ASCII that begins at i ends. It is not
// plain if a rune beyond ASCII comes next that may belong to it. The rules are
// WB5 to WB13b: letters, digits and underscores stay together, and so do
// letter and letter, or digit and digit, with one mark between them.
func scanWord(text string, i int) (end int, plain bool) {
	for i++; i < len(text); i++ {
		k := kinds[text[i]]
		if k <= extend && k != other {
			continue
		}
		if k == other || k == quote || k == enclosed {
			return i, true
		}
		if k == foreign {
			return i, false
		}
		if i+1 == len(text) {
			return i, true
		}
		before, next := kinds[text[i-1]], kinds[text[i+1]]
		switch {
		case next == foreign:
			return i, false
		case before == letter && next == letter && k != midNum:
		case before == digit && next == digit && k != midLetter:
		default:
			return i, true
		}
	}
	return i, true
}
