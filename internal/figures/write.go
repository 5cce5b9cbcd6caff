package figures

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"trawl/internal/atomicfile"
)

const (
	indexName = "index.html"
	generator = "trawl report" // marks a page as ours
)

// marker and fileList find in a page what its head says. Names in the list have
// no other characters than those of ids, so nothing outside of a folder is named.
var (
	marker   = regexp.MustCompile(`<meta name="generator" content="` + generator + `">`)
	fileList = regexp.MustCompile(`<meta name="files" content="([-A-Za-z0-9. ]*)">`)
	fileName = regexp.MustCompile(`^[-A-Za-z0-9]+\.(csv|svg|png)$`)
)

// A file is what stands beside the page.
type file struct {
	name    string
	content []byte
}

// Write renders p into dir, which is made if it is not there. The files of an
// earlier report in it are replaced, or removed if p has none of their name; a
// folder that holds anything else is refused. Everything is rendered before the
// first file is written, and index.html is written last.
func Write(dir string, p Page) error {
	if err := write(dir, p); err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	return nil
}

func write(dir string, p Page) error {
	if err := check(p); err != nil {
		return err
	}
	before, err := earlier(dir)
	if err != nil {
		return err
	}
	p = clean(p)
	files, err := renderFiles(p)
	if err != nil {
		return err
	}
	var index bytes.Buffer
	if err := renderPage(&index, p); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := put(dir, f); err != nil {
			return err
		}
		delete(before, f.name)
	}
	for name := range before {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return put(dir, file{indexName, index.Bytes()})
}

func put(dir string, f file) error {
	return atomicfile.Write(filepath.Join(dir, f.name), func(w io.Writer) error {
		_, err := w.Write(f.content)
		return err
	})
}

// earlier returns the names of the files of the report in dir, if there is one, and
// an error if there is anything else.
func earlier(dir string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if !marker.Match(page) {
		return nil, fmt.Errorf("%s holds files and is no report of trawl, so nothing is written into it: name a folder that is empty, a new one, or that of an earlier report", dir)
	}
	names := map[string]bool{}
	if list := fileList.FindSubmatch(page); list != nil {
		for name := range strings.FieldsSeq(string(list[1])) {
			if fileName.MatchString(name) {
				names[name] = true
			}
		}
	}
	return names, nil
}

// renderFiles returns what stands beside the page of p, in its order.
func renderFiles(p Page) ([]file, error) {
	var files []file
	for _, s := range p.Sections {
		for _, plot := range s.Plots {
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

// fileNames returns the names of what [renderFiles] returns.
func fileNames(p Page) []string {
	var names []string
	for _, s := range p.Sections {
		for _, plot := range s.Plots {
			names = append(names, plot.ID+".svg", plot.ID+".png")
		}
		for _, t := range s.Tables {
			names = append(names, t.ID+".csv")
		}
	}
	return names
}
