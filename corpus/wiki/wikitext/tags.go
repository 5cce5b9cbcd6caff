package wikitext

import (
	"strings"
)

// stripTags takes comments, tags and the content of those tags away that hold no
// prose. What <nowiki> and <pre> hide from the later passes is hidden by [hide].
func stripTags(src string) string {
	if strings.ContainsFunc(src, isControl) {
		src = strings.Map(func(r rune) rune {
			if isControl(r) {
				return -1
			}
			return r
		}, src)
	}
	if strings.IndexByte(src, '<') < 0 {
		return src
	}
	t := tags{src: src, unclosed: make(map[string]bool)}
	t.out.Grow(len(src))
	for t.pos < len(src) {
		open := strings.IndexByte(src[t.pos:], '<')
		if open < 0 {
			break
		}
		t.out.WriteString(src[t.pos : t.pos+open])
		t.pos += open
		t.tag()
	}
	t.out.WriteString(src[t.pos:])
	return t.out.String()
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

// tags walks a page from tag to tag.
type tags struct {
	src      string
	pos      int
	out      strings.Builder
	unclosed map[string]bool // names without a closing tag ahead
	end      int             // of the tag that was looked for last: the first ">" from there
}

// tag takes the tag at pos, or one "<" that is none.
func (t *tags) tag() {
	rest := t.src[t.pos:]
	if strings.HasPrefix(rest, "<!--") {
		t.pos = len(t.src)
		if end := strings.Index(rest[4:], "-->"); end >= 0 {
			t.pos -= len(rest) - (4 + end + 3)
		}
		return
	}
	closing := strings.HasPrefix(rest, "</")
	name := tagName(strings.TrimPrefix(rest[1:], "/"))
	what, known := tagKinds[name]
	end := t.tagEnd()
	if !known || end < 0 {
		t.out.WriteByte('<')
		t.pos++
		return
	}
	selfClosing := t.src[end-1] == '/'
	t.pos = end + 1
	switch {
	case what == blank:
		t.out.WriteByte(' ')
	case what == block:
		t.out.WriteByte('\n')
	case what == table && closing:
		t.out.WriteString("\n|}\n")
	case what == table:
		t.out.WriteString("\n{|\n")
	case closing || selfClosing:
	case what == drop:
		if content := t.content(name); t.unclosed[name] {
			t.out.WriteString(content)
		}
	case what == verbatim:
		t.out.WriteString(hide(t.content(name)))
	}
}

// tagEnd returns where the tag at pos ends, or -1: another "<" must not come first.
func (t *tags) tagEnd() int {
	if t.end <= t.pos {
		next := strings.IndexByte(t.src[t.pos:], '>')
		t.end = t.pos + next
		if next < 0 {
			t.end = len(t.src)
		}
	}
	if t.end == len(t.src) {
		return -1
	}
	const longest = 4096
	if t.end-t.pos > longest || strings.IndexByte(t.src[t.pos+1:t.end], '<') >= 0 {
		return -1
	}
	return t.end
}

// content moves pos behind the closing tag of a name, and returns what stands
// before it; if there is none, it leaves pos and returns a space.
func (t *tags) content(name string) string {
	if t.unclosed[name] {
		return " "
	}
	for at := t.pos; ; {
		next := strings.Index(t.src[at:], "</")
		if next < 0 {
			t.unclosed[name] = true
			return " "
		}
		at += next
		if tagName(t.src[at+2:]) != name {
			at += 2
			continue
		}
		content := t.src[t.pos:at]
		t.pos = len(t.src)
		if end := strings.IndexByte(t.src[at:], '>'); end >= 0 {
			t.pos = at + end + 1
		}
		return content
	}
}

// tagName returns the name, in lower case, that s begins with.
func tagName(s string) string {
	const longest = 16
	n := 0
	for n < len(s) && n < longest && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return strings.ToLower(s[:n])
}

// A tagKind is what becomes of a tag.
type tagKind int

const (
	inline   tagKind = iota + 1 // the tag goes, the content stays
	blank                       // it becomes a space
	block                       // it becomes a line break
	table                       // it becomes wikitext's mark of a table
	drop                        // the content goes too
	verbatim                    // the content is no markup
)

// tagKinds are the tags that MediaWiki knows; others are text to it.
var tagKinds = func() map[string]tagKind {
	kinds := make(map[string]tagKind)
	for kind, names := range map[tagKind]string{
		inline: `a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|includeonly|ins|kbd|link|mark|meta|noinclude|
			onlyinclude|q|rb|rbc|rp|rt|rtc|ruby|s|samp|section|small|span|strike|strong|sub|sup|time|translate|tt|tvar|u|var|langconvert|wbr`,
		blank: `br`,
		block: `blockquote|caption|center|dd|div|dl|dt|h1|h2|h3|h4|h5|h6|hr|li|ol|p|poem|tbody|td|tfoot|th|thead|tr|ul`,
		table: `table`,
		drop: `categorytree|ce|charinsert|chem|gallery|graph|hiero|imagemap|indicator|inputbox|mapframe|maplink|math|
			ref|references|score|script|source|style|syntaxhighlight|templatedata|templatestyles|timeline|noexport`,
		verbatim: `nowiki|pre`,
	} {
		for name := range words(names) {
			kinds[name] = kind
		}
	}
	return kinds
}()

// hidden are the characters that mean something to the later passes. Each is
// hidden as a control character, of which a page has none: firstHidden + its place.
const (
	hidden      = "[]{}|'*:=_<!-"
	firstHidden = 0x0e
)

// hide hides what would be taken for markup.
func hide(s string) string {
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(hidden, r); i >= 0 {
			return firstHidden + rune(i)
		}
		return r
	}, s)
}

// shown returns the character that c hides, if it is one that does.
func shown(c byte) (byte, bool) {
	if c < firstHidden || c >= firstHidden+byte(len(hidden)) {
		return c, false
	}
	return hidden[c-firstHidden], true
}
