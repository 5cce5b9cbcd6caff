package figures

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"trawl/internal/atomicfile"
)

// WriteCut is [Write] of a process that is killed in the middle of file n.
func WriteCut(dir string, p Page, n int) error {
	killed := errors.New("killed")
	return write(context.Background(), dir, p, func(dir string, f file) error {
		if n--; n >= 0 {
			return put(dir, f)
		}
		at := filepath.Join(dir, filepath.FromSlash(f.name)) + atomicfile.TempSuffix
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		return errors.Join(killed, os.WriteFile(at, f.content[:len(f.content)/2], 0o600))
	})
}
