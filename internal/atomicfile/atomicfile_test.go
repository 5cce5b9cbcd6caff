package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/atomicfile"
	"trawl/internal/testutil"
)

func TestWrite(t *testing.T) {
	failure := errors.New("no more")
	long := strings.Repeat("0123456789", 20_000)
	tests := []struct {
		name  string
		write func(w io.Writer) error
		err   error
		want  map[string]string
	}{
		{"long", func(w io.Writer) error { _, err := io.WriteString(w, long); return err }, nil, map[string]string{"f": long}},
		{"nothing", func(io.Writer) error { return nil }, nil, map[string]string{"f": ""}},
		{"half", func(w io.Writer) error { io.WriteString(w, long); return failure }, failure, map[string]string{"f": "before"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			for name, content := range map[string]string{path: "before", path + atomicfile.TempSuffix: strings.Repeat("of a dead process", 100_000)} {
				if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			err := atomicfile.Write(path, func(w io.Writer) error {
				if data, err := os.ReadFile(path); err != nil || string(data) != "before" {
					t.Errorf("while it is written the file holds %q, %v", data, err)
				}
				return tt.write(w)
			})
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, testutil.Files(t, dir)); diff != "" {
				t.Errorf("folder mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteNowhere(t *testing.T) {
	dir := t.TempDir()
	write := func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }
	if err := atomicfile.Write(filepath.Join(dir, "absent", "f"), write); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in an absent folder: error %v, want %v", err, fs.ErrNotExist)
	}
	taken := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(taken, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(taken, write); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if diff := cmp.Diff(map[string]string{}, testutil.Files(t, dir)); diff != "" {
		t.Errorf("a temporary file is left (-want +got):\n%s", diff)
	}
}
