package wiki

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trawl/corpus/wiki/wikitext"
	"trawl/search"
)

// Reasons for which something is left out, as [Reader.Skipped] has them.
const (
	Redirects       = "redirects"
	OtherNamespaces = "pages outside the article namespace"
	Disambiguations = "disambiguation pages"
	NoWikitext      = "pages that are not wikitext"
	EmptyPages      = "pages without text"
	EmptyPassages   = "passages without text"
)

// A wikiPage is one of a dump.
type wikiPage struct {
	title, id, model string
	namespace        int
	hasNamespace     bool
	isRedirect       bool
	text             string // of the latest revision
	offset           int64
}

// A wikiDump reads the pages of one.
type wikiDump struct {
	file       file
	dump       *dump
	visit      visitor
	urlPrefix  string
	namespaces map[string]int // keys of their names
	noText     wikitext.Namespaces
	page       wikiPage
}

// readDump visits the passages of a dump of MediaWiki.
func readDump(f file, visit visitor) error {
	src, err := openSource(f)
	if err != nil {
		return err
	}
	defer src.close()
	w := wikiDump{file: f, dump: &dump{r: src.Reader}, visit: visit, namespaces: map[string]int{}}
	for {
		t, err := w.dump.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = w.take(t)
		}
		ofVisitor := visitError{}
		switch {
		case errors.As(err, &ofVisitor):
			return ofVisitor.error
		case err != nil && w.dump.offset == 0:
			return fmt.Errorf("%v: %w", w.place(), cause(err))
		case err != nil:
			return fmt.Errorf("%v: byte %d of the XML: %w", w.place(), w.dump.offset, cause(err))
		}
	}
}

// place names the page that is read; behind one, the page before.
func (w *wikiDump) place() string {
	if w.page.title == "" {
		return w.file.path
	}
	return fmt.Sprintf("%s: page %q", w.file.path, w.page.title)
}

// take takes what a token says.
func (w *wikiDump) take(t token) error {
	p := &w.page
	switch {
	case t.element == page && !t.ends:
		*p = wikiPage{offset: w.dump.offset}
	case t.element == page:
		return w.passages()
	case t.element == redirect:
		p.isRedirect = true
	case t.element == revision && !t.ends:
		p.text, p.model = "", "" // a revision whose text was withdrawn has none
	case t.element == namespace && !t.ends:
		w.namespaces[""] = t.key // until its name comes
	case !t.ends:
	case t.element == base:
		w.urlPrefix = urlPrefix(string(t.content))
	case t.element == namespace:
		w.addNamespace(string(t.content), w.namespaces[""])
	case t.element == title:
		p.title = strings.ToValidUTF8(strings.TrimSpace(string(t.content)), "\uFFFD")
	case t.element == id:
		p.id = strings.TrimSpace(string(t.content))
	case t.element == model:
		p.model = strings.TrimSpace(string(t.content))
	case t.element == ns:
		n, err := strconv.Atoi(strings.TrimSpace(string(t.content)))
		if err != nil {
			return fmt.Errorf("key ns: want a number, found %.40q", t.content)
		}
		p.namespace, p.hasNamespace = n, true
	case t.element == pageText:
		p.text = string(t.content)
	}
	return nil
}

// addNamespace keeps the name of a namespace.
func (w *wikiDump) addNamespace(name string, key int) {
	const files, categories = 6, 14
	if name = strings.TrimSpace(name); name == "" {
		return
	}
	w.namespaces[name] = key
	if key == files || key == categories {
		w.noText = append(w.noText, name)
	}
}

// skipped returns why the page is left out, or "".
func (w *wikiDump) skipped() string {
	p := &w.page
	key := p.namespace
	if prefix, _, found := strings.Cut(p.title, ":"); found && !p.hasNamespace {
		key = w.namespaces[prefix] // dumps were once without the key
	}
	switch {
	case key != 0:
		return OtherNamespaces
	case p.isRedirect || isRedirect(p.text):
		return Redirects
	case p.model != "" && p.model != "wikitext":
		return NoWikitext
	case strings.HasSuffix(p.title, "(disambiguation)") || wikitext.IsDisambiguation(p.text):
		return Disambiguations
	}
	return ""
}

// isRedirect reports whether a text is a redirect: the word for that, and a link.
func isRedirect(text string) bool {
	const longest = 100
	word, isIt := strings.CutPrefix(strings.TrimSpace(text[:min(len(text), longest)]), "#")
	if !isIt {
		return false
	}
	word, _, isIt = strings.Cut(word, "[[")
	word = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(word), ":"))
	return isIt && slices.Contains(redirectWords, strings.ToLower(word))
}

// redirectWords begin a redirect in the larger Wikipedias; dumps mark redirects
// by an element of their own but for very old ones.
var redirectWords = strings.Fields(`redirect weiterleitung redirection redirección redireccion rinvia rinvio
	redirecionamento doorverwijzing patrz przekieruj tam перенаправление перенапр omdirigering 転送 リダイレクト
	重定向 넘겨주기 تحويل`)

// passages visits the passages of the page, or says why there are none.
func (w *wikiDump) passages() error {
	p := &w.page
	if p.id == "" || p.title == "" {
		return errors.New("key id or title: missing")
	}
	at := place{path: fmt.Sprintf("%s: page %q at byte %d", w.file.path, p.title, p.offset)}
	skip := w.skipped()
	plain := ""
	if skip == "" {
		if plain = wikitext.Plain(p.text, w.noText); plain == "" {
			skip = EmptyPages
		}
	}
	if skip != "" {
		return w.give(record{place: at, skip: skip})
	}
	number, url := 0, w.url()
	isBroken := !utf8.ValidString(p.text)
	cut := cutter{visit: func(text string) error {
		number++
		return w.give(record{
			Document: search.Document{ID: p.id + "-" + strconv.Itoa(number), Title: p.title, Text: text, URL: url},
			place:    at, page: p.id, number: number, replaced: isBroken && strings.Contains(text, "\uFFFD"),
		})
	}}
	for word := range strings.FieldsSeq(plain) {
		if err := cut.add(word); err != nil {
			return err
		}
	}
	return cut.end()
}

func (w *wikiDump) give(rec record) error {
	if err := w.visit(rec); err != nil {
		return visitError{err}
	}
	return nil
}

// url returns the address of the page; "" if the dump does not tell the wiki's.
func (w *wikiDump) url() string {
	if w.urlPrefix == "" {
		return ""
	}
	return w.urlPrefix + escapeTitle(w.page.title)
}

// urlPrefix returns what stands before titles, given the address of the main page.
func urlPrefix(base string) string {
	slash := strings.LastIndexByte(base, '/')
	if slash < len("https://")+1 || strings.Contains(base, "?") || !strings.HasPrefix(base, "http") {
		return ""
	}
	return strings.ToValidUTF8(base[:slash+1], "")
}

// escapeTitle writes a title as MediaWiki does in addresses: underscores for
// spaces, and less escaped than elsewhere.
func escapeTitle(title string) string {
	const plain = "-_.~;@$!*(),/:"
	var b strings.Builder
	for _, c := range []byte(title) {
		switch {
		case c == ' ':
			b.WriteByte('_')
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(plain, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
