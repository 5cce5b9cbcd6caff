package graph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trawl/internal/text"
	"trawl/selection"
	"trawl/trajectory"
)

// ErrEmpty says that no rollout of a pool is retained. Such a pool has no graph
// and counts as wrong where answers are scored.
var ErrEmpty = errors.New("graph: no rollout is retained")

// Options say which graph to make. The zero value selects the defaults.
type Options struct {
	Variant  Variant // default WebQA
	Ranks    int     // WebQA: rank relations each way, the last for all further ranks; default 3
	Rollouts int     // how many are considered, the first by number before any is dropped; default all
}

// withDefaults returns o with its zero values filled in.
func (o Options) withDefaults() (Options, error) {
	if o.Variant == "" {
		o.Variant = WebQA
	}
	if o.Ranks == 0 {
		o.Ranks = 3
	}
	switch {
	case o.Variant != WebQA && o.Variant != LongHorizon:
		return o, fmt.Errorf("graph: variant %q: it is %q or %q", o.Variant, WebQA, LongHorizon)
	case o.Ranks < 0:
		return o, fmt.Errorf("graph: %d rank relations: at least one is needed", o.Ranks)
	case o.Rollouts < 0:
		return o, fmt.Errorf("graph: %d rollouts: a pool has at least one", o.Rollouts)
	}
	return o, nil
}

// A Pool is the rollouts of one question, in any order.
type Pool struct {
	ID       string // of the question
	Question string
	Rollouts []Rollout
}

// A Rollout is what a graph needs of one rollout. Round and Number name it and
// give the order of candidates; both may repeat alone, not together.
type Rollout struct {
	Round    int // 0 where there are no rounds
	Number   int
	Answer   string   // empty if there is none or the rollout failed
	Searches []Search // WebQA
	Events   []Event  // long-horizon
}

// name returns what the rollout is called in identities of documents.
func (r *Rollout) name() string {
	if r.Round == 0 {
		return fmt.Sprint(r.Number)
	}
	return fmt.Sprintf("%d.%d", r.Round, r.Number)
}

// A Search is a query and what it returned, by rank. A search that failed or
// found nothing has no chunks.
type Search struct {
	Query  string
	Chunks []Chunk
}

// empty reports whether the search returned nothing but white space.
func (s *Search) empty() bool {
	return !slices.ContainsFunc(s.Chunks, func(c Chunk) bool { return !c.blank() })
}

// A Chunk is a retrieved passage. Its content is the normal form of
//
//	(Title: {Title}) {Text}
//
// which is the paper's, or of Text alone if it has no title. What [ParseReturn]
// returns is a Text.
type Chunk struct{ Title, Text string }

func (c Chunk) blank() bool { return text.Blank(c.Title) && text.Blank(c.Text) }

// content returns the text that is embedded and compared.
func (c Chunk) content() string {
	if text.Blank(c.Title) {
		return text.Normal(c.Text)
	}
	return text.Normal("(Title: " + c.Title + ") " + c.Text)
}

// An Event is one call of the browser tool. Calls are numbered from 0 in the
// order of a rollout's Events; a call and its return have positions in the order
// of messages, and several calls of one message have one position.
type Event struct {
	Tool   trajectory.Kind // search, open or find
	Query  string          // of a search; if empty, the argument "query"
	Args   json.RawMessage // what is no JSON object counts as none and is no source
	View   string          // what the model was shown
	Call   int
	Return int  // -1 if nothing came back
	Source *int // the event on whose view the record says that this one was made, -1 for none; nil if it says nothing
}

// Build makes the graph of stored rollouts. It returns [ErrEmpty] if none is
// retained; any other error names the question and the rollout at fault. Rollouts
// of several rounds are told apart by their round. A trajectory that states
// another question than the group is an error.
func Build(g selection.Group, o Options) (*Graph, error) {
	p, err := PoolOf(g)
	if err != nil {
		return nil, err
	}
	return BuildPool(p, o)
}

// BuildPool is [Build] for a pool. Answer.Rollouts are indices into p.Rollouts.
func BuildPool(p Pool, o Options) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	order, err := p.first(o.Rollouts)
	if err != nil {
		return nil, err
	}
	b := newBuilder(p, o)
	retained := b.retain(order)
	if len(retained) == 0 {
		return nil, ErrEmpty
	}
	b.vote(retained)
	if o.Variant == WebQA {
		b.webqa(retained)
	} else {
		b.longHorizon(retained)
	}
	return b.g, nil
}

// first returns the indices of the first k rollouts by round and number, or of
// all if k is 0. (methods A.1, rule 1)
func (p *Pool) first(k int) ([]int, error) {
	order := make([]int, len(p.Rollouts))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		x, y := &p.Rollouts[a], &p.Rollouts[b]
		return cmp.Or(cmp.Compare(x.Round, y.Round), cmp.Compare(x.Number, y.Number))
	}
	slices.SortStableFunc(order, compare)
	for i := 1; i < len(order); i++ {
		if compare(order[i-1], order[i]) == 0 {
			r := &p.Rollouts[order[i]]
			return nil, fmt.Errorf("graph: question %q: round %d, rollout %d is there twice; keep one", p.ID, r.Round, r.Number)
		}
	}
	if k > 0 && k < len(order) {
		order = order[:k]
	}
	return order, nil
}

// retain keeps the rollouts that are candidates: those with an answer and, for
// WebQA, with a search that returned something. (methods A.1, rule 2)
func (b *builder) retain(order []int) []int {
	return slices.DeleteFunc(order, func(i int) bool {
		r := &b.pool.Rollouts[i]
		if text.Blank(r.Answer) {
			return true
		}
		found := func(s Search) bool { return !s.empty() }
		return b.options.Variant == WebQA && !slices.ContainsFunc(r.Searches, found)
	})
}
