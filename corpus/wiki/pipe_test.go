//go:build unix

package wiki_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"trawl/corpus/wiki"
)

// TestPipe checks that a pipe is refused before it is opened, which would wait
// for a writer.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, _, err := read(t, wiki.Auto, path); err == nil || !strings.HasSuffix(err.Error(), path+" is a pipe: want a file or a folder") {
		t.Errorf("a pipe: %v", err)
	}
}
