// Package weave makes woven worlds: seeded synthetic encyclopaedias with
// questions, provable answers and oracle trajectories.
//
// [New] draws a [World] of persons, works, organisations, places and events
// and the facts that join them. [World.Documents] renders one article for each
// entity, on demand; [World.Questions] are chains of two to six facts,
// intersections and comparisons, each solved on the facts and kept only if
// exactly one answer exists; [World.Write] puts all of it into a folder. All
// English of the relations is the table lexicon; every fact that a question
// needs stands in an article in one of its sentences, with the article's topic
// as subject or object.
//
// [Prove] weaves benchmarks: worlds in which some questions have a [Trap], a
// document that says something false where the oracle searches, and of which
// every question has passed checks against the search engine of its reader. A
// [Suite] has a mean complexity too. A trap is of one of four kinds; it is told
// in the sentences and fillers of the articles, is contradicted by the article
// that its claim is about, concerns no fact that another question rests on, and
// is never among what an oracle finds. The article that a stale trap contradicts
// gets a sentence with a later date. Ids of traps go on where those of articles
// end, so that nothing in an id tells a trap.
//
// The procedure follows PhantomWiki (kilian-group/phantom-wiki): articles from
// templates, nested noun phrases as questions, a symbolic solver. The records
// and the complexity of a question are those of the reconstruction of
// DeepResearch-Bench's TaskWeaver.
//
// # Departures
//
// PhantomWiki asks for sets of people in one family; here every question has
// one answer, the worlds have seventeen kinds of entities, names have near
// neighbours (shared surnames, titles that differ in a word) so that lexical
// retrieval meets wrong ones, and the solver is a walk over an indexed list of
// facts instead of Prolog.
//
// The sizes, mean complexities, shares of traps and kinds of traps of suites are
// those that DeepResearch-Bench reports. All else about them is reconstruction:
// C(q) (see [Complexity]), that a trap perturbs one fact of the oracle's, the
// wording of traps, the first ten hits of BM25 as the measure of what can be
// retrieved, the sampling of questions to the mean, and a guess of the most
// frequent answer of its kind in the pool as the closed-book baseline.
// Comparisons have no traps and are in no suite: their questions hold the
// answer, or yes and no.
//
// The same Options make the same bytes. A World does not change after New and
// is safe for concurrent use. It holds about 70 bytes for each entity and no
// text.
package weave

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"

	"trawl/internal/seed"
	"trawl/search"
)

// Version is the version of the English and of the procedure: worlds of equal
// options are equal only within one version.
const Version = 1

// MinEntities and MaxEntities are the sizes of the smallest world and of the
// largest that the name lists have room for.
const (
	MinEntities = 50
	MaxEntities = 2_000_000
)

// Options say which world to weave.
type Options struct {
	Seed      int64
	Entities  int // one document each; default 1,000, from [MinEntities] to [MaxEntities]
	Questions int // default 0, a corpus alone
	Mix       Mix // the zero value selects DefaultMix

	// Of [Prove]; [New] refuses them.
	Suite string  // name of a [Suite], which sets what is zero above and the share of traps
	Traps float64 // share of the questions that have a trap, from 0 to 1
}

// A Mix is the share of each form among the questions, as weights.
type Mix struct {
	Chain2       int `json:"chain2"` // chains of two facts
	Chain3       int `json:"chain3"`
	Chain4       int `json:"chain4"`
	Intersection int `json:"intersection"` // of two or three statements
	Comparison   int `json:"comparison"`   // yes or no, or which of two
	Chain5       int `json:"chain5,omitempty"`
	Chain6       int `json:"chain6,omitempty"`
	Braid        int `json:"braid,omitempty"` // intersections of descriptions
}

// DefaultMix returns the mix of a benchmark in which two thirds of the
// questions need three facts or more, or two ends to meet.
func DefaultMix() Mix {
	return Mix{Chain2: 25, Chain3: 20, Chain4: 10, Intersection: 25, Comparison: 20}
}

// A World is a woven world.
type World struct {
	opts      Options
	starts    [entityKinds + 1]uint32 // the entities of kind k are starts[k] up to starts[k+1]
	names     []name
	facts     facts
	questions []Question
	proofs    []proof // of questions
	traps     []Trap
	trapDocs  []search.Document
	dated     map[uint32]string // the last sentence of the articles that a stale trap misrepresents
}

// New weaves the world that opts describe. It fails if opts are out of range
// or the world is too small for so many different questions.
func New(opts Options) (*World, error) {
	if opts.Suite != "" || opts.Traps != 0 {
		return nil, fmt.Errorf("weave: traps and suites are proved by a search engine: suite %q, %v traps", opts.Suite, opts.Traps)
	}
	if opts.Entities == 0 {
		opts.Entities = 1000
	}
	if opts.Mix == (Mix{}) {
		opts.Mix = DefaultMix()
	}
	if opts.Entities < MinEntities || opts.Entities > MaxEntities {
		return nil, fmt.Errorf("weave: a world of %d entities: want %d to %d", opts.Entities, MinEntities, MaxEntities)
	}
	if opts.Questions < 0 {
		return nil, fmt.Errorf("weave: %d questions, want 0 or more", opts.Questions)
	}
	if m := opts.Mix; min(m.Chain2, m.Chain3, m.Chain4, m.Intersection, m.Comparison, m.Chain5, m.Chain6, m.Braid) < 0 {
		return nil, fmt.Errorf("weave: a negative share in the mix of questions: %d chains of 2, %d of 3, %d of 4, %d intersections, %d comparisons",
			m.Chain2, m.Chain3, m.Chain4, m.Intersection, m.Comparison)
	}
	w := &World{opts: opts, starts: census(opts.Entities)}
	w.nameAll(seed.Rand(opts.Seed, "weave", "names"))
	w.facts = relate(w, seed.Rand(opts.Seed, "weave", "facts"))
	if err := w.ask(); err != nil {
		return nil, err
	}
	return w, nil
}

// perMille is the number of entities of each kind in a thousand. Persons are
// the rest.
var perMille = [entityKinds]int{
	film: 90, novel: 80, album: 40, play: 40, company: 70, university: 30, institute: 30, museum: 20,
	city: 90, country: 4, river: 20, mountain: 15, festival: 15, conference: 15, battle: 10, prize: 10,
}

// census divides n entities among the kinds: at least one of each, two where a
// question compares, and at most three hundred countries.
func census(n int) (starts [entityKinds + 1]uint32) {
	var count [entityKinds]int
	rest := n
	for k := range count {
		if kind(k) == person {
			continue
		}
		count[k] = max(1, n*perMille[k]/1000)
		switch kind(k) {
		case university, country, river, mountain:
			count[k] = max(2, count[k])
		}
		if kind(k) == country {
			count[k] = min(300, count[k])
		}
		rest -= count[k]
	}
	count[person] = rest
	for k, c := range count {
		starts[k+1] = starts[k] + uint32(c)
	}
	return starts
}

// Len returns the number of documents.
func (w *World) Len() int { return w.entities() + len(w.trapDocs) }

func (w *World) entities() int { return int(w.starts[entityKinds]) }

// Documents yields the articles in the order of their ids, which are decimal
// numbers from 0, each rendered when it is asked for, and then the traps.
func (w *World) Documents() iter.Seq[search.Document] {
	return func(yield func(search.Document) bool) {
		s := newScribe(w)
		for e := range uint32(w.entities()) {
			d := s.document(e)
			if more, ok := w.dated[e]; ok {
				d.Text += " " + more
			}
			if !yield(d) {
				return
			}
		}
		for _, d := range w.trapDocs {
			if !yield(d) {
				return
			}
		}
	}
}

// Questions returns the questions, which are shared: do not change them.
func (w *World) Questions() []Question { return w.questions }

// Traps returns the traps, in the order of their questions, which are shared
// likewise.
func (w *World) Traps() []Trap { return w.traps }

func (w *World) kind(e uint32) kind {
	k := kind(0)
	for e >= w.starts[k+1] {
		k++
	}
	return k
}

func (w *World) count(k kind) int { return int(w.starts[k+1] - w.starts[k]) }

// any returns an entity of kind k.
func (w *World) any(rng *rand.Rand, k kind) uint32 {
	return w.starts[k] + uint32(rng.IntN(w.count(k)))
}

func docID(e uint32) string { return strconv.FormatUint(uint64(e), 10) }
