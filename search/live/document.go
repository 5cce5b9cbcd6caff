package live

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2/document"
	bleve "github.com/blevesearch/bleve_index_api"

	"trawl/search"
	"trawl/search/english"
)

// The fields of a document in the store.
const (
	contentField = "contents" // postings of the terms of english.Analyze
	stopField    = "stops"    // postings of the stop words alone, stemmed
	lengthField  = "lengths"  // doc value: the two lengths, as "dl all"
	titleField   = "title"    // stored, as the next two
	textField    = "text"
	urlField     = "url"
)

// A class is one of the two ways to score: by what english.Analyze leaves of query and
// documents or, for a query of stop words, by all of it.
type class int

const (
	byContent class = iota
	byAll
	classes
)

// field returns the name of the field with the class's postings. For byAll those
// of the stop words suffice, since no other term is ever asked for.
func (c class) field() string { return [classes]string{contentField, stopField}[c] }

// A field is a piece of a document as scorch takes it, with its analysis.
type field struct {
	name    string
	options bleve.FieldIndexingOptions
	value   []byte
	freqs   bleve.TokenFrequencies
	length  int
	analyze func() // nil for fields that come analysed
}

// newDocument returns the document as it goes into the store. Its terms are
// found when the store's workers ask its first field to analyse itself.
func newDocument(doc search.Document) *document.Document {
	content := &field{name: contentField, options: bleve.IndexField}
	stops := &field{name: stopField, options: bleve.IndexField}
	lengths := &field{name: lengthField, options: bleve.IndexField | bleve.DocValues}
	content.analyze = func() {
		var terms, stopWords []string
		var analyzer english.Analyzer
		analyzer.Each(doc.Title+"\n"+doc.Text, func(term string, stop bool) {
			if stop {
				stopWords = append(stopWords, term)
			} else {
				terms = append(terms, term)
			}
		})
		content.count(terms)
		stops.count(stopWords)
		lengths.count([]string{formatLengths(content.length, content.length+stops.length)})
		content.analyze = nil
	}
	d := document.NewDocument(doc.ID)
	d.AddField(content)
	d.AddField(stops)
	d.AddField(lengths)
	for _, f := range []struct{ name, value string }{
		{titleField, doc.Title}, {textField, doc.Text}, {urlField, doc.URL},
	} {
		if f.value != "" {
			d.AddField(&field{name: f.name, options: bleve.StoreField, value: []byte(f.value)})
		}
	}
	return d
}

// count sets what the analysis of the field found.
func (f *field) count(terms []string) {
	counts := make(map[string]int, len(terms))
	for _, t := range terms {
		counts[t]++
	}
	f.length = len(terms)
	f.freqs = make(bleve.TokenFrequencies, len(counts))
	entries := make([]bleve.TokenFreq, 0, len(counts))
	for term, n := range counts {
		entries = append(entries, bleve.TokenFreq{Term: []byte(term)})
		e := &entries[len(entries)-1]
		e.SetFrequency(n)
		f.freqs[term] = e
	}
}

func formatLengths(content, all int) string { return fmt.Sprintf("%d %d", content, all) }

// parseLengths is the reverse of formatLengths.
func parseLengths(value string) (lengths [classes]uint32, err error) {
	content, all, _ := strings.Cut(value, " ")
	for class, digits := range []string{content, all} {
		n, err := strconv.ParseUint(digits, 10, 32)
		if err != nil {
			return lengths, fmt.Errorf("document lengths %q: %w", value, err)
		}
		lengths[class] = uint32(n)
	}
	return lengths, nil
}

// Analyze implements [bleve.Field].
func (f *field) Analyze() {
	if f.analyze != nil {
		f.analyze()
	}
}

// Name implements [bleve.Field].
func (f *field) Name() string { return f.name }

// Value implements [bleve.Field].
func (f *field) Value() []byte { return f.value }

// ArrayPositions implements [bleve.Field].
func (f *field) ArrayPositions() []uint64 { return nil }

// EncodedFieldType implements [bleve.Field]: text.
func (f *field) EncodedFieldType() byte { return 't' }

// Options implements [bleve.Field].
func (f *field) Options() bleve.FieldIndexingOptions { return f.options }

// AnalyzedLength implements [bleve.Field].
func (f *field) AnalyzedLength() int { return f.length }

// AnalyzedTokenFrequencies implements [bleve.Field].
func (f *field) AnalyzedTokenFrequencies() bleve.TokenFrequencies { return f.freqs }

// NumPlainTextBytes implements [bleve.Field].
func (f *field) NumPlainTextBytes() uint64 { return uint64(len(f.value)) }

// Size implements [document.Field]; it feeds statistics that nothing here reads.
func (f *field) Size() int { return len(f.value) }
