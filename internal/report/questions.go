package report

import (
	"fmt"
	"slices"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/figures"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A Question is what the completed rollouts of a question came to.
type Question struct {
	ID, Text, Source string
	Hops             int
	Complete         int
	Distinct         int      // answers, alike by their keys
	Right            *int     // rollouts, by exact match; nil without gold answers
	Majority         *bool    // the most frequent answer is right; likewise, and nil without an answer
	Searches         *float64 // a rollout; nil without a rollout
	Tokens           *float64 // of prompts and completions, a rollout; nil if nobody counted any
}

// QuestionOf returns what the completed outcomes of a question came to. Lines are
// those of all rounds that were taken for it.
func QuestionOf(ex dataset.Example, outcomes, lines []*trajectory.Trajectory) Question {
	q := Question{ID: ex.ID, Text: ex.Text, Source: ex.Source, Hops: ex.Hops}
	var keys []string
	var right []bool
	distinct := map[string]bool{}
	for _, t := range outcomes {
		if t.Error != "" {
			continue
		}
		key := text.AnswerKey(t.Answer)
		keys, right = append(keys, key), append(right, eval.Mark(ex, t.Answer).EM)
		if key != "" {
			distinct[key] = true
		}
	}
	q.Complete, q.Distinct = len(keys), len(distinct)
	if q.Complete == 0 {
		return q
	}
	searches, tokens := 0, 0
	for _, t := range lines {
		if t.Error == "" {
			searches += t.Usage.Searches
			tokens += t.Usage.Prompt + t.Usage.Completion
		}
	}
	each := func(n int) *float64 { v := float64(n) / float64(q.Complete); return &v }
	if q.Searches = each(searches); tokens > 0 {
		q.Tokens = each(tokens)
	}
	if len(ex.Golds) > 0 {
		n := len(slices.DeleteFunc(slices.Clone(right), func(b bool) bool { return !b }))
		q.Right = &n
		if i := text.Plurality(keys); i >= 0 {
			q.Majority = &right[i]
		}
	}
	return q
}

// MostQuestions is how many questions a page on all else shows, and AllQuestions the
// folder of the page that shows them all.
const (
	MostQuestions = 2000
	AllQuestions  = "questions"
)

const (
	questionChars = 140    // of a question
	mostDetailed  = 3      // runs of which every column is shown
	mostCells     = 40_000 // of the table in a page on all else
)

// asked lists the questions, the first ones if they are too many.
func asked(s *section) {
	t := EveryQuestion(s.runs)
	most := min(MostQuestions, mostCells/len(t.Columns))
	if n := len(t.Rows); n > most {
		t.Title = fmt.Sprintf("The first %d of %d questions", most, n)
		t.Most, t.All = most, AllQuestions
	}
	s.add(t)
}

// Below returns the page on every question, where the page of sections shows the first
// ones alone; none where it shows them all.
func Below(all []figures.Section, notes []string) []figures.Below {
	for _, s := range all {
		for _, t := range s.Tables {
			if t.All != AllQuestions {
				continue
			}
			t.Title, t.Most, t.All = "Every question", 0, ""
			s := figures.Section{ID: s.ID, Title: s.Title, Tables: []figures.Table{t}}
			return []figures.Below{{Folder: AllQuestions, Page: figures.Page{Title: "Every question", Notes: notes, Sections: []figures.Section{s}}}}
		}
	}
	return nil
}

// EveryQuestion lists the questions with what the runs made of each.
func EveryQuestion(runs []*Run) figures.Table {
	s := &section{runs: runs}
	t := figures.Table{ID: "every-question", Title: "Every question", Columns: []string{"id", "question", "source", "hops"}, Source: source(s.runs, "", byReport)}
	var order []Question
	at := make([]map[string]Question, len(s.runs))
	seen := map[string]bool{}
	for i, r := range s.runs {
		at[i] = map[string]Question{}
		for _, q := range r.Questions {
			at[i][q.ID] = q
			if !seen[q.ID] {
				seen[q.ID] = true
				order = append(order, q)
			}
		}
		t.Columns = append(t.Columns, s.columns(r)...)
	}
	for _, q := range order {
		hops := words("")
		if q.Hops > 0 {
			hops = count(q.Hops)
		}
		row := []figures.Cell{words(q.ID), words(shortened(q.Text)), words(q.Source), hops}
		for i := range s.runs {
			row = append(row, s.cells(at[i][q.ID])...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// columns are those of a run.
func (s *section) columns(r *Run) []string {
	names := []string{"right", "of", "majority", "answers", "searches", "tokens"}
	if len(s.runs) > mostDetailed {
		names = names[:s.detail()]
	}
	for i := range names {
		if len(s.runs) > 1 {
			names[i] = r.Name + ": " + names[i]
		}
	}
	return names
}

// cells are what one run made of a question.
func (s *section) cells(q Question) []figures.Cell {
	right, majority := words(absent), words(absent)
	if q.Right != nil {
		right = count(*q.Right)
	}
	switch {
	case q.Right != nil && q.Majority == nil:
		majority = words("none")
	case q.Majority != nil:
		majority = words(map[bool]string{true: "right", false: "wrong"}[*q.Majority])
	}
	row := []figures.Cell{right, count(q.Complete), majority, count(q.Distinct), rounded(q.Searches, 1), rounded(q.Tokens, 0)}
	if len(s.runs) > mostDetailed {
		return row[:s.detail()]
	}
	return row
}

// detail is how many columns a run has where there are many runs.
func (s *section) detail() int {
	if len(s.runs) > mostSeries {
		return 2
	}
	return 3
}

func rounded(v *float64, digits int) figures.Cell {
	if v == nil {
		return words(absent)
	}
	return figures.Cell{Text: fmt.Sprintf("%.*f", digits, *v), Value: v}
}

func shortened(s string) string {
	if short := text.FirstChars(text.Collapse(s), questionChars); short != text.Collapse(s) {
		return short + "…"
	}
	return text.Collapse(s)
}
