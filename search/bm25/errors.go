package bm25

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
	// ErrForeign: the folder holds something that is not an index of this package.
	ErrForeign = errors.New("not a trawl index")
	// ErrClosed: the index was closed.
	ErrClosed = errors.New("the index is closed")
)

// damaged returns an error that matches [ErrDamaged], for a reason that is said
// in parentheses, and names the way out.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w (%s): build it again with trawl index", ErrDamaged, fmt.Sprintf(format, args...))
}
