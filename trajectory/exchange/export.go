package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"

	"trawl/internal/text"
	"trawl/trajectory"
)

// An OutForm is a form in which rollouts can be written.
type OutForm struct {
	Name   string
	About  string // for a help text, in one or more lines
	Folder bool   // many files; else one
	Golds  bool   // it has room for gold answers
	Table  bool   // one file that [NewTable] writes
	Head   string // what the file begins with
	render func(Item) (Piece, error)
}

// OutForms returns the forms that can be written.
func OutForms() []OutForm {
	return []OutForm{
		{Name: "messages", Golds: true, render: asMessages, About: "a file that trawl import messages reads: one rollout a line"},
		{Name: "tongyi", Folder: true, Golds: true, render: asTongyi, About: "a folder of iter1.jsonl, iter2.jsonl, … as Tongyi DeepResearch writes them"},
		{Name: "aggagent", Folder: true, Golds: true, render: asAggAgent, About: "a folder of iter1/run_….json, … as AggAgent writes them"},
		{Name: "browsecomp-plus", Folder: true, render: asBrowseCompPlus, About: "folders run1, run2, … of run files of BrowseComp-Plus, not encrypted"},
		{Name: "parquet", Golds: true, Table: true, render: asTable, About: "a Parquet file with one row a rollout: what csv has, and steps and messages as\nJSON, gold answers and verdicts; trawl import parquet reads all of it again"},
		{Name: "csv", Head: csvHead, render: asCSV, About: "a table with one row a rollout: ids, answer, termination, usage, times"},
	}
}

// An Item is a rollout that is to be written. Golds are the gold answers of its
// question, Verdict is what a judge of this name said of its answer, both for the
// forms that have them.
type Item struct {
	Trajectory *trajectory.Trajectory
	Golds      []string
	Verdict    *bool // nil if there is none
	Judge      string
}

// A Piece is what becomes of an item: Data at the end of the file at Path, which
// is below the output and empty where the output is a file. Lost counts by name
// what the form has no room for.
type Piece struct {
	Path string
	Data []byte
	Lost map[string]int
}

// Render writes an item in the form.
func (f OutForm) Render(it Item) (Piece, error) {
	p, err := f.render(it)
	if err != nil {
		return p, fmt.Errorf("exchange: %v: %w", it.Trajectory.Key(), err)
	}
	return p, nil
}

// A writing is an item on the way to its piece.
type writing struct {
	Item
	lost map[string]int
}

// newWriting begins with what no form but parquet has room for.
func newWriting(it Item) *writing {
	w, t := &writing{it, map[string]int{}}, it.Trajectory
	w.loses("seed", t.Seed != 0)
	w.loses("seed_query", t.SeedQuery != nil)
	return w
}

// losesTraces counts what steps have beside what the model said and saw.
func (w *writing) losesTraces() {
	for _, s := range w.Trajectory.Steps {
		w.loses("steps.repairs", len(s.Repairs) > 0)
		w.loses("steps.error", s.Error != "")
		w.loses("steps.source", s.Source != "")
		w.loses("steps.ms", s.Millis > 0)
		w.loses("steps.entropy", s.Entropy != nil)
	}
}

// losesTime counts when a rollout was, and of which round.
func (w *writing) losesTime() {
	w.loses("started", !w.Trajectory.Started.IsZero())
	w.loses("round", w.Trajectory.Round > 1)
}

// losesVerdict counts a verdict.
func (w *writing) losesVerdict() { w.loses("verdict", w.Verdict != nil) }

// losesSource counts how an answer was given, where the last words of the agent do
// not say the same to whoever reads them.
func (w *writing) losesSource(said string) {
	t := w.Trajectory
	w.loses("answer_source", t.Answer != "" && t.Source != sourceOf(said))
}

// losesMessages counts messages that are written anew, from the steps.
func (w *writing) losesMessages() {
	w.loses("messages (made of the steps)", len(w.Trajectory.Messages) > 0)
}

// loses counts something that there is and the form has no room for.
func (w *writing) loses(name string, is bool) {
	if is {
		w.lost[name]++
	}
}

// losesDocuments counts the documents whose structure only the text keeps.
func (w *writing) losesDocuments() {
	for _, s := range w.Trajectory.Steps {
		if len(s.Results) > 0 {
			w.lost["steps.results (ids, scores)"] += len(s.Results)
		}
	}
}

// losesUsage counts usage and times. Calls are counted again by whoever reads the
// conversation: what differs is lost.
func (w *writing) losesUsage() {
	u := w.Trajectory.Usage
	w.loses("usage", u.Prompt > 0 || u.Completion > 0 || u.Cached > 0 || u.Estimated)
	w.loses("ms", w.Trajectory.Millis > 0)
	for _, s := range w.Trajectory.Steps {
		w.loses("steps.usage", s.Usage != (trajectory.CallUsage{}))
	}
	w.losesCalls()
}

// losesCalls counts rollouts that made other calls than their steps show: some
// were made again, or repeated an earlier one.
func (w *writing) losesCalls() {
	t := w.Trajectory
	searches, opens := 0, 0
	for _, s := range t.Steps {
		switch s.Kind {
		case trajectory.KindSearch:
			searches++
		case trajectory.KindOpen:
			opens++
		}
	}
	u := t.Usage
	w.loses("usage.llm_calls", u.LLMCalls != len(turns(t)))
	w.loses("usage.searches", u.Searches != searches)
	w.loses("usage.opens", u.Opens != opens)
}

// gold returns the first gold answer; nil if there is none, so that its key is left
// out.
func (w *writing) gold() *string {
	if len(w.Golds) == 0 {
		return nil
	}
	if n := len(w.Golds) - 1; n > 0 {
		w.lost["golden_answers beyond the first"] += n
	}
	return &w.Golds[0]
}

// piece makes the piece: a value as JSON, with a line end.
func (w *writing) piece(path string, v any) (Piece, error) {
	data, err := text.JSON(v)
	return Piece{Path: path, Data: append(data, '\n'), Lost: w.lost}, err
}

// iter is the number of a rollout in files, which begin with 1.
func (w *writing) iter() int { return w.Trajectory.Rollout + 1 }

// runFile is the file of a rollout in a folder for its number. Ids may hold
// anything, so it is named by the hash of the id.
func (w *writing) runFile(folder string) string {
	sum := sha256.Sum256([]byte(w.Trajectory.QuestionID))
	return path.Join(fmt.Sprintf("%s%d", folder, w.iter()), "run_"+hex.EncodeToString(sum[:8])+".json")
}

// turns returns the steps of t by turn.
func turns(t *trajectory.Trajectory) [][]trajectory.Step {
	var out [][]trajectory.Step
	for i, s := range t.Steps {
		if i > 0 && s.Turn == t.Steps[i-1].Turn {
			out[len(out)-1] = append(out[len(out)-1], s)
		} else {
			out = append(out, []trajectory.Step{s})
		}
	}
	return out
}

// opening returns the messages before the first reply: the question alone if there
// are none.
func opening(t *trajectory.Trajectory) []trajectory.Message {
	n := slices.IndexFunc(t.Messages, func(m trajectory.Message) bool { return m.Role == "assistant" })
	if n < 0 {
		n = len(t.Messages)
	}
	if n == 0 {
		return []trajectory.Message{{Role: "user", Content: t.Question}}
	}
	return slices.Clone(t.Messages[:n])
}

// answering is what a reply without a call says: in the last turn of a rollout that
// answered the answer in its tag, behind what was thought.
func answering(t *trajectory.Trajectory, s trajectory.Step, last bool) string {
	if !last || t.Answer == "" {
		return s.Thought
	}
	if answerTag.MatchString(s.Thought) {
		return s.Thought
	}
	return s.Thought + "\n<answer>" + t.Answer + "</answer>"
}
