// Package wiki reads corpora of passages, mostly of Wikipedia, from the files in
// which the field ships them, as streams of [search.Document]. [Open] reads a
// file or folder, a [Reader] several, with counts. [Formats] lists the formats.
//
// # Formats
//
//   - search-r1 and flashrag: one JSON object a line with "id" and "contents",
//     or "id", "title" and "text"; "url" is kept. The first line of contents is
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
//   - text: .txt and .md files, or a folder of them, cut into passages of about
//     100 words. An id is the file's path within the folder, "#", and a number.
//   - auto: tells these apart by name and first bytes.
//
// Of a folder the text format reads the .txt and .md files, the others read the
// .json, .jsonl and .tsv files, and auto whichever of the two there are. Hidden
// files, links to folders and empty files in it are passed over.
//
// Files may be compressed with gzip. A byte order mark, blank lines, "\r\n" and a
// last line without an end are accepted; a line of more than 16 MiB is not. Bytes
// that are not UTF-8 become U+FFFD, and [Reader.Replaced] counts the documents.
//
// # Errors
//
// The first error ends a stream. It names the file, the line and the key. An id
// that stands twice is one, and both places are named; to keep memory small only
// hashes of ids are kept, 64 bits each, and one bit for ids that are numbers in
// the usual range; the place of the first is found by reading again.
package wiki

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

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
	Text     = "text"
)

// Formats returns the names of the formats, [Auto] first.
func Formats() []string {
	return []string{Auto, SearchR1, FlashRAG, DPR, HotpotQA, MuSiQue, TwoWiki, Text}
}

// Open streams the documents of a file or folder. format is one of [Formats].
func Open(path, format string) iter.Seq2[search.Document, error] {
	return (&Reader{Format: format, Paths: []string{path}}).All()
}

// A Reader reads files and folders as one stream of documents. It is not safe
// for concurrent use.
type Reader struct {
	Format string // one of Formats; default Auto, which looks at each file
	Paths  []string

	// Counts of the latest stream.
	Replaced int // documents with bytes that were not UTF-8
	Merged   int // paragraphs of data sets left out because they were there before
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
	replaced bool // bytes that were not UTF-8
	merge    bool // may stand several times
}

// A visitor takes records. Its error ends the reading.
type visitor func(record) error

// All streams the documents of all paths, in the order given; files of a folder
// in the order of their names. It may be ranged over again.
func (r *Reader) All() iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		r.Replaced, r.Merged = 0, 0
		var known ids
		err := r.each(func(rec record) error {
			if fresh, err := r.isFresh(&known, rec); !fresh {
				return err
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

// isFresh reports whether the record is to be yielded. It is an error if the id
// is not new and must be.
func (r *Reader) isFresh(known *ids, rec record) (bool, error) {
	switch {
	case known.add(rec.ID):
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
	if r.Format != "" && !slices.Contains(Formats(), r.Format) {
		return fmt.Errorf("unknown format %q; known are %s", r.Format, strings.Join(Formats(), ", "))
	}
	all, err := files(r.Paths, r.Format)
	if err != nil {
		return err
	}
	for _, f := range all {
		if err := eachIn(f, r.Format, visit); err != nil {
			return err
		}
	}
	return nil
}
