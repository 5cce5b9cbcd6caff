// Package index holds what the BM25 indexes on disk have in common, whichever
// engine reads them: [Params] and the formula's parts, [Stats], the errors, and
// the folder. A [Kind] is the folder of one engine; [KindOf] tells which a folder
// is, and a [Claim] is one in which an index is being built.
//
// # The folder
//
// The file index.json says what an index is. It is written last and at once, so
// that a folder without it is one whose building was cut short; the file
// index.building says that it was ours, and is locked as long as the building
// goes on.
package index

import (
	"errors"
	"fmt"
)

// Errors that callers may want to tell apart.
var (
	// ErrIncomplete: the folder holds an index whose building was cut short.
	ErrIncomplete = errors.New("the index is incomplete: run trawl index again")
	// ErrDamaged: the files of the index are not what was written.
	ErrDamaged = errors.New("the index is damaged")
	// ErrBusy: another process holds the index in a way that excludes this use.
	ErrBusy = errors.New("another process is using the index")
	// ErrForeign: the folder holds something that is not an index of ours.
	ErrForeign = errors.New("not a trawl index")
	// ErrExists: the folder holds a complete index that is not damaged, which a
	// building leaves alone.
	ErrExists = errors.New("the folder already holds an index")
	// ErrClosed: the index was closed.
	ErrClosed = errors.New("the index is closed")
)

// Damaged returns an error that matches [ErrDamaged], for a reason that is said
// in parentheses, and names the way out.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w (%s): remove it and run trawl index again", ErrDamaged, fmt.Sprintf(format, args...))
}

// Stats describe an index. SHA256 depends on the ids, titles, URLs and texts of
// the documents that are there and on nothing else, neither their order nor the
// engine: two indexes of the same documents have the same.
type Stats struct {
	Documents int    `json:"documents"`
	Terms     uint64 `json:"terms"` // total length of the documents, in terms of english.Analyze
	Params    Params `json:"params"`
	SHA256    string `json:"sha256"`           // of the documents, in hexadecimal
	Source    string `json:"source,omitempty"` // what the index was made of, if it was said
}
