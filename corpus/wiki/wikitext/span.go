package wikitext

import (
	"slices"
	"sort"
	"strings"
)

// maxDepth bounds how deep constructs are read within each other.
const maxDepth = 32

// span writes what is text between two places of the page.
func (p *parser) span(from, to, depth int) {
	if depth > maxDepth {
		return
	}
	i := p.firstPair(from)
	for i < len(p.pairs) && p.pairs[i].open < to {
		pair := p.pairs[i]
		p.out = append(p.out, p.src[from:pair.open]...)
		if pair.close < 0 || pair.end() > to {
			from = min(to, p.unclosed(pair))
			i++
			continue
		}
		from, i = pair.end(), pair.next
		if n := len(p.out); pair.isParameter(p.src) && from < to && n > 0 && p.out[n-1] == '{' {
			p.out = p.out[:n-1]
			from++
			continue
		}
		p.pair(pair, depth+1)
	}
	p.out = append(p.out, p.src[from:to]...)
}

// isParameter reports whether a pair is that of a template within one more pair
// of braces: a parameter, which stands for nothing in an article.
func (at pair) isParameter(src string) bool {
	return at.kind == templatePair && at.open > 0 && src[at.open-1] == '{' && at.end() < len(src) && src[at.end()] == '}'
}

// unclosed writes what stays of an opener without a closer, and returns where the
// text goes on.
func (p *parser) unclosed(at pair) int {
	switch at.kind {
	case webPair:
		return at.open
	case tablePair:
		p.out = append(p.out, '|') // so that tidy takes the line for a row
	}
	return at.open + 2
}

// firstPair returns the index of the first pair that opens at or behind a place.
func (p *parser) firstPair(from int) int {
	return sort.Search(len(p.pairs), func(i int) bool { return p.pairs[i].open >= from })
}

// pair writes the text of a construct.
func (p *parser) pair(at pair, depth int) {
	from, to := at.inner()
	switch at.kind {
	case templatePair:
		p.template(from, to, depth)
	case linkPair:
		p.link(from, to, depth)
	case webPair:
		if space := strings.IndexAny(p.src[from:to], " \t"); space >= 0 {
			p.span(from+space, to, depth)
		}
	}
}

// bar returns the first bar between two places that is in no construct of its
// own, or to.
func (p *parser) bar(from, to int) int {
	for i := p.firstPair(from); ; {
		limit := to
		if i < len(p.pairs) && p.pairs[i].open < to {
			limit = p.pairs[i].open
		}
		if limit > from {
			if at := strings.IndexByte(p.src[from:limit], '|'); at >= 0 {
				return from + at
			}
		}
		if limit == to {
			return to
		}
		if pair := p.pairs[i]; pair.close < 0 || pair.end() > to {
			from, i = limit, i+1
		} else {
			from, i = pair.end(), pair.next
		}
	}
}

// link writes the text of a link between pages.
func (p *parser) link(from, to, depth int) {
	bar := p.bar(from, to)
	target := strings.TrimSpace(p.src[from:bar])
	if strings.IndexByte(target, '\n') >= 0 {
		p.span(from, to, depth) // an opener that nobody closed
		return
	}
	target, shownLink := strings.CutPrefix(target, ":")
	prefix, name, hasPrefix := strings.Cut(target, ":")
	switch {
	case !shownLink && hasPrefix && p.isDropped(prefix):
	case bar < to && strings.TrimSpace(p.src[bar+1:to]) == "":
		if hasPrefix {
			target = name
		}
		title, _, _ := strings.Cut(target, " (")
		p.out = append(p.out, title...)
	case bar < to:
		p.span(bar+1, to, depth)
	case !shownLink && hasPrefix && isLanguage(prefix):
	default:
		start := from + strings.Index(p.src[from:bar], target)
		p.span(start+len(target)-len(strings.TrimPrefix(target, "#")), start+len(target), depth)
	}
}

// isDropped reports whether a prefix is that of files or categories.
func (p *parser) isDropped(prefix string) bool {
	prefix = strings.TrimSpace(strings.ReplaceAll(prefix, "_", " "))
	if len(prefix) > maxName {
		return false
	}
	isIt := func(name string) bool { return strings.EqualFold(name, prefix) }
	return noText[strings.ToLower(prefix)] || slices.ContainsFunc(p.dropped, isIt)
}

// noText are the names of files and categories: those of English, and in the
// larger Wikipedias the older ones that their dumps do not declare.
var noText = words(`file|image|category|datei|bild|kategorie|fichier|catégorie|archivo|imagen|categoría|
	immagine|categoria|ficheiro|imagem|arquivo|bestand|afbeelding|categorie|plik|grafika|kategoria|
	файл|изображение|категория|fil|kategori|ファイル|画像|文件|檔案|图像|圖像|分类|分類|파일|그림|분류|ملف|صورة|تصنيف`)

// isLanguage reports whether a prefix looks like one of another language's pages.
func isLanguage(prefix string) bool {
	code, variant, _ := strings.Cut(prefix, "-")
	if prefix == "simple" {
		return true
	}
	isLower := func(r rune) bool { return r >= 'a' && r <= 'z' }
	notLower := func(r rune) bool { return !isLower(r) && r != '-' }
	return (len(code) == 2 || len(code) == 3) && !strings.ContainsFunc(code, notLower) && !strings.ContainsFunc(variant, notLower)
}

// templateName returns the name under which a template is known: lower case,
// spaces for underscores.
func templateName(s string) string {
	return strings.ToLower(strings.TrimSpace(strings.ReplaceAll(s, "_", " ")))
}
