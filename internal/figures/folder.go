package figures

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"trawl/internal/atomicfile"
)

const (
	indexName = "index.html"
	generator = "trawl report" // marks a page as ours
)

// marker and fileList find in a page what its head says. Names in the list have no
// other characters than those of ids and at most one slash, so nothing outside of a
// folder is named.
var (
	marker   = regexp.MustCompile(`<meta name="generator" content="` + generator + `">`)
	fileList = regexp.MustCompile(`<meta name="files" content="([-A-Za-z0-9./ ]*)">`)
	fileName = regexp.MustCompile(`^(([-A-Za-z0-9]+/)?[-A-Za-z0-9]+\.(csv|svg|png)|[-A-Za-z0-9]+/index\.html)$`)
)

// CheckFolder returns what [Write] would refuse dir for: that it holds anything else
// than a report, or that nothing can be written there. It leaves nothing behind.
func CheckFolder(dir string) error {
	_, err := earlier(dir)
	if err == nil {
		err = writable(dir)
	}
	if err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	return nil
}

// writable makes a file in dir, or in the folder in which it would be made, and takes
// it away again.
func writable(dir string) error {
	at := filepath.Clean(dir)
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no folder", at)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			return err
		}
		at = filepath.Dir(at)
	}
	f, err := os.CreateTemp(at, ".trawl-report-*"+atomicfile.TempSuffix)
	if err != nil {
		return fmt.Errorf("nothing can be written into %s: %w", at, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// earlier returns the names of the files of the report in dir, if there is one, and
// an error if there is anything else.
func earlier(dir string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]bool{}, nil
	}
	names := map[string]bool{}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { // a process that was killed as it began
		ours := e.Type().IsRegular() && e.Name() == indexName+atomicfile.TempSuffix
		if ours {
			names[indexName+atomicfile.TempSuffix] = true
		}
		return ours
	})
	if err != nil || len(entries) == 0 {
		return names, err
	}
	page, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if !marker.Match(page) {
		return nil, fmt.Errorf("%s holds files and is no report of trawl, so nothing is written into it: name a folder that is empty, a new one, or that of an earlier report", dir)
	}
	if list := fileList.FindSubmatch(page); list != nil {
		for name := range strings.FieldsSeq(string(list[1])) {
			if fileName.MatchString(name) {
				names[name] = true
			}
		}
	}
	return names, nil
}

// markerPage is what index.html is while the files of p take the place of those that
// are there: of whichever the folder then holds, the next Write finds the names.
func markerPage(p Page, before map[string]bool) []byte {
	names := strings.Fields(besides(p))
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return []byte(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="` + generator + `">
<meta name="files" content="` + strings.Join(names, " ") + `">
<title>A report that is being written</title>
</head>
<body>
<p>This report is being written. If nobody writes it any more, the writing was cut short: the files beside this page may be of it or of an earlier one,
and the command that makes it writes them again.</p>
</body>
</html>
`)
}
