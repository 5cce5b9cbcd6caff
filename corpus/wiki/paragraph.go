package wiki

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"trawl/internal/text"
	"trawl/search"
)

// readParagraphs visits the paragraphs of a data set's file, which is a JSON
// list, an object of title → sentences, or lines of JSON.
func readParagraphs(f file, visit visitor) error {
	path := f.path
	src, err := openSource(f)
	if err != nil {
		return err
	}
	defer src.close()
	head, _ := src.Peek(headBytes)
	head = bytes.TrimSpace(head)
	switch {
	case bytes.HasPrefix(head, []byte("[")):
		return readList(src, path, func(raw []byte) error { return visitParagraphs(raw, place{path: path}, visit) })
	case bytes.HasPrefix(head, []byte("{")) && startsTitleObject(head):
		return readTitles(src, path, visit)
	}
	return readParagraphLines(src, path, visit)
}

// startsTitleObject reports whether an object has a list of strings under its
// first key, as no record of a question has.
func startsTitleObject(head []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(head))
	dec.Token() // {
	dec.Token() // the key
	if open, _ := dec.Token(); open != json.Delim('[') {
		return false
	}
	first, err := dec.Token()
	if _, isString := first.(string); isString || first == json.Delim(']') {
		return true
	}
	return errors.Is(err, io.ErrUnexpectedEOF) // a sentence longer than the head
}

// readList gives read the records of a JSON list. An error of read is that of the
// record, whose place it gets, except a [visitError].
func readList(src *source, path string, read func(raw []byte) error) error {
	dec := json.NewDecoder(src)
	dec.Token() // [
	for number := 1; dec.More(); number++ {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil {
			err = read(raw)
		}
		if err != nil {
			return listError(err, path, dec.InputOffset(), number)
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("%s: the list does not end: %w", path, errCutOff)
	}
	return nil
}

// readTitles visits the paragraphs of an object of title → sentences.
func readTitles(src *source, path string, visit visitor) error {
	dec := json.NewDecoder(src)
	dec.Token() // {
	for number := 1; dec.More(); number++ {
		title, err := dec.Token()
		var sentences []string
		if err == nil {
			err = dec.Decode(&sentences)
		}
		if err != nil {
			return listError(err, path, dec.InputOffset(), number)
		}
		name, _ := title.(string)
		if err := visit(paragraph(name, join(sentences), place{path: path})); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("%s: the object does not end: %w", path, errCutOff)
	}
	return nil
}

// listError adds the line and the number of the record to an error, except to
// one of the visitor's own.
func listError(err error, path string, offset int64, number int) error {
	if visitError := (visitError{}); errors.As(err, &visitError) {
		return visitError.error
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errCutOff
	}
	return fmt.Errorf("%v: record %d: %w", place{path, lineAt(path, offset)}, number, text.JSONError(err))
}

// lineAt returns the number of the line at an offset in the file.
func lineAt(path string, offset int64) int {
	src, err := openSource(file{path: path})
	if err != nil {
		return 0
	}
	defer src.close()
	line := 1
	for range offset {
		b, err := src.ReadByte()
		if err != nil {
			break
		}
		if b == '\n' {
			line++
		}
	}
	return line
}

// readParagraphLines visits the paragraphs of records, one a line.
func readParagraphLines(src *source, path string, visit visitor) error {
	return src.eachLine(path, func(raw []byte, at place) error { return visitParagraphs(raw, at, visit) })
}

// visitParagraphs visits the paragraphs of one record.
func visitParagraphs(raw []byte, at place, visit visitor) error {
	paragraphs, err := parseParagraphs(raw, at)
	if err != nil {
		return err
	}
	replaced := !utf8.Valid(raw)
	for _, p := range paragraphs {
		p.replaced = replaced
		if err := visit(p); err != nil {
			return visitError{err}
		}
	}
	return nil
}

// parseParagraphs parses a question of HotpotQA or 2Wiki (context), one of
// MuSiQue (paragraphs), or a paragraph by itself (title and text).
func parseParagraphs(raw []byte, at place) ([]record, error) {
	var r struct {
		Title, Text *string
		Context     json.RawMessage
		Paragraphs  []struct {
			Title string
			Text  *string `json:"paragraph_text"`
		}
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, text.JSONError(err)
	}
	switch {
	case r.Context != nil:
		return parseContext(r.Context, at)
	case r.Paragraphs != nil:
		var records []record
		for i, p := range r.Paragraphs {
			if p.Text == nil {
				return nil, fmt.Errorf("key paragraphs[%d].paragraph_text: missing", i)
			}
			records = append(records, paragraph(p.Title, *p.Text, at))
		}
		return records, nil
	case r.Title != nil && r.Text != nil:
		return []record{paragraph(*r.Title, *r.Text, at)}, nil
	}
	return nil, errors.New("key context: missing, and so are paragraphs and title with text")
}

// parseContext parses [[title, [sentence, …]], …] or, as Hugging Face has it,
// {"title": […], "sentences": [[…], …]}.
func parseContext(raw json.RawMessage, at place) ([]record, error) {
	var columns struct {
		Title     []string
		Sentences [][]string
	}
	if raw[0] == '{' {
		if err := json.Unmarshal(raw, &columns); err != nil {
			return nil, fmt.Errorf("key context: %w", text.JSONError(err))
		}
		if len(columns.Title) != len(columns.Sentences) {
			return nil, fmt.Errorf("key context: %d titles and %d lists of sentences", len(columns.Title), len(columns.Sentences))
		}
	} else {
		var rows [][]json.RawMessage
		if err := json.Unmarshal(raw, &rows); err != nil {
			return nil, errors.New("key context: want a list of [title, [sentence, …]]")
		}
		for i, row := range rows {
			var title string
			var sentences []string
			if len(row) != 2 || json.Unmarshal(row[0], &title) != nil || json.Unmarshal(row[1], &sentences) != nil {
				return nil, fmt.Errorf("key context[%d]: want [title, [sentence, …]]", i)
			}
			columns.Title = append(columns.Title, title)
			columns.Sentences = append(columns.Sentences, sentences)
		}
	}
	var records []record
	for i, title := range columns.Title {
		records = append(records, paragraph(title, join(columns.Sentences[i]), at))
	}
	return records, nil
}

// join makes a text of sentences. HotpotQA's begin with their space, others' do not.
func join(sentences []string) string {
	var b strings.Builder
	for _, s := range sentences {
		if b.Len() > 0 && s != "" && !unicode.IsSpace(rune(s[0])) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return strings.TrimSpace(b.String())
}

// paragraph makes a record whose id is 64 bits of the hash of title and text.
func paragraph(title, body string, at place) record {
	hash := sha256.Sum256([]byte(title + "\n" + body))
	return record{
		Document: search.Document{ID: hex.EncodeToString(hash[:8]), Title: title, Text: body},
		place:    at,
		merge:    true,
	}
}
