// Package dataset reads questions with their gold answers from the files of
// the public benchmarks. [Load] reads one file named by a spec NAME:PATH,
// [Open] says more about it, and [Names] lists what NAME can be.
//
// Each benchmark has a loader of its own, because each has its own shape and
// traps; a loader's comment states them. JSON lists, JSON lines, CSV and TSV
// are told apart by content, and so is gzip. Every record must have a question;
// records keep the ids of the data set where it has them and are otherwise
// named for the loader and their place (nq-0, nq-1, …). An id that stands twice
// is an error, because results are stored under it.
//
// Gold answers live in [Example] and nowhere else that an agent can reach: a
// rollout is given the embedded [trajectory.Question]. A data set without
// answers, such as the test split of HotpotQA, loads, and its examples have no
// Golds; scoring says that they are unscored.
//
// Everything here is safe for concurrent use.
package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trawl/trajectory"
)

// An Example is a question with what is known about its answer.
type Example struct {
	trajectory.Question
	Golds      []string // accepted answers, the best known first; none if the data set has no answers
	Supporting []string // ids of the documents that the answer stands on, if the data set knows them
	Titles     []string // titles of those documents, for data sets that name no ids
	Source     string   // the data set that the question comes from, e.g. "musique"
	Type       string   // as the data set calls it, e.g. "bridge"; may be empty
	Level      string   // difficulty as the data set calls it; may be empty
	Hops       int      // documents that have to be joined; 0 if unknown
}

// A Set is a data set as it stood in one file.
type Set struct {
	Name     string // of the loader
	Path     string
	SHA256   string // of the file's bytes, in hex
	LeftOut  int    // records that are no question of their own: MuSiQue's unanswerable twins
	Examples []Example
}

// Names returns the names of the loaders, sorted.
func Names() []string { return slices.Sorted(maps.Keys(loaders())) }

// Load returns the examples of the file that spec, NAME:PATH, names. The error
// names the file, the line (or the record, for a JSON list, counted from 1) and
// the key at fault.
func Load(spec string) ([]Example, error) {
	set, err := Open(spec)
	if err != nil {
		return nil, err
	}
	return set.Examples, nil
}

// Open is [Load] with what a manifest records about the file.
func Open(spec string) (*Set, error) {
	name, path, ok := strings.Cut(spec, ":")
	if !ok || path == "" {
		return nil, fmt.Errorf("dataset: %q is not NAME:PATH; NAME is one of %s", spec, strings.Join(Names(), ", "))
	}
	l, ok := loaders()[name]
	if !ok {
		return nil, fmt.Errorf("dataset: unknown data set %q; known are %s", name, strings.Join(Names(), ", "))
	}
	set := &Set{Name: name, Path: path}
	if err := read(set, l); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", name, err)
	}
	return set, nil
}

// A loader turns the records of one benchmark's files into examples.
type loader struct {
	form  string                            // what a file holds, for messages
	parse func(path string) (parser, error) // prepares to read the file at path
}

// A parser reads single records. It leaves out what its file form lacks. An
// example without an ID is given one by its place in the file.
type parser struct {
	json  func(raw []byte) (Example, error)
	table func(r row) (Example, error)
}

func loaders() map[string]loader {
	return map[string]loader{
		"2wiki":     {"a JSON list as in 2WikiMultihopQA's dev.json", parse2Wiki},
		"bamboogle": {"a CSV file with the columns Question and Answer", fixed(parser{table: bamboogle})},
		"flashrag":  {"JSON lines with id, question and golden_answers", parseFlashRAG},
		"frames":    {"a TSV file with the columns Prompt and Answer, as in FRAMES's test.tsv", fixed(parser{json: framesJSON, table: framesRow})},
		"hotpotqa":  {"a JSON list as in hotpot_dev_distractor_v1.json", fixed(parser{json: hotpotQA})},
		"musique":   {"JSON lines as in musique_ans_v1.0_dev.jsonl", fixed(parser{json: musique})},
		"nq":        {"JSON lines with question and answer, as in NQ-open.dev.jsonl", fixed(parser{json: nqOpen})},
		"popqa":     {"a TSV file with the columns id, question and possible_answers, as in PopQA's test.tsv", fixed(parser{table: popQA})},
		"triviaqa":  {"JSON with a list Data, as in unfiltered-web-dev.json, or records in snake_case", fixed(parser{json: triviaQA})},
		"woven":     {"the questions.jsonl of a woven world", parseFlashRAG},
	}
}

// fixed is for parsers that do not depend on the file's path.
func fixed(p parser) func(string) (parser, error) {
	return func(string) (parser, error) { return p, nil }
}
