package english

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed classes.txt
var classRanges string

// A class is what a rune means for the boundaries of tokens.
type class uint8

// The classes from extend on are of runes that belong to what stands before them.
const (
	otherRune class = iota
	doubleQuote
	keycapBase // # and *
	singleQuote
	midNumRune
	midNumLet
	digitRune // in ASCII, thus the base of a keycap, too
	midLetterRune
	letterRune
	extendNumLet
	pictograph
	hebrewLetter
	numeric
	complexRune // of a script without spaces, as Thai
	pictographLetter
	ideograph
	katakana
	hiragana
	regionalIndicator
	extendRune
	complexExtend
	zwj
	keycap
	textStyle  // VS15
	emojiStyle // VS16
	modifier   // of skin
	tagRune
	tagEnd
)

var classNames = map[string]class{
	"double_quote": doubleQuote, "keycap_base": keycapBase, "single_quote": singleQuote, "mid_num": midNumRune,
	"mid_num_let": midNumLet, "digit": digitRune, "mid_letter": midLetterRune, "letter": letterRune,
	"extend_num_let": extendNumLet, "pictograph": pictograph, "hebrew_letter": hebrewLetter, "numeric": numeric,
	"complex": complexRune, "pictograph_letter": pictographLetter, "ideograph": ideograph, "katakana": katakana,
	"hiragana": hiragana, "regional_indicator": regionalIndicator, "extend": extendRune,
	"complex_extend": complexExtend, "zwj": zwj, "keycap": keycap, "vs15": textStyle, "vs16": emojiStyle,
	"modifier": modifier, "tag": tagRune, "tag_end": tagEnd,
}

// A classTable has the classes of runes in blocks of 256, equal blocks once.
type classTable struct {
	index  [(utf8.MaxRune + 1) >> 8]uint8
	blocks [][256]class
}

func (t *classTable) of(r rune) class { return t.blocks[t.index[r>>8]][r&0xff] }

// runeClasses reads the table when a text first needs it.
var runeClasses = sync.OnceValue(func() *classTable {
	all := make([]class, utf8.MaxRune+1)
	for line := range strings.Lines(classRanges) {
		name, ranges, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "#" {
			continue
		}
		c, ok := classNames[name]
		if !ok {
			panic(fmt.Sprintf("english: class %q is unknown", name))
		}
		for text := range strings.FieldsSeq(ranges) {
			first, last := runeRange(text)
			for r := first; r <= last; r++ {
				all[r] = c
			}
		}
	}
	t := &classTable{}
	places := make(map[[256]class]uint8)
	for i := range t.index {
		block := [256]class(all[i<<8:])
		place, ok := places[block]
		if !ok {
			place = uint8(len(t.blocks))
			places[block] = place
			t.blocks = append(t.blocks, block)
		}
		t.index[i] = place
	}
	return t
})

// runeRange reads a range, which has one rune or two.
func runeRange(text string) (first, last uint64) {
	low, high, two := strings.Cut(text, "-")
	if !two {
		high = low
	}
	first, err := strconv.ParseUint(low, 16, 32)
	if err == nil {
		last, err = strconv.ParseUint(high, 16, 32)
	}
	if err != nil || first > last || last > utf8.MaxRune {
		panic(fmt.Sprintf("english: range %q of runes is not one", text))
	}
	return first, last
}
