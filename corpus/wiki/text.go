package wiki

import (
	"bufio"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"trawl/search"
)

const (
	passageWords = 100     // words of a passage, as in DPR's split of Wikipedia
	tailWords    = 20      // a last passage of fewer words is joined to the one before
	maxWord      = 1 << 20 // bytes; beyond it a file is no text
)

// readText visits the passages of a text file.
func readText(f file, visit visitor) error {
	src, err := openSource(f)
	if err != nil {
		return err
	}
	defer src.close()
	base := trimZip(path.Base(f.name))
	title := strings.TrimSuffix(base, path.Ext(base))
	number := 0
	cut := cutter{visit: func(text string) error {
		number++
		return visit(record{
			Document: search.Document{
				ID: fmt.Sprintf("%s#%d", f.name, number), Title: title, Text: strings.ToValidUTF8(text, "\uFFFD"),
			},
			place:    place{path: f.path},
			replaced: !utf8.ValidString(text),
		})
	}}
	words := bufio.NewScanner(src)
	words.Buffer(nil, maxWord)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		if err := cut.add(words.Text()); err != nil {
			return err
		}
	}
	if err := words.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s: a word of more than %d MiB: not a text file", f.path, maxWord>>20)
	} else if err != nil {
		return fmt.Errorf("%s: %w", f.path, cause(err))
	}
	return cut.end()
}

// A cutter cuts a stream of words into passages. One whole passage is held back,
// for a short tail may have to be joined to it.
type cutter struct {
	visit func(text string) error
	held  []string
	words []string
}

func (c *cutter) add(word string) error {
	c.words = append(c.words, word)
	if len(c.words) < passageWords {
		return nil
	}
	err := c.emit(c.held)
	c.held, c.words = c.words, c.held[:0]
	return err
}

func (c *cutter) end() error {
	if len(c.words) < tailWords {
		return c.emit(append(c.held, c.words...))
	}
	if err := c.emit(c.held); err != nil {
		return err
	}
	return c.emit(c.words)
}

func (c *cutter) emit(words []string) error {
	if len(words) == 0 {
		return nil
	}
	return c.visit(strings.Join(words, " "))
}
