package utility

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"trawl/internal/text"
)

// A Stance is what a response says of a fact.
type Stance string

// The stances.
const (
	Supported    Stance = "support"
	Contradicted Stance = "contradict"
	Omitted      Stance = "omit"
)

// A Point is a fact that a response to a question is held against.
type Point struct{ Question, Response, Fact string }

// A Checker says what a response says of a fact. It fails with [ErrNoVerdict] where
// it cannot say. It is safe for concurrent use.
type Checker interface {
	Check(ctx context.Context, p Point) (Stance, error)
}

var stance = regexp.MustCompile(`(?i)^[\s*_"']*(?:(support(?:ed|s)?)|(contradict(?:ed|s)?)|(omit(?:ted|s)?))[\s*_"'.]*$`)

// ReadStance reads a reply that is one of the three words and nothing else. One that
// merely has it in it, such as "does not support", is no verdict.
func ReadStance(s string) (Stance, bool) {
	m := stance.FindStringSubmatch(strings.TrimSpace(s))
	switch {
	case m == nil:
		return "", false
	case m[1] != "":
		return Supported, true
	case m[2] != "":
		return Contradicted, true
	}
	return Omitted, true
}

// LexicalPoints is the checker without a model. A fact is supported if [Lexical] has
// it follow from the response by at least Support. It is contradicted if one of its
// numbers or names is nowhere in the response, but a sentence there has another one
// in its place: it has one of the fact's names, at least half of its other words, by
// their first letters, and a number or name that is in neither fact nor question; of a
// fact with semicolons this is asked of each part alone. Else it is omitted.
//
// It knows nothing of negation or meaning, takes a sentence without the fact's name
// ("He died in 1790.") for one on something else, and does not see a value that is
// neither a number nor capitalised.
type LexicalPoints struct{ Support float64 }

var _ Checker = LexicalPoints{}

// Check implements [Checker]. It fails only if ctx ended.
func (l LexicalPoints) Check(ctx context.Context, p Point) (Stance, error) {
	share, err := Lexical{}.Entails(ctx, p.Fact, []string{p.Response})
	switch {
	case err != nil:
		return "", err
	case share > 0 && share >= l.Support:
		return Supported, nil
	}
	sentences := Sentences(p.Response)
	for clause := range strings.SplitSeq(p.Fact, ";") {
		f := newFact(Point{p.Question, p.Response, clause})
		if slices.ContainsFunc(sentences, f.contradictedBy) {
			return Contradicted, nil
		}
	}
	return Omitted, nil
}

// A fact is the words of a fact, as a response has them.
type fact struct {
	known            map[string]bool // words of fact and question
	names            map[string]bool // its names that the response has
	relation         []string        // its words that are neither name nor number
	noNumber, noName bool            // the response lacks one
}

func newFact(p Point) *fact {
	there := contentSet(p.Response)
	f := &fact{known: contentSet(p.Question), names: map[string]bool{}}
	for _, w := range words(p.Fact) {
		switch {
		case functionWords[w.key]:
			continue
		case w.number:
			f.noNumber = f.noNumber || !there[w.key]
		case w.capital && there[w.key]:
			f.names[w.key] = true
		case w.capital:
			f.noName = true
		default:
			f.relation = append(f.relation, w.key)
		}
		f.known[w.key] = true
	}
	return f
}

// contradictedBy reports whether a sentence has another value in the fact's place.
func (f *fact) contradictedBy(sentence string) bool {
	all := words(sentence)
	about := slices.ContainsFunc(all, func(w word) bool { return f.names[w.key] })
	other := slices.ContainsFunc(all, func(w word) bool {
		return !f.known[w.key] && (f.noNumber && w.number || f.noName && w.entity)
	})
	related := 0
	for _, r := range f.relation {
		if slices.ContainsFunc(all, func(w word) bool { return akin(w.key, r) }) {
			related++
		}
	}
	return about && other && 2*related >= len(f.relation)
}

// akinLetters is how many first letters make two words akin, such as founder and
// founded.
const akinLetters = 5

func akin(a, b string) bool {
	return a == b || len(a) >= akinLetters && len(b) >= akinLetters && text.FirstChars(a, akinLetters) == text.FirstChars(b, akinLetters)
}

// A Keypoint is a fact of the reference and what a rollout says of it.
type Keypoint struct {
	Fact   string `json:"fact"`
	Stance Stance `json:"stance,omitempty"` // "": not scored
	Error  string `json:"error,omitempty"`
}

// Rates returns the keypoint rates KSR, KCR and KOR: the shares of facts that are
// supported, contradicted and omitted, which sum to 1 if each stance is one of the
// three; ok is false where there is no fact.
func Rates(stances []Stance) (supported, contradicted, omitted float64, ok bool) {
	n := map[Stance]int{}
	for _, s := range stances {
		n[s]++
	}
	total := float64(len(stances))
	if total == 0 {
		return 0, 0, 0, false
	}
	supported, contradicted = float64(n[Supported])/total, float64(n[Contradicted])/total
	return supported, contradicted, float64(n[Omitted]) / total, true
}

// response returns what facts are held against: the explanation and the answer, or
// without an explanation the question and the answer.
func (r *run) response(question string) string {
	explanation, _ := Explanation(r.t)
	switch {
	case explanation != "":
		return strings.TrimSpace(explanation + "\n" + r.t.Answer)
	case text.Blank(r.t.Answer):
		return ""
	}
	return text.Collapse(question + " " + r.t.Answer)
}

// check has a rollout held against facts. One that says nothing omits them all.
func (r *run) check(ctx context.Context, c Checker, question string, facts []string) ([]Keypoint, error) {
	out := make([]Keypoint, len(facts))
	response := r.response(question)
	for i, f := range facts {
		out[i] = Keypoint{Fact: f, Stance: Omitted}
		if response == "" {
			continue
		}
		s, err := c.Check(ctx, Point{question, response, f})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, ErrNoVerdict):
			s, out[i].Error = "", err.Error()
		case err != nil:
			return nil, err
		}
		out[i].Stance = s
	}
	return out, nil
}

// rate works out the keypoint rates; there are none if a fact is not scored.
func (d *RolloutDetail) rate() {
	stances := make([]Stance, len(d.Keypoints))
	for i, k := range d.Keypoints {
		if k.Stance == "" {
			return
		}
		stances[i] = k.Stance
	}
	if s, c, o, ok := Rates(stances); ok {
		d.KSR, d.KCR, d.KOR = &s, &c, &o
	}
}

// Keypoints counts what rollouts say of the facts of their questions.
type Keypoints struct {
	Facts        int `json:"facts"` // (rollout, fact)
	Supported    int `json:"supported"`
	Contradicted int `json:"contradicted"`
	Omitted      int `json:"omitted"`
	Unscored     int `json:"unscored"`           // that the checker could not judge
	LeftOut      int `json:"questions_left_out"` // that have one of those and are left out of the rates
}

func (k *Keypoints) count(points []Keypoint) {
	k.Facts += len(points)
	for _, p := range points {
		switch p.Stance {
		case Supported:
			k.Supported++
		case Contradicted:
			k.Contradicted++
		case Omitted:
			k.Omitted++
		default:
			k.Unscored++
		}
	}
}
