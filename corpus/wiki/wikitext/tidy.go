package wikitext

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tidy makes the result of lines without constructs: headings and the sections
// without prose go, marks of lists and of emphasis go, entities become what they
// stand for, and what the removals left behind goes.
func tidy(src []byte) string {
	t := tidier{out: make([]byte, 0, len(src))}
	dropping := 0 // the level of the section that is left out
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if level, title := heading(line); level > 0 {
			if dropping == 0 || level <= dropping {
				dropping = 0
				if withoutProse[strings.ToLower(title)] {
					dropping = level
				}
			}
			continue
		}
		if dropping == 0 {
			t.line(line)
		}
	}
	return strings.TrimSuffix(string(t.out), "\n")
}

// heading returns the level and the text of a heading; 0 if the line is none.
func heading(line string) (level int, title string) {
	n := len(line)
	for level < n && line[level] == '=' {
		level++
	}
	closing := 0
	for closing < n && line[n-1-closing] == '=' {
		closing++
	}
	level = min(level, closing, 6)
	if level == 0 || n < 2*level+1 {
		return 0, ""
	}
	return level, strings.Trim(line[level:n-level], " \t'=:")
}

// withoutProse are the sections that list sources and other pages.
var withoutProse = words(`references|reference|notes|footnotes|citations|sources|notes and references|references and notes|
	external links|external link|see also|further reading|notes and citations|explanatory notes|works cited|gallery|
	einzelnachweise|weblinks|siehe auch|literatur|quellen|anmerkungen|fußnoten|
	références|notes et références|liens externes|voir aussi|lien externe|articles connexes|
	referencias|enlaces externos|véase también|notas|notas y referencias|
	note|collegamenti esterni|altri progetti|voci correlate|bibliografia|referências|ligações externas|ver também|
	bronnen|externe links|externe link|zie ook|przypisy|linki zewnętrzne|zobacz też|uwagi|
	примечания|ссылки|см. также|литература|referenser|externa länkar|se även|källor|
	脚注|外部リンク|関連項目|参考文献|出典|参考资料|外部链接|参见|注释|參考文獻|參考資料|外部連結|參見|참고 문헌|각주|외부 링크|같이 보기`)

// A tidier writes lines.
type tidier struct {
	out        []byte
	start      int // of the line in out
	apostrophe int // how long the line is from the "'''" on that is an apostrophe before italics; 0 without
}

// line writes a line if it has a letter or a digit.
func (t *tidier) line(line string) {
	t.start = len(t.out)
	line = strings.TrimLeft(line, "*#:; \t")
	if strings.HasPrefix(line, "|") {
		return // a row of a table that nobody opened or closed
	}
	t.apostrophe = 0
	if at := boldApostrophe(line); at >= 0 {
		t.apostrophe = len(line) - at
	}
	for i := 0; i < len(line); {
		i += t.next(line[i:])
	}
	t.trim(" ")
	if !strings.ContainsFunc(string(t.out[t.start:]), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		t.out = t.out[:t.start]
		return
	}
	t.out = append(t.out, '\n')
}

// next writes what s begins with and returns how long that was.
func (t *tidier) next(s string) int {
	c := s[0]
	switch c {
	case '\'', '[', ']', '{', '}':
		return t.run(s)
	case '_':
		if n := magicWord(s); n > 0 {
			return n
		}
	case '&':
		if n := entity(s); n > 0 {
			for _, r := range html.UnescapeString(s[:n]) {
				t.rune(r)
			}
			return n
		}
	}
	if c < utf8.RuneSelf {
		c, isHidden := shown(c)
		if isHidden {
			t.out = append(t.out, c)
		} else {
			t.rune(rune(c))
		}
		return 1
	}
	r, size := utf8.DecodeRuneInString(s)
	t.rune(r)
	return size
}

// run writes nothing of a run of quotes or brackets but what is text: one
// bracket, one quote, or the one that comes before bold and italics.
func (t *tidier) run(s string) int {
	n := runLength(s)
	isQuote := s[0] == '\'' && (n == 4 || n == 6 || len(s) == t.apostrophe)
	if n == 1 || isQuote {
		if len(t.out) > t.start && t.out[len(t.out)-1] == s[0] {
			t.out = t.out[:len(t.out)-1]
		} else {
			t.out = append(t.out, s[0])
		}
	}
	return n
}

// magicWord returns the length of a magic word such as __TOC__; 0 if s begins
// with none.
func magicWord(s string) int {
	const longest = 64
	if !strings.HasPrefix(s, "__") {
		return 0
	}
	end := strings.Index(s[2:min(len(s), longest)], "__")
	if end <= 0 || strings.ContainsFunc(s[2:2+end], func(r rune) bool { return unicode.IsLower(r) || unicode.IsSpace(r) }) {
		return 0
	}
	return end + 4
}

// entity returns the length of an entity of HTML; 0 if s begins with none.
func entity(s string) int {
	const longest = 34
	end := strings.IndexByte(s[:min(len(s), longest)], ';')
	if end < 2 {
		return 0
	}
	for i, c := range []byte(s[1:end]) {
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || i == 0 && c == '#') {
			return 0
		}
	}
	return end + 1
}

// rune writes a character of text: blanks as one space, none before a comma, and
// no parentheses around nothing.
func (t *tidier) rune(r rune) {
	switch {
	case unicode.IsSpace(r):
		if t.ends("(") || t.ends("（") || len(t.out) == t.start || t.ends(" ") {
			return
		}
		r = ' '
	case unicode.IsControl(r) || r == '\u00ad' || r == '\u200b' || r == '\ufeff' || r == '\u200e' || r == '\u200f':
		return
	case r == ',' || r == ';':
		if t.ends("(") || t.ends("（") {
			return
		}
		t.trim(" ")
		if t.ends(",") || t.ends(";") {
			return
		}
	case r == ')' || r == '）':
		t.trim(" ,;")
		if open := map[rune]string{')': "(", '）': "（"}[r]; t.ends(open) {
			t.out = t.out[:len(t.out)-len(open)]
			return
		}
	}
	t.out = utf8.AppendRune(t.out, r)
}

// ends reports whether the line ends with s.
func (t *tidier) ends(s string) bool {
	return len(t.out)-t.start >= len(s) && string(t.out[len(t.out)-len(s):]) == s
}

// trim takes the characters of a set off the end of the line.
func (t *tidier) trim(set string) {
	for len(t.out) > t.start && strings.IndexByte(set, t.out[len(t.out)-1]) >= 0 {
		t.out = t.out[:len(t.out)-1]
	}
}
