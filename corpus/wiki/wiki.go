// Package wiki reads corpora of passages, mostly of Wikipedia, from the files in
// which the field ships them, as streams of [search.Document]. [Open] reads a
// file or folder, a [Reader] several, with counts. [Formats] lists the formats.
//
// # Formats
//
//   - search-r1 and flashrag: one JSON object a line with "id" and "contents",
//     or "id", "title" and "text"; "url" is kept. The id may be called "_id", as
//     BEIR has it, or "docid", as BrowseComp-Plus has it. A JSON list of such
//     objects is read too. The first line of contents is
//     the title. One pair of quotes around it is taken off, and quotes doubled
//     in it, a relic of TSV, become single. The text is kept as it is: there the
//     relic cannot be told from an empty quotation, which Wikipedia's
//     extractors leave behind.
//   - dpr: psgs_w102.tsv: id, text and title, quoted as Python's csv writes them.
//   - hotpotqa, musique, 2wiki: the paragraphs given with the questions of those
//     data sets, each once, as JSON lists or lines; also HippoRAG's list of
//     {title, text} and object of title → sentences. One reader takes all these
//     shapes. A paragraph's id is made from its title and text, so that it is the
//     same whatever else the files hold. Titles stay as they are, entities
//     included, since the questions refer to paragraphs by title.
//   - wiki-xml: a dump of a MediaWiki, such as pages-articles.xml.bz2 or
//     pages-articles-multistream.xml.bz2 of Wikipedia: the plain text of its
//     articles (as [trawl/corpus/wiki/wikitext.Plain] has it), each cut into
//     passages as text is. A passage has its page's title and address, and for an
//     id the page's, "-" and a number from 1. Of several revisions the last counts.
//     Left out are redirects, pages outside the article namespace or of no text,
//     and, as from DPR's split of Wikipedia, disambiguation pages: they answer
//     nothing, and match every name.
//   - text: .txt and .md files, or a folder of them, cut into passages of about
//     100 words. An id is the file's path within the folder, "#", and a number.
//   - auto: tells these apart by name and first bytes.
//
// Of a folder the text format reads the .txt and .md files, the others read the
// .json, .jsonl, .tsv and .xml files (also dumps in parts, such as
// pages-articles1.xml-p1p41242.bz2), and auto whichever of the two there are.
// Hidden files, links to folders and empty files in it are passed over.
//
// Files may be compressed with gzip or bzip2; bzip2 is read on all cores. A byte
// order mark, blank lines, "\r\n" and a last line without an end are accepted; a
// line of more than 16 MiB, or such a page, is not. Bytes that are not UTF-8 become
// U+FFFD, and [Reader.Replaced] counts the documents. A passage with neither title
// nor text can be found by nobody: it is left out, and [Reader.Skipped] counts what
// is, by reason.
//
// # Errors
//
// The first error ends a stream. It names the file and the line and key, or the
// page of a dump and the byte. What stands before the place where a file is cut off
// is read. An id that stands twice is an error, and both places are named; to keep
// memory small only hashes of ids are kept, 64 bits each, and one bit for ids that
// are numbers in the usual range and for the pages of dumps, and 64 more for those
// of several passages; the place of the first is found by reading again.
//
// # Departures
//
// Dumps are not read with encoding/xml, which takes longer than all else together,
// but by the few rules of XML that MediaWiki's export keeps to; see dump.go.
package wiki

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"trawl/search"
)

// The formats. [Auto] stands for whichever a file is in.
const (
	Auto     = "auto"
	SearchR1 = "search-r1"
	FlashRAG = "flashrag"
	DPR      = "dpr"
	HotpotQA = "hotpotqa"
	MuSiQue  = "musique"
	TwoWiki  = "2wiki"
	WikiXML  = "wiki-xml"
	Text     = "text"
)

// Formats returns the names of the formats, [Auto] first.
func Formats() []string {
	return []string{Auto, SearchR1, FlashRAG, DPR, HotpotQA, MuSiQue, TwoWiki, WikiXML, Text}
}

// Open streams the documents of a file or folder. format is one of [Formats].
func Open(path, format string) iter.Seq2[search.Document, error] {
	return (&Reader{Format: format, Paths: []string{path}}).All()
}

// A Reader reads files and folders as one stream of documents. It is not safe
// for concurrent use, but for [Reader.Bytes].
type Reader struct {
	Format string // one of Formats; default Auto, which looks at each file
	Paths  []string

	// Counts of the latest stream.
	Replaced int            // documents with bytes that were not UTF-8
	Merged   int            // paragraphs of data sets left out because they were there before
	Skipped  map[string]int // what was left out, by reason: [Redirects] and the like

	read, total atomic.Int64
}

// Bytes returns how many bytes of the files the latest stream has read, and how
// many they have together; compressed ones, as they lie on disk. It may be called
// while the stream is read.
func (r *Reader) Bytes() (read, total int64) {
	total = r.total.Load()
	return min(r.read.Load(), total), total
}

// errStopped says that the consumer of a stream wants no more.
var errStopped = errors.New("stopped")

// A place is where a document stands.
type place struct {
	path string
	line int // 0 if it has none
}

func (p place) String() string {
	if p.line == 0 {
		return p.path
	}
	return fmt.Sprintf("%s:%d", p.path, p.line)
}

// A record is a document as it comes from a file.
type record struct {
	search.Document
	place    place
	replaced bool   // bytes that were not UTF-8
	merge    bool   // may stand several times
	skip     string // why this is no document, or ""
	page     string // id of the page of a dump, whose passages have numbers
	number   int
}

// A visitor takes records. Its error ends the reading.
type visitor func(record) error

// All streams the documents of all paths, in the order given; files of a folder
// in the order of their names. It may be ranged over again.
func (r *Reader) All() iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		r.Replaced, r.Merged, r.Skipped = 0, 0, map[string]int{}
		var known known
		err := r.eachCounted(func(rec record) error {
			if rec.skip != "" {
				r.Skipped[rec.skip]++
				return nil
			}
			if fresh, err := r.isFresh(&known, rec); !fresh {
				return err
			}
			if isEmpty(rec.Document) {
				r.Skipped[EmptyPassages]++
				return nil
			}
			if rec.replaced {
				r.Replaced++
			}
			if !yield(rec.Document, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(search.Document{}, fmt.Errorf("wiki: %w", err))
		}
	}
}

// isEmpty reports whether a search can find nothing in a document.
func isEmpty(doc search.Document) bool {
	return strings.TrimSpace(doc.Text) == "" && strings.TrimSpace(doc.Title) == ""
}

// isFresh reports whether the record is to be yielded. It is an error if the id
// is not new and must be.
func (r *Reader) isFresh(known *known, rec record) (bool, error) {
	switch {
	case known.add(rec):
		return true, nil
	case rec.merge:
		r.Merged++
		return false, nil
	}
	first, err := r.find(rec.ID)
	if err != nil {
		return false, err
	}
	if first == rec.place {
		return true, nil // another id has its hash
	}
	return false, fmt.Errorf("%v: key id: %q stands also at %v", rec.place, rec.ID, first)
}

// find returns the first place of an id.
func (r *Reader) find(id string) (place, error) {
	var first place
	err := r.each(func(rec record) error {
		if rec.ID == id {
			first = rec.place
			return errStopped
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		err = nil
	}
	return first, err
}

// each visits the records of all paths.
func (r *Reader) each(visit visitor) error {
	return r.eachFile(func(f file) error { return eachIn(f, r.Format, visit) })
}

// eachCounted is each, counting the bytes.
func (r *Reader) eachCounted(visit visitor) error {
	r.read.Store(0)
	r.total.Store(0)
	sum := int64(0)
	err := r.eachFile(func(f file) error { r.total.Add(f.size); return nil })
	if err != nil {
		return err
	}
	return r.eachFile(func(f file) error {
		f.read = &r.read
		if err := eachIn(f, r.Format, visit); err != nil {
			return err
		}
		sum += f.size
		r.read.Store(sum) // lists are not read to the last byte
		return nil
	})
}

// eachFile gives do all files.
func (r *Reader) eachFile(do func(file) error) error {
	if r.Format != "" && !slices.Contains(Formats(), r.Format) {
		return fmt.Errorf("unknown format %q; known are %s", r.Format, strings.Join(Formats(), ", "))
	}
	all, err := files(r.Paths, r.Format)
	if err != nil {
		return err
	}
	for _, f := range all {
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}
