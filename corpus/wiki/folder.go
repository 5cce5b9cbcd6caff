package wiki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"trawl/internal/text"
)

// A file is one that is read. name is its path within the folder that was
// given, or its base name.
type file struct {
	path, name string
	size       int64
	ofFolder   bool
	read       *atomic.Int64 // counts the bytes read, if there is one
}

// files returns the files that the paths stand for, in order.
func files(paths []string, format string) ([]file, error) {
	var all []file
	infos := make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		for j, other := range infos[:i] {
			if os.SameFile(info, other) {
				return nil, sameSource(paths[j], path)
			}
		}
		infos[i] = info
		switch {
		case info.IsDir():
			found, err := folderFiles(path, format)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is %s: want a file or a folder", path, kindOf(info.Mode()))
		default:
			all = append(all, file{path: path, name: filepath.Base(path), size: info.Size()})
		}
	}
	return all, nil
}

func sameSource(a, b string) error {
	if a == b {
		return fmt.Errorf("%s is given twice", a)
	}
	return fmt.Errorf("%s and %s are the same file or folder", a, b)
}

// kindOf names what is neither a file nor a folder. It could be read once at
// most, and a pipe that nobody writes to would be waited for, for ever.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// folderFiles returns the files of a folder that the format reads: for auto the
// texts or else the others. A folder with both leaves open what is meant.
func folderFiles(folder, format string) ([]file, error) {
	names, err := listFolder(folder)
	if err != nil {
		return nil, err
	}
	var texts, data []file
	for _, name := range names {
		f := file{path: filepath.Join(folder, filepath.FromSlash(name)), name: name, ofFolder: true}
		switch {
		case isTextName(name):
			texts = append(texts, f)
		case isDataName(name):
			data = append(data, f)
		}
	}
	found, wanted := data, ".json, .jsonl, .tsv or .xml"
	switch format {
	case Text:
		found, wanted = texts, ".txt or .md"
	case Auto, "":
		wanted = ".txt, .md, .json, .jsonl, .tsv or .xml"
		if len(texts) > 0 {
			found = texts
		}
		if len(texts) > 0 && len(data) > 0 {
			return nil, fmt.Errorf("%s holds %s: give the files one by one, or say that the format is %s to read only .txt and .md",
				folder, endings(names), Text)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no %s file in the folder; it holds %s", folder, wanted, endings(names))
	}
	for i := range found {
		info, err := os.Stat(found[i].path)
		if err != nil {
			return nil, err
		}
		found[i].size = info.Size()
	}
	return found, nil
}

// listFolder returns the files below a folder, by path within it, sorted.
// Hidden ones are left out.
func listFolder(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != folder && strings.HasPrefix(entry.Name(), ".") {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if isFile(path, entry) {
			name, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// isFile reports whether an entry is a file, or a link to one, as folders of
// downloads have them.
func isFile(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isTextName reports whether a name is that of a text. The index that comes with
// a multistream dump is none.
func isTextName(name string) bool {
	return hasEnding(name, ".txt", ".md") && !strings.Contains(path.Base(name), "-multistream-index")
}

func isDataName(name string) bool {
	return hasEnding(name, ".json", ".jsonl", ".tsv") || isDumpName(name)
}

// isDumpName reports whether a name is that of XML, or of a part of a dump, which
// has the numbers of its pages behind ".xml".
func isDumpName(name string) bool {
	name = strings.ToLower(path.Base(name))
	return hasEnding(name, ".xml") || strings.Contains(name, ".xml-p") || trimZip(name) != name && strings.Contains(name, ".xml")
}

func hasEnding(name string, endings ...string) bool {
	return slices.Contains(endings, path.Ext(trimZip(strings.ToLower(name))))
}

// trimZip takes the ending of compression off a name.
func trimZip(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".bz2")
}

// endings says how many files there are of each kind of name.
func endings(names []string) string {
	const most = 5
	count := map[string]int{}
	var order []string
	for _, name := range names {
		ending := path.Ext(name)
		if ending == "" {
			ending = "other"
		}
		if count[ending]++; count[ending] == 1 {
			order = append(order, ending)
		}
	}
	slices.Sort(order)
	var said []string
	for _, ending := range order[:min(len(order), most)] {
		said = append(said, fmt.Sprintf("%d %s", count[ending], ending))
	}
	switch {
	case len(said) == 0:
		return "no files"
	case len(order) > most:
		said = append(said, "others")
	}
	return strings.Join(said, ", ")
}

// eachIn visits the records of a file. A file of a folder may be empty.
func eachIn(f file, format string, visit visitor) error {
	head, err := peek(f.path)
	switch {
	case errors.Is(err, text.ErrEmpty) && f.ofFolder:
		return nil
	case err != nil:
		return err
	}
	if format == "" || format == Auto {
		if format, err = detect(f.path, head); err != nil {
			return err
		}
	}
	switch format {
	case SearchR1, FlashRAG:
		return readPassages(f, visit)
	case DPR:
		return readLines(f, parseRow, visit)
	case Text:
		return readText(f, visit)
	case WikiXML:
		return readDump(f, visit)
	}
	return readParagraphs(f, visit)
}
