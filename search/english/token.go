package english

import "unicode/utf8"

// maxToken is the length in UTF-16 code units at which a token is cut, as the
// buffer of Lucene's StandardTokenizer cuts it.
const maxToken = 255

// token returns how long the token is that begins where the text does, 0 if none
// does. Of a word and an emoji it is the longer.
func (t *classTable) token(text string) int {
	r, _ := utf8.DecodeRuneInString(text)
	c := t.of(r)
	n := t.longest(text, wordStart)
	switch c {
	case keycapBase, digitRune:
		return max(n, t.longest(text, keycapStart))
	case pictograph, pictographLetter, modifier, zwj:
		return max(n, t.longest(text, emojiStart))
	case regionalIndicator:
		return max(n, t.longest(text, flagStart))
	}
	return n
}

// longest returns the length of the longest beginning of the text that leads
// from a state to one in which a token may end.
func (t *classTable) longest(text string, s state) (end int) {
	units := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if units += codeUnits(r); units > maxToken {
			break
		}
		if s = s.next(t.of(r)); s == stop {
			break
		}
		i += size
		if s >= letters {
			end = i
		}
	}
	return end
}

// barren returns a place before which no token begins in the run of connectors,
// joiners and runes that extend from i on, when none begins at i.
func (t *classTable) barren(text string, i int) int {
	first, _ := utf8.DecodeRuneInString(text[i:])
	connects := t.of(first) == extendNumLet
	end, joiners := i, i // the joiners that the run ends with may join a pictograph
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		c := t.of(r)
		if c != zwj && !(connects && (c == extendNumLet || c >= extendRune)) {
			break
		}
		if end += size; c != zwj {
			joiners = end
		}
	}
	units, near := 0, end
	for near > i && units < maxToken-1 {
		r, size := utf8.DecodeLastRuneInString(text[:near])
		units, near = units+codeUnits(r), near-size
	}
	switch {
	case units >= maxToken-1:
		return near // for what is before it, the run was too long
	case connects:
		return joiners
	}
	return end
}

// codeUnits returns how many code units of UTF-16 a rune takes.
func codeUnits(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// A state is where a token has come to. It may end from letters on.
type state uint8

const (
	stop state = iota

	wordStart
	leading       // connectors such as _ alone
	afterMid      // between letters
	afterMidNum   // between digits
	afterDoubleQ  // between Hebrew letters
	keycapStart   // then # or * or a digit
	keycapBegun   // then what brings the keycap
	keycapStyled  // VS16, behind which only a keycap is one
	flagStart     // then one half of a flag
	halfFlag      // then the other
	emojiStart    // then a pictograph
	joinerFirst   // joiners without a pictograph before them
	joinerStyled  // a joiner behind VS16
	joinersStyled // several
	tags          // of a flag of a region, without its end

	letters
	hebrew
	quoted // a Hebrew letter with its geresh, or with gershayim and the letter behind them
	numbers
	katakanas
	connected // by _ behind a letter
	complexes
	single // an ideograph or hiragana
	keycapped
	keycappedStyled
	flag
	picture
	pictureJoiner
	pictureStyled
	laterPicture // behind a joiner
	laterJoiner
	laterStyled
	modified // a modifier that has no pictograph before it
	modifiedJoiner
	tagged
)

func (s state) next(c class) state {
	switch {
	case s <= afterDoubleQ || letters <= s && s <= single:
		if c >= extendRune {
			return s.extended(c)
		}
		return s.word(c)
	case s <= keycapStyled || s == keycapped || s == keycappedStyled:
		return s.keycap(c)
	case s <= halfFlag || s == flag:
		return s.flag(c)
	}
	return s.emoji(c)
}

// extended follows a rune that belongs to what is before it.
func (s state) extended(c class) state {
	switch {
	case s != wordStart:
		return s
	case c == complexExtend:
		return complexes
	}
	return stop
}

// word follows rules WB5 to WB13b of UAX #29, where Lucene has ideographs,
// hiragana and runs of complex scripts as tokens besides.
func (s state) word(c class) state {
	switch c {
	case letterRune, pictographLetter, hebrewLetter:
		return s.letter(c)
	case digitRune, numeric:
		switch s {
		case wordStart, leading, letters, hebrew, quoted, numbers, connected, afterMidNum:
			return numbers
		}
	case katakana:
		switch s {
		case wordStart, leading, katakanas, connected:
			return katakanas
		}
	case extendNumLet:
		switch s {
		case wordStart, leading:
			return leading
		case letters, hebrew, quoted, numbers, katakanas, connected:
			return connected
		}
	case ideograph, hiragana:
		if s == wordStart {
			return single
		}
	case complexRune:
		if s == wordStart || s == complexes {
			return complexes
		}
	default:
		return s.mark(c)
	}
	return stop
}

func (s state) letter(c class) state {
	switch s {
	case wordStart, leading, letters, hebrew, quoted, numbers, connected:
		if c == hebrewLetter {
			return hebrew
		}
		return letters
	case afterMid:
		return letters
	case afterDoubleQ:
		if c == hebrewLetter {
			return quoted
		}
	}
	return stop
}

// mark follows a mark inside a word.
func (s state) mark(c class) state {
	switch {
	case s == hebrew && c == singleQuote:
		return quoted
	case s == hebrew && c == doubleQuote:
		return afterDoubleQ
	case (s == letters || s == hebrew) && (c == midLetterRune || c == midNumLet || c == singleQuote):
		return afterMid
	case s == numbers && (c == midNumRune || c == midNumLet || c == singleQuote):
		return afterMidNum
	}
	return stop
}
