package exchange

import (
	"bufio"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Form is a way in which programs write rollouts.
type Form struct {
	Name   string
	About  string // for a help text, in one or more lines
	suffix []string
	folder *regexp.Regexp // of the folder that a file stands in; nil for any
	parts  func(*bufio.Reader) iter.Seq2[part, error]
	parse  func([]byte, file) (*Record, error)
}

// Forms returns the forms that can be read.
func Forms() []Form {
	jsonl := []string{".jsonl", ".jsonl.gz"}
	return []Form{
		{Name: "messages", suffix: jsonl, parts: jsonLines, parse: parseMessages, About: `one finished rollout a JSON line, as OpenAI messages with tool calls:
{"question":"…","prediction":"…","messages":[…]}, and as far as there are
question_id, rollout_id, answer or golden_answers, termination, confidence`},
		{Name: "tongyi", suffix: jsonl, parts: jsonLines, parse: parseTongyi, About: `Tongyi DeepResearch: iter1.jsonl, iter2.jsonl, … or the folder of them; error
lines are failures`},
		{Name: "websailor", suffix: jsonl, parts: jsonLines, parse: parseTongyi, About: "WebSailor, WebResummer: Tongyi's files with rollout_id in every line"},
		{Name: "parallelmuse", suffix: jsonl, parts: jsonLines, parse: parseParallelMuse, About: `ParallelMuse's lines, with the messages under rollout`},
		{Name: "aggagent", suffix: []string{".json"}, folder: iterFolder, parts: whole, parse: parseAggAgent, About: `AggAgent's folder of iter1/run_….json, …, or its published Parquet files, where
a question's rollouts are numbered as they come`},
		{Name: "r1-searcher", suffix: jsonl, parts: jsonLines, parse: parseR1Searcher, About: `R1-Searcher's evaluation files, one a policy, verdicts of gpt4o_output included`},
		{Name: "flashrag", suffix: []string{"intermediate_data.json", ".jsonl"}, parts: listed, parse: parseFlashRAG, About: `FlashRAG's intermediate_data.json, Search-R1's text included`},
		{Name: "reflexion", suffix: []string{".txt", ".jsonl"}, parts: trials, parse: parseReflexion, About: `Reflexion's text logs of ReAct trials, or lines made of them; the marks are
verdicts`},
		{Name: "webdancer", suffix: jsonl, parts: jsonLines, parse: parseWebDancer, About: `WebDancer's chatml trajectories`},
		{Name: "parquet", parts: noText, parse: parseTable, About: "the table that trawl export --format parquet writes"},
	}
}

// formNamed returns the form of a name.
func formNamed(name string) (Form, error) {
	forms := Forms()
	at := slices.IndexFunc(forms, func(f Form) bool { return f.Name == name })
	if at < 0 {
		return Form{}, fmt.Errorf("exchange: unknown form %q", name)
	}
	return forms[at], nil
}

// Files returns the files of a form that path names: itself, or in their order
// those of a folder, at any depth, that look like files of the form; Parquet files
// only if there are no others.
func (f Form) Files(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files, tables []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(p, tableSuffix) {
			tables = append(tables, p)
		}
		if slices.ContainsFunc(f.suffix, func(s string) bool { return strings.HasSuffix(p, s) }) &&
			(f.folder == nil || f.folder.MatchString(filepath.Base(filepath.Dir(p)))) {
			files = append(files, p)
		}
		return nil
	})
	if len(files) == 0 {
		files = tables
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s holds no file of the form %s", path, f.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	return files, nil
}

// The number of a rollout in the names of files and folders.
var (
	iterFile   = regexp.MustCompile(`^iter([0-9]{1,9})(?:_split[0-9]+of[0-9]+)?\.jsonl(?:\.gz)?$`)
	iterFolder = regexp.MustCompile(`^iter([0-9]{1,9})$`)
)

// numberIn returns the number in a name; nil if there is none.
func numberIn(name string, pattern *regexp.Regexp) *int {
	m := pattern.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	return &n
}
