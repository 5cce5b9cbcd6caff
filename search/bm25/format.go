package bm25

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"trawl/search/index"
)

// The files of an index; FORMAT.md says what they hold.
const (
	metaFile     = "index.json"
	termsFile    = "terms"
	postingsFile = "postings"
	lengthsFile  = "lengths"
	ranksFile    = "ranks"
	textsFile    = "texts"
	offsetsFile  = "offsets"
)

// binaryFiles are all files but index.json.
var binaryFiles = []string{termsFile, postingsFile, lengthsFile, ranksFile, textsFile, offsetsFile}

const (
	headerBytes  = 16
	windowSize   = 1 << 16 // documents in a window, as indexes are built
	maxWindows   = 1 << 16 // so that the number of one fits in 16 bits
	maxDocuments = 1 << 29 // of at most 8 bytes in a list, so that an offset within it fits in 32 bits
)

// castagnoli is the polynomial of all checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A class tells apart terms of words that are no stop words from those of stop
// words. A term may be there in both: "wa" is the stem of "was", and a word.
type class uint8

const (
	byContent class = iota
	byAll
	classes
)

// A fileSum is what index.json says of another file.
type fileSum struct {
	Size   int64  `json:"size"`
	CRC32C uint32 `json:"crc32c"`
}

// A meta is the content of index.json.
type meta struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Window  int    `json:"window"` // documents in a window
	Stats
	Files map[string]fileSum `json:"files"`
}

// sumMember begins the last member of index.json: the CRC-32C of what is before
// it, without white space between tokens.
const sumMember = `,"crc32c":`

// MarshalJSON implements [json.Marshaler].
func (m meta) MarshalJSON() ([]byte, error) {
	type plain meta // without this method
	data, err := json.Marshal(plain(m))
	if err != nil {
		return nil, err
	}
	data = data[:len(data)-1] // without the brace
	return fmt.Appendf(data, "%s%d}", sumMember, crc32.Checksum(data, castagnoli)), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It compares the checksum.
func (m *meta) UnmarshalJSON(data []byte) error {
	type plain meta
	if err := json.Unmarshal(data, (*plain)(m)); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	before := b.Bytes()[:max(bytes.LastIndex(b.Bytes(), []byte(sumMember)), 0)] // files have sums of that name, too
	if want := fmt.Sprintf("%s%s%d}", before, sumMember, crc32.Checksum(before, castagnoli)); b.String() != want {
		return errors.New("it does not have its checksum")
	}
	return nil
}

// Stats describe an index.
type Stats struct {
	index.Stats
	AllTerms      uint64 `json:"all_terms"`      // as Terms, with stop words
	DistinctTerms uint64 `json:"distinct_terms"` // of both classes
	Postings      uint64 `json:"postings"`
	Duplicates    int    `json:"duplicates"` // documents whose title, URL and text an earlier one has
}

// total returns the length of all documents in terms that the class counts.
func (s Stats) total(c class) uint64 {
	if c == byAll {
		return s.AllTerms
	}
	return s.Terms
}

// validate reports a description that no index has.
func (m meta) validate() error {
	if err := m.Params.Validate(); err != nil {
		return err
	}
	switch {
	case m.Documents < 0 || m.Documents > maxDocuments:
		return fmt.Errorf("%d documents", m.Documents)
	case m.Window < 64 || m.Window > windowSize || m.Window&(m.Window-1) != 0:
		return fmt.Errorf("windows of %d documents", m.Window)
	case int64(m.Documents) > int64(m.Window)*maxWindows: // which 32 bits do not hold
		return fmt.Errorf("%d documents in windows of %d, which are more than %d", m.Documents, m.Window, maxWindows)
	case m.AllTerms < m.Terms:
		return fmt.Errorf("%d terms with stop words and %d without", m.AllTerms, m.Terms)
	}
	for _, name := range binaryFiles {
		if _, ok := m.Files[name]; !ok {
			return fmt.Errorf("no size and checksum of %s", name)
		}
	}
	return nil
}

// A layout says how documents fall into windows.
type layout struct {
	documents int
	window    int // a power of two
}

func (l layout) windows() int { return (l.documents + l.window - 1) / l.window }

// sparse reports whether the list of a term that df documents have is a sparse one.
func (l layout) sparse(df int) bool { return df < 16*l.windows() }

// size returns how many documents window w has.
func (l layout) size(w int) int { return min(l.window, l.documents-w*l.window) }

// letters are the last bytes of the files' magics.
var letters = map[string]byte{
	termsFile: 'T', postingsFile: 'P', lengthsFile: 'L', ranksFile: 'R', textsFile: 'X', offsetsFile: 'O',
}

// appendHeader appends the first bytes of the file with the name.
func appendHeader(b []byte, name string) []byte {
	b = append(b, "trawlBM"...)
	b = append(b, letters[name])
	b = binary.LittleEndian.AppendUint32(b, uint32(index.Static.Version))
	return binary.LittleEndian.AppendUint32(b, 0)
}

// checkHeader reports that data does not begin as the file with the name does.
func checkHeader(name string, data []byte) error {
	want := appendHeader(nil, name)
	switch {
	case len(data) < headerBytes:
		return index.Damaged("%s has %d bytes, less than its header", name, len(data))
	case string(data[:8]) != string(want[:8]):
		return index.Damaged("%s begins with %q, not with %q", name, data[:8], want[:8])
	case !slices.Equal(data[:headerBytes], want):
		return index.Damaged("%s says version %d, and index.json version %d", name, binary.LittleEndian.Uint32(data[8:]), uint32(index.Static.Version))
	}
	return nil
}

// A column is a row of uint32 as they stand in a file, one for each document.
type column []byte

func (c column) at(i uint32) uint32 { return binary.LittleEndian.Uint32(c[4*int(i):]) }

func (c column) len() int { return len(c) / 4 }

// appendColumn appends the values as a column.
func appendColumn(b []byte, values []uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
