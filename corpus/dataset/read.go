package dataset

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"trawl/internal/text"
)

// errTwin marks a record that repeats the question of another one.
var errTwin = errors.New("not a question of its own")

// read fills set from its file.
func read(set *Set, l loader) error {
	p, err := l.parse(set.Path)
	if err != nil {
		return err
	}
	f, err := os.Open(set.Path)
	if err != nil {
		return fmt.Errorf("%w; expected %s", err, l.form)
	}
	defer f.Close()
	hash := sha256.New()
	raw := io.TeeReader(f, hash)
	c := &collector{set: set, places: make(map[string]string)}
	if err := c.readAll(raw, p); err != nil {
		if errors.Is(err, text.ErrUTF16) || errors.Is(err, text.ErrEmpty) {
			return fmt.Errorf("%s %w; expected %s", set.Path, err, l.form)
		}
		return fmt.Errorf("%s: %w", set.Path, err)
	}
	if len(set.Examples) == 0 {
		return fmt.Errorf("%s: no questions; expected %s", set.Path, l.form)
	}
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return fmt.Errorf("%s: %w", set.Path, err)
	}
	set.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return nil
}

// A collector adds examples to a set and watches their ids.
type collector struct {
	set     *Set
	places  map[string]string // by id
	records int               // seen so far
}

// add adds the outcome of parsing one record, which stands at place.
func (c *collector) add(place string, e Example, err error) error {
	c.records++
	switch {
	case errors.Is(err, errTwin):
		c.set.LeftOut++
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", place, err)
	}
	if e.ID == "" {
		e.ID = fmt.Sprintf("%s-%d", c.set.Name, c.records-1)
	}
	if first, ok := c.places[e.ID]; ok {
		return fmt.Errorf("%s: id %q stands at %s already", place, e.ID, first)
	}
	c.places[e.ID] = place
	c.set.Examples = append(c.set.Examples, e)
	return nil
}

// readAll reads the records of r in the form that it finds them in.
func (c *collector) readAll(r io.Reader, p parser) error {
	br, err := text.NewReader(r)
	if err != nil {
		return err
	}
	first, err := firstByte(br)
	if err != nil {
		return err
	}
	isJSON := first == '{' || first == '['
	switch {
	case first == 0:
		return text.ErrEmpty
	case isJSON && p.json == nil:
		return errors.New("is JSON, not a table")
	case !isJSON && p.table == nil:
		return errors.New("is not JSON")
	case !isJSON:
		return c.readTable(br, p.table)
	case first == '[':
		return c.readList(json.NewDecoder(br), p.json)
	case isWrapped(br):
		return c.readWrapped(json.NewDecoder(br), p.json)
	}
	return c.readLines(br, p.json)
}

// firstByte returns the first byte that is not JSON's white space, which it
// leaves in r; 0 if there is none.
func firstByte(r *bufio.Reader) (byte, error) {
	start, err := r.Peek(r.Size())
	if err != nil && err != io.EOF {
		return 0, err
	}
	if start = bytes.TrimLeft(start, " \t\r\n"); len(start) > 0 {
		return start[0], nil
	}
	return 0, nil
}

// wrapping is how TriviaQA's releases begin: one object around the list.
var wrapping = regexp.MustCompile(`^\s*\{\s*"(Data|Domain|Split|VerifiedEval|Version)"\s*:`)

func isWrapped(r *bufio.Reader) bool {
	start, _ := r.Peek(256)
	return wrapping.Match(start)
}

// eachLine gives use each line of r that is not blank, with its number from 1.
// Lines end at "\n" only; blank ones count as lines and as nothing else.
func eachLine(r *bufio.Reader, use func(number int, line []byte) error) error {
	for number := 1; ; number++ {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := use(number, line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// readLines reads one record a line.
func (c *collector) readLines(r *bufio.Reader, parse func([]byte) (Example, error)) error {
	return eachLine(r, func(number int, line []byte) error {
		e, err := parse(line)
		return c.add(fmt.Sprintf("line %d", number), e, err)
	})
}

// readWrapped reads the list under the key Data of the object that d is at.
func (c *collector) readWrapped(d *json.Decoder, parse func([]byte) (Example, error)) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return text.JSONError(err)
		}
		if key == "Data" {
			return c.readList(d, parse)
		}
		var other json.RawMessage
		if err := d.Decode(&other); err != nil {
			return fmt.Errorf("key %q: %w", key, text.JSONError(err))
		}
	}
	return errors.New(`no key "Data"`)
}

// readList reads the records of the JSON list that d is at.
func (c *collector) readList(d *json.Decoder, parse func([]byte) (Example, error)) error {
	open, err := d.Token()
	if err != nil {
		return text.JSONError(err)
	}
	if open != json.Delim('[') {
		return fmt.Errorf("%v where a list should begin", open)
	}
	for n := 1; d.More(); n++ {
		place := fmt.Sprintf("record %d", n)
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("%s: %w", place, text.JSONError(err))
		}
		e, perr := parse(raw)
		if err := c.add(place, e, perr); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("after record %d: %w", c.records, text.JSONError(err))
	}
	return nil
}

// A row is one record of a table: values by lower-case column name.
type row map[string]string

// readTable reads a table whose first line names its columns, split at tabs if
// that line has any and at commas otherwise. Quotes are those of CSV, except
// that inside a field that does not begin with one a quote is an ordinary
// character: Bamboogle's release has such fields.
func (c *collector) readTable(r *bufio.Reader, parse func(row) (Example, error)) error {
	start, _ := r.Peek(r.Size())
	head, _, _ := bytes.Cut(start, []byte("\n"))
	t := csv.NewReader(r)
	t.LazyQuotes = true
	if bytes.IndexByte(head, '\t') >= 0 {
		t.Comma = '\t'
	}
	names, err := t.Read()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	for i, name := range names {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	for {
		fields, err := t.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := t.FieldPos(0)
		record, err := asRow(names, fields)
		var e Example
		if err == nil {
			e, err = parse(record)
		}
		if err := c.add(fmt.Sprintf("line %d", line), e, err); err != nil {
			return err
		}
	}
}

// asRow names the fields. It refuses one with both a quote and a line end: so
// looks a field that began with a quote of the text ("Heroes" is by …) and took
// in the lines that follow, and no field of these benchmarks is like that.
func asRow(names, fields []string) (row, error) {
	r := make(row, len(names))
	for i, name := range names {
		if strings.Contains(fields[i], `"`) && strings.Contains(fields[i], "\n") {
			return nil, fmt.Errorf("key %q: a quote that does not end on its line", name)
		}
		r[name] = fields[i]
	}
	return r, nil
}
