package figures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"trawl/internal/atomicfile"
)

// A file is what stands in the folder of a report.
type file struct {
	name    string // with a slash where it is in a folder below
	content []byte
}

// Write renders p into dir, which is made if it is not there. The files of an
// earlier report in it are replaced, or removed if p has none of their name; a
// folder that [CheckFolder] refuses is left as it is. Everything is rendered before
// the first file is written. While files are written, index.html says that they are,
// and of which report they may be; it is the page only in the end.
func Write(dir string, p Page) error { return WriteContext(context.Background(), dir, p) }

// WriteContext is [Write], and ends early when ctx does.
func WriteContext(ctx context.Context, dir string, p Page) error {
	if err := write(ctx, dir, p, put); err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	return nil
}

// write is Write with put as what makes a file.
func write(ctx context.Context, dir string, p Page, put func(dir string, f file) error) error {
	if err := check(p); err != nil {
		return err
	}
	before, err := earlier(dir)
	if err != nil {
		return err
	}
	files, err := renderAll(ctx, clean(p))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	last := len(files) - 1 // the page
	if err := put(dir, file{indexName, markerPage(p, before)}); err != nil {
		return err
	}
	for _, f := range files[:last] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := put(dir, f); err != nil {
			return err
		}
		delete(before, f.name)
	}
	if err := removeStale(dir, before); err != nil {
		return err
	}
	return put(dir, files[last])
}

func put(dir string, f file) error {
	at := filepath.Join(dir, filepath.FromSlash(f.name))
	if path.Dir(f.name) != "." {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
	}
	return atomicfile.Write(at, func(w io.Writer) error {
		_, err := w.Write(f.content)
		return err
	})
}

// removeStale removes files of an earlier report, and what a killed process left of
// them, and the folders below that are empty without them.
func removeStale(dir string, names map[string]bool) error {
	folders := map[string]bool{}
	for name := range names {
		for _, at := range []string{name, name + atomicfile.TempSuffix} {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(at))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		folders[path.Dir(name)] = true
	}
	delete(folders, ".")
	for folder := range folders {
		os.Remove(filepath.Join(dir, folder)) // fails if something of others is in it, which stays
	}
	return nil
}

// renderAll returns everything that stands in the folder of p, the page last.
func renderAll(ctx context.Context, p Page) ([]file, error) {
	files, err := renderFiles(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, below := range p.Below {
		more, err := renderAll(ctx, below.Page)
		if err != nil {
			return nil, err
		}
		for _, f := range more {
			files = append(files, file{below.Folder + "/" + f.name, f.content})
		}
	}
	var index bytes.Buffer
	if err := renderPage(&index, p); err != nil {
		return nil, err
	}
	return append(files, file{indexName, index.Bytes()}), nil
}

// renderFiles returns what stands beside the page of p, in its order.
func renderFiles(ctx context.Context, p Page) ([]file, error) {
	var files []file
	for _, s := range p.Sections {
		for _, plot := range s.Plots {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var png bytes.Buffer
			if err := writePNG(&png, plot); err != nil {
				return nil, fmt.Errorf("plot %q: %w", plot.ID, err)
			}
			svg, err := svgFile(plot)
			if err != nil {
				return nil, fmt.Errorf("plot %q: %w", plot.ID, err)
			}
			files = append(files, file{plot.ID + ".svg", []byte(svg)}, file{plot.ID + ".png", png.Bytes()})
		}
		for _, t := range s.Tables {
			var b bytes.Buffer
			if err := writeCSV(&b, t); err != nil {
				return nil, fmt.Errorf("table %q: %w", t.ID, err)
			}
			files = append(files, file{t.ID + ".csv", b.Bytes()})
		}
	}
	return files, nil
}

// Files returns the names of the files that [Write] makes of p, the page first.
func Files(p Page) []string {
	names := []string{indexName}
	for _, s := range p.Sections {
		for _, plot := range s.Plots {
			names = append(names, plot.ID+".svg", plot.ID+".png")
		}
		for _, t := range s.Tables {
			names = append(names, t.ID+".csv")
		}
	}
	for _, below := range p.Below {
		for _, name := range Files(below.Page) {
			names = append(names, below.Folder+"/"+name)
		}
	}
	return names
}

// besides returns the names of [Files] without the page, as its head lists them.
func besides(p Page) string { return strings.Join(Files(p)[1:], " ") }
