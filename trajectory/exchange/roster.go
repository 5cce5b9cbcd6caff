package exchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	verdicts  map[judged]verdictAt
	tally     Tally
	origins   []origin
	lost      map[string]int
	ended     map[Ending]int // without a count
}

type known struct {
	question trajectory.Question
	twice    bool
}

// An asked is a question of the roster.
type asked struct {
	Question
	place   Place
	numbers map[int]placed // of its rollouts
	count   int            // lines without a number
	settled int
}

// A placed is a rollout with a number.
type placed struct {
	at     Place
	failed bool
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
	Judge      string
	Except     []int // rollouts with this answer of which the judge said the opposite, rising
}

// An Origin is where a rollout of an import stood, and how it ended in the words
// of the program that made it.
type Origin struct {
	QuestionID string
	Rollout    int
	Place      Place
	Ended      string
}

// An Ending is a word for how rollouts ended, and what it is in trawl's words.
type Ending struct {
	Word  string                 `json:"word"`
	Is    trajectory.Termination `json:"is"`
	Count int                    `json:"count"`
}

// A Loss is a key whose values no record has room for.
type Loss struct {
	Key   string `json:"key"`
	Count int    `json:"count"`
}

type judged struct{ questionID, answer string }

type origin struct {
	Origin
	number *int
}

type verdictAt struct {
	Verdict
	order  int
	except []origin
}

// A Tally counts what an import holds.
type Tally struct {
	Records     int // rollouts
	Retried     int // lines beside: failures that another line of the same rollout takes the place of
	Failed      int // rollouts that failed
	Answered    int // rollouts with an answer
	Calls       int // searches, openings and finds
	Unread      int // of them: those whose documents could not be recovered
	Verdicts    int // lines with one
	Contradicts int // verdicts that contradict the first one on the same answer, and hold for their rollout alone
}

// NewRoster returns a roster. If the questions are those of a data set, records
// are given its ids and wording, and a record of another question is an error;
// nil is for lines that stand for themselves.
func NewRoster(questions []trajectory.Question) *Roster {
	r := &Roster{questions: map[string]*asked{}, numbers: map[int]bool{}, verdicts: map[judged]verdictAt{}, lost: map[string]int{}, ended: map[Ending]int{}}
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
// the record contradicts another: the same rollout, or other gold answers. A
// rollout that failed may stand again, as scripts try again what failed: what did
// not fail counts, and else the last line.
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
	again, err := r.place(rec, q)
	if err != nil {
		return err
	}
	r.origins = append(r.origins, origin{Origin{q.ID, q.count, rec.Place, rec.Ended}, rec.Number})
	q.count++
	r.count(rec, q, again)
	return nil
}

// place puts down the number of a record. It returns the rollout that has this
// number already, nil for none, and an error if neither of the two failed.
func (r *Roster) place(rec *Record, q *asked) (again *placed, err error) {
	if rec.Number == nil {
		return nil, nil
	}
	n, failed := *rec.Number, rec.Trajectory.Error != ""
	if old, ok := q.numbers[n]; ok {
		if !old.failed && !failed {
			return nil, fmt.Errorf("rollout %d of question %s stands at %v already", n, q.ID, old.at)
		}
		again = &old
		failed = failed && old.failed
	}
	q.numbers[n] = placed{rec.Place, failed}
	r.numbers[n] = true
	return again, nil
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
		q = &asked{Question: Question{Question: is, File: rec.Place.File}, place: rec.Place, numbers: map[int]placed{}}
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

// count adds a record to the tally; again is that of the same number, if there is
// one.
func (r *Roster) count(rec *Record, q *asked, again *placed) {
	t := rec.Trajectory
	switch failed := t.Error != ""; {
	case again == nil:
		r.tally.Records++
		if failed {
			r.tally.Failed++
		}
	case again.failed && !failed:
		r.tally.Failed--
		fallthrough
	default:
		r.tally.Retried++
	}
	for key, n := range rec.Lost {
		r.lost[key] += n
	}
	r.ended[Ending{Word: rec.Ended, Is: t.Termination}]++
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
	if rec.Verdict != nil && t.Answer == "" {
		r.lost["verdict on a rollout without an answer"]++
	}
	if rec.Verdict == nil || t.Answer == "" {
		return
	}
	r.tally.Verdicts++
	key := judged{q.ID, t.Answer}
	old, ok := r.verdicts[key]
	switch {
	case !ok:
		r.verdicts[key] = verdictAt{Verdict: Verdict{QuestionID: q.ID, Answer: t.Answer, Correct: *rec.Verdict, Judge: rec.Judge}, order: len(r.verdicts)}
	case old.Correct != *rec.Verdict:
		r.tally.Contradicts++
		old.except = append(old.except, r.origins[len(r.origins)-1])
		r.verdicts[key] = old
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

// Verdicts returns the verdicts, the first of each answer with the rollouts that
// it does not hold for, in their order.
func (r *Roster) Verdicts() []Verdict {
	sorted := r.sorted()
	out := make([]Verdict, len(r.verdicts))
	for _, v := range r.verdicts {
		for _, o := range v.except {
			v.Except = append(v.Except, o.numbered(sorted).Rollout)
		}
		slices.Sort(v.Except)
		out[v.order] = v.Verdict
	}
	return out
}

// numbered returns where a rollout stood, with its number among the sorted ones.
func (o origin) numbered(sorted []int) Origin {
	if o.number != nil {
		o.Rollout, _ = slices.BinarySearch(sorted, *o.number)
	}
	return o.Origin
}

// Origins returns where each rollout stood, in the order of the lines.
func (r *Roster) Origins() []Origin {
	sorted := r.sorted()
	out := make([]Origin, len(r.origins))
	for i, o := range r.origins {
		out[i] = o.numbered(sorted)
	}
	return out
}

// Endings returns the words for how rollouts ended, sorted, with what they became.
func (r *Roster) Endings() []Ending {
	var out []Ending
	for e, n := range r.ended {
		e.Count = n
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Ending) int {
		return cmp.Or(strings.Compare(a.Word, b.Word), strings.Compare(string(a.Is), string(b.Is)))
	})
	return out
}

// Lost returns what could not be carried over, sorted by key.
func (r *Roster) Lost() []Loss {
	var out []Loss
	for _, key := range slices.Sorted(maps.Keys(r.lost)) {
		out = append(out, Loss{key, r.lost[key]})
	}
	return out
}

// Tally counts what was added.
func (r *Roster) Tally() Tally { return r.tally }
