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

// readText visits the passages of a text file, which name says within its folder.
func readText(file, name string, visit visitor) error {
	src, err := openSource(file)
	if err != nil {
		return err
	}
	defer src.close()
	p := passages{file: file, name: name, visit: visit}
	words := bufio.NewScanner(src)
	words.Buffer(nil, maxWord)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		if err := p.add(words.Text()); err != nil {
			return err
		}
	}
	if err := words.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s: a word of more than %d MiB: not a text file", file, maxWord>>20)
	} else if err != nil {
		return fmt.Errorf("%s: %w", file, cause(err))
	}
	return p.end()
}

// passages cuts a stream of words. One whole passage is held back, for a short
// tail may have to be joined to it.
type passages struct {
	file, name string
	visit      visitor
	held       []string
	words      []string
	count      int
}

func (p *passages) add(word string) error {
	p.words = append(p.words, word)
	if len(p.words) < passageWords {
		return nil
	}
	err := p.emit(p.held)
	p.held, p.words = p.words, nil
	return err
}

func (p *passages) end() error {
	if len(p.words) < tailWords {
		return p.emit(append(p.held, p.words...))
	}
	if err := p.emit(p.held); err != nil {
		return err
	}
	return p.emit(p.words)
}

func (p *passages) emit(words []string) error {
	if len(words) == 0 {
		return nil
	}
	p.count++
	text := strings.Join(words, " ")
	base := strings.TrimSuffix(path.Base(p.name), ".gz")
	return p.visit(record{
		Document: search.Document{
			ID:    fmt.Sprintf("%s#%d", p.name, p.count),
			Title: strings.TrimSuffix(base, path.Ext(base)),
			Text:  strings.ToValidUTF8(text, "\uFFFD"),
		},
		place:    place{path: p.file},
		replaced: !utf8.ValidString(text),
	})
}
