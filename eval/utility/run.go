package utility

import (
	"context"
	"strings"

	"trawl/internal/text"
	"trawl/trajectory"
)

// An action is one tool call and what came back.
type action struct {
	kind      trajectory.Kind
	argument  string
	shown     string // o_t, in normal form
	failed    bool
	documents []string // ids
	marks     []string // by which a claim cites it
}

// A run is one rollout as it is evaluated.
type run struct {
	t       *trajectory.Trajectory
	actions []action
	said    []string // said[i] after observation i−1 and before observation i; the last is the answer
	claims  []string
	from    ClaimSource
	left    int // sentences that are no claims

	invented int    // claims that an extractor made up
	repeated int    // claims that it listed again
	beyond   int    // claims beyond those that count
	unread   string // why there are no claims, if an extractor could not say them
}

// newRun reads a rollout.
func newRun(t *trajectory.Trajectory, question string) *run {
	r := &run{t: t}
	var pending []string
	for _, s := range t.Steps {
		pending = append(pending, s.Thought)
		switch s.Kind {
		case trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind:
			a := newAction(s)
			r.actions = append(r.actions, a)
			r.said = append(r.said, strings.Join(append(pending, a.argument), "\n"))
			pending = nil
		}
	}
	if explanation, from := Explanation(t); from == FromExplanation {
		pending = append(pending, explanation)
	}
	r.said = append(r.said, strings.Join(append(pending, t.Answer), "\n"))
	r.claims, r.from, r.left = claims(t, question)
	return r
}

func newAction(s trajectory.Step) action {
	a := action{kind: s.Kind, argument: s.Query, shown: text.Normal(s.Shown), failed: s.Error != ""}
	if a.argument == "" && s.Call != nil {
		a.argument = string(s.Call.Arguments)
	}
	var told strings.Builder
	for _, d := range s.Results {
		told.WriteString(d.Title + "\n" + d.Text + "\n")
		if d.ID != "" {
			a.documents = append(a.documents, d.ID)
			a.marks = append(a.marks, "["+d.ID+"]")
		}
		if d.URL != "" {
			a.marks = append(a.marks, d.URL)
		}
	}
	if a.shown == "" && !a.failed {
		a.shown = text.Normal(told.String())
	}
	return a
}

// sequence returns what runs are compared by.
func (r *run) sequence() []Action {
	out := make([]Action, len(r.actions))
	for i, a := range r.actions {
		out[i] = Action{a.kind, text.Tokens(a.argument)}
	}
	return out
}

// similarities returns the cosine of each observation with the target, which is
// not read if it is "", and with the observation before.
func (r *run) similarities(target string, v vectors) (near, alike []float64) {
	near, alike = make([]float64, len(r.actions)), make([]float64, len(r.actions))
	for i, a := range r.actions {
		if target != "" && !a.failed {
			near[i] = cosine(v[a.shown], v[target])
		}
		if i > 0 {
			alike[i] = cosine(v[a.shown], v[r.actions[i-1].shown])
		}
	}
	return near, alike
}

// vectors are those of texts; a text without one, such as "", is the zero vector.
type vectors map[string][]float32

// embed makes the vectors of all that the runs show and claim, and of the target.
func (o *Options) embed(ctx context.Context, runs []*run, target string) (vectors, error) {
	v := vectors{}
	var texts []string
	add := func(s string) {
		if _, ok := v[s]; !ok && s != "" {
			v[s] = nil
			texts = append(texts, s)
		}
	}
	add(target)
	for _, r := range runs {
		for _, a := range r.actions {
			add(a.shown)
		}
		for _, c := range r.claims {
			add(c)
		}
	}
	if len(texts) == 0 {
		return v, nil
	}
	made, err := o.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i, s := range texts {
		v[s] = made[i]
	}
	return v, nil
}
