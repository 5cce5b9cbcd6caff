package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"

	"trawl/internal/text"
)

// A hotpotRecord is a record of HotpotQA and of 2WikiMultihopQA, which took
// over its shape.
type hotpotRecord struct {
	ID       string          `json:"_id"`
	HubID    string          `json:"id"` // in the Hugging Face variant
	Question string          `json:"question"`
	Answer   string          `json:"answer"`
	AnswerID string          `json:"answer_id"` // 2WikiMultihopQA, v1.1
	Facts    json.RawMessage `json:"supporting_facts"`
	Type     string          `json:"type"`
	Level    string          `json:"level"`
}

// hotpotQA reads HotpotQA: the release's list or, from Hugging Face, records
// whose supporting facts are columns of lists. Test splits lack answer, facts,
// type and level. Titles hold HTML entities, which are decoded. Every question
// of HotpotQA joins two documents.
func hotpotQA(raw []byte) (Example, error) {
	e, _, err := hotpot(raw)
	e.Source, e.Hops = "hotpotqa", 2
	return e, err
}

func hotpot(raw []byte) (e Example, answerID string, err error) {
	var r hotpotRecord
	if err := decode(raw, &r); err != nil {
		return e, "", err
	}
	if e.Question, err = identified(cmp.Or(r.ID, r.HubID), "_id", html.UnescapeString(r.Question), "question"); err != nil {
		return e, "", err
	}
	if e.Titles, err = factTitles("supporting_facts", r.Facts); err != nil {
		return e, "", err
	}
	e.Golds = golds(html.UnescapeString(r.Answer))
	e.Type, e.Level = r.Type, r.Level
	return e, r.AnswerID, nil
}

// factTitles returns the titles in supporting facts, which are a list of
// [title, sentence] pairs or an object with a list of titles.
func factTitles(key string, raw json.RawMessage) ([]string, error) {
	var names []string
	var columns struct {
		Title []string `json:"title"`
	}
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case raw[0] == '{':
		if err := json.Unmarshal(raw, &columns); err != nil {
			return nil, fmt.Errorf("key %q: %w", key, text.JSONError(err))
		}
		return titles(columns.Title), nil
	}
	var pairs [][]json.RawMessage
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, fmt.Errorf("key %q: neither pairs nor columns: %w", key, text.JSONError(err))
	}
	for _, pair := range pairs {
		var name string
		if len(pair) == 0 || json.Unmarshal(pair[0], &name) != nil {
			return nil, fmt.Errorf("key %q: a pair without a title", key)
		}
		names = append(names, name)
	}
	return titles(names), nil
}

// aliasFile is where 2WikiMultihopQA v1.1 keeps other names of its answers.
const aliasFile = "id_aliases.json"

// parse2Wiki reads 2WikiMultihopQA, which has HotpotQA's shape. If its file
// id_aliases.json lies beside the data, the aliases and demonyms of a record's
// answer_id are accepted answers too, as in the release's own evaluation.
func parse2Wiki(path string) (parser, error) {
	other, err := readAliases(filepath.Join(filepath.Dir(path), aliasFile))
	if err != nil {
		return parser{}, err
	}
	parse := func(raw []byte) (Example, error) {
		e, answerID, err := hotpot(raw)
		if len(e.Golds) > 0 {
			e.Golds = golds(append(e.Golds, other[answerID]...)...)
		}
		e.Source, e.Hops = "2wikimultihopqa", twoWikiHops(e.Type)
		return e, err
	}
	return parser{json: parse}, nil
}

// twoWikiHops returns how many documents a type of 2WikiMultihopQA joins.
func twoWikiHops(kind string) int {
	switch kind {
	case "comparison", "inference", "compositional":
		return 2
	case "bridge_comparison":
		return 4
	}
	return 0
}

// readAliases reads the JSON lines of an alias file: other names by Wikidata
// id. A file that is not there has none.
func readAliases(path string) (map[string][]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names := make(map[string][]string)
	err = eachLine(bufio.NewReader(f), func(number int, line []byte) error {
		var record struct {
			ID       string   `json:"Q_id"`
			Aliases  []string `json:"aliases"`
			Demonyms []string `json:"demonyms"`
		}
		if err := decode(line, &record); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, number, err)
		}
		names[record.ID] = append(record.Aliases, record.Demonyms...)
		return nil
	})
	return names, err
}
