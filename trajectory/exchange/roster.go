package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"trawl/internal/text"
	"trawl/trajectory"
)

// A Roster settles who is who among the records of an import, which only all of
// them together tell: [Roster.Add] each record first, then [Roster.Settle] each,
// in the same order. Read the files twice rather than keep the records.
//
// A question is told by its id or, where lines have none, by its text; a question
// without an id is named by a hash of its text. Rollouts are numbered from 0 in
// the order of the numbers that lines have, whatever those begin with; where lines
// have none, in the order of the lines of a question.
type Roster struct {
	known     map[string]known // of a data set, by normal text; nil if there is none
	questions map[string]*asked
	order     []*asked
	numbers   map[int]bool
	first     *Record // to tell whether all lines have numbers
	verdicts  map[said]verdictAt
	tally     Tally
}

type known struct {
	question trajectory.Question
	twice    bool
}

// An asked is a question of the roster.
type asked struct {
	Question
	place   Place
	numbers map[int]Place // of its rollouts
	count   int           // lines without a number
	settled int
}

// A Question is a question of an import.
type Question struct {
	trajectory.Question
	Golds []string
	File  string // the first that has it
}

// A Verdict is what a judge said of an answer.
type Verdict struct {
	QuestionID string
	Answer     string
	Correct    bool
}

type said struct{ questionID, answer string }

type verdictAt struct {
	Verdict
	order int
}

// A Tally counts what an import holds.
type Tally struct {
	Records     int
	Failed      int // rollouts that failed
	Answered    int // rollouts with an answer
	Calls       int // searches, openings and finds
	Unread      int // of them: those whose documents could not be recovered
	Verdicts    int // lines with one
	Contradicts int // verdicts that contradict an earlier one on the same answer, and do not count
}

// NewRoster returns a roster. If the questions are those of a data set, records
// are given its ids and wording, and a record of another question is an error;
// nil is for lines that stand for themselves.
func NewRoster(questions []trajectory.Question) *Roster {
	r := &Roster{questions: map[string]*asked{}, numbers: map[int]bool{}, verdicts: map[said]verdictAt{}}
	if questions != nil {
		r.known = make(map[string]known, 2*len(questions))
		for _, q := range questions {
			key := text.Normal(q.Text)
			_, twice := r.known[key]
			r.known[key] = known{q, twice}
			r.known[idKey(q.ID)] = known{q, false}
		}
	}
	return r
}

// idKey keeps ids and texts apart: no normal text begins with a line end.
func idKey(id string) string { return "\n" + id }

// Add takes note of a record. It returns an error, with the places of both, if
// the record contradicts another: the same rollout, or other gold answers.
func (r *Roster) Add(rec *Record) error {
	if err := r.add(rec); err != nil {
		return fmt.Errorf("exchange: %v: %w", rec.Place, err)
	}
	return nil
}

func (r *Roster) add(rec *Record) error {
	q, err := r.question(rec)
	if err != nil {
		return err
	}
	switch {
	case r.first == nil:
		r.first = rec
	case (r.first.Number == nil) != (rec.Number == nil):
		return fmt.Errorf("key rollout_id: all lines have one or none has, unlike %v", r.first.Place)
	}
	switch {
	case text.Normal(rec.Trajectory.Question) != text.Normal(q.Text):
		return fmt.Errorf("question %s is %q here and %q at %v", q.ID, rec.Trajectory.Question, q.Text, q.place)
	case len(rec.Golds) > 0 && len(q.Golds) > 0 && !slices.Equal(rec.Golds, q.Golds):
		return fmt.Errorf("question %s has the gold answers %q here and %q at %v", q.ID, rec.Golds, q.Golds, q.place)
	case len(q.Golds) == 0:
		q.Golds = rec.Golds
	}
	if n := rec.Number; n != nil {
		if at, ok := q.numbers[*n]; ok {
			return fmt.Errorf("rollout %d of question %s stands at %v already", *n, q.ID, at)
		}
		q.numbers[*n] = rec.Place
		r.numbers[*n] = true
	}
	q.count++
	r.count(rec, q)
	return nil
}

// question returns the question of a record, a new one if it is the first of it.
func (r *Roster) question(rec *Record) (*asked, error) {
	is := trajectory.Question{ID: rec.QuestionID, Text: rec.Trajectory.Question}
	if r.known != nil {
		k, ok := r.known[idKey(is.ID)]
		if is.ID == "" || !ok {
			k, ok = r.known[text.Normal(is.Text)]
		}
		switch {
		case !ok:
			return nil, fmt.Errorf("question %q is not in the data set", is.Text)
		case k.twice:
			return nil, fmt.Errorf("question %q stands twice in the data set, and the line has no question_id to tell which", is.Text)
		}
		is = k.question
	}
	if is.ID == "" {
		is.ID = named(is.Text)
	}
	q, ok := r.questions[is.ID]
	if !ok {
		q = &asked{Question: Question{Question: is, File: rec.Place.File}, place: rec.Place, numbers: map[int]Place{}}
		r.questions[is.ID] = q
		r.order = append(r.order, q)
	}
	return q, nil
}

// named returns the id of a question that has none: the same wherever it stands.
func named(question string) string {
	sum := sha256.Sum256([]byte(text.Normal(question)))
	return "q-" + hex.EncodeToString(sum[:6])
}

// count adds a record to the tally.
func (r *Roster) count(rec *Record, q *asked) {
	t := rec.Trajectory
	r.tally.Records++
	if t.Error != "" {
		r.tally.Failed++
	}
	if t.Answer != "" {
		r.tally.Answered++
	}
	for _, s := range t.Steps {
		switch s.Kind {
		case trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind:
			r.tally.Calls++
		}
	}
	r.tally.Unread += rec.Unread
	if rec.Verdict == nil || t.Answer == "" {
		return
	}
	r.tally.Verdicts++
	key := said{q.ID, t.Answer}
	old, ok := r.verdicts[key]
	switch {
	case !ok:
		r.verdicts[key] = verdictAt{Verdict{q.ID, t.Answer, *rec.Verdict}, len(r.verdicts)}
	case old.Correct != *rec.Verdict:
		r.tally.Contradicts++
	}
}

// Settle gives the trajectory of a record that was added its question's id and
// wording, and its number.
func (r *Roster) Settle(rec *Record) error {
	q, err := r.question(rec)
	if err != nil {
		return fmt.Errorf("exchange: %v: %w", rec.Place, err)
	}
	t := rec.Trajectory
	t.QuestionID, t.Question = q.ID, q.Text
	if rec.Number != nil {
		t.Rollout, _ = slices.BinarySearch(r.sorted(), *rec.Number)
		return nil
	}
	t.Rollout = q.settled
	q.settled++
	return nil
}

// sorted returns the numbers of the rollouts.
func (r *Roster) sorted() []int { return slices.Sorted(maps.Keys(r.numbers)) }

// Rollouts returns how many rollouts a question has at most.
func (r *Roster) Rollouts() int {
	most := len(r.numbers)
	if most == 0 {
		for _, q := range r.order {
			most = max(most, q.count)
		}
	}
	return most
}

// Questions returns the questions in the order in which they first stand.
func (r *Roster) Questions() []Question {
	out := make([]Question, len(r.order))
	for i, q := range r.order {
		out[i] = q.Question
	}
	return out
}

// Verdicts returns the verdicts, the first of each answer, in their order.
func (r *Roster) Verdicts() []Verdict {
	out := make([]Verdict, len(r.verdicts))
	for _, v := range r.verdicts {
		out[v.order] = v.Verdict
	}
	return out
}

// Tally counts what was added.
func (r *Roster) Tally() Tally { return r.tally }
