package gnn

import (
	"fmt"
	"slices"

	"trawl/selection/graph"
)

// The defaults of [Config], from SEL-paper A.4; three ranks are what the paper's
// searches return.
const (
	DefaultHidden  = 256
	DefaultLayers  = 4
	DefaultHeads   = 4
	DefaultRanks   = 3
	DefaultDropout = 0.1
)

// A Config is what a model is. Two models of one Config have parameters of the
// same names and shapes. The zero value of every field but Variant and Embedding
// selects the paper's.
type Config struct {
	Variant   graph.Variant `json:"variant"`
	Embedding int           `json:"embedding"`            // length of a text's vector
	Hidden    int           `json:"hidden"`               // width of a state; default 256
	Layers    int           `json:"layers"`               // rounds of message passing; default 4
	Heads     int           `json:"heads"`                // of the readout's attention, a divisor of Hidden; default 4
	Ranks     int           `json:"ranks"`                // rank relations, see [graph.Rank]; default 3
	Dropout   float64       `json:"dropout"`              // in training; default 0.1
	NoDropout bool          `json:"no_dropout,omitempty"` // train without dropout
	Embedder  string        `json:"embedder"`             // name of the embedder whose vectors the model was trained on; "" fits any
	Ablation  Ablation      `json:"ablation"`
}

// An Ablation takes something from the model, or puts something in its place, to
// learn what it is worth (SEL-paper, ablation tables). The zero value is the
// whole model. The package comment says how each was read.
type Ablation struct {
	NoCross       bool  `json:"no_cross,omitempty"`       // no message passes between rollouts
	NoNetwork     bool  `json:"no_network,omitempty"`     // no message passing at all: encoders, then readout
	FixedQuery    bool  `json:"fixed_query,omitempty"`    // the readout asks with one learned vector instead of the answer
	MergeEvidence bool  `json:"merge_evidence,omitempty"` // evidence of one content is one node
	MergeAnswers  bool  `json:"merge_answers,omitempty"`  // equal answers are one candidate
	GraphReadout  bool  `json:"graph_readout,omitempty"`  // one readout of the graph, asked by the question, for all answers
	SharedContext bool  `json:"shared_context,omitempty"` // an answer reads the evidence of all rollouts
	Links         Links `json:"links,omitempty"`          // default content for webqa, document for long-horizon
}

// Links says by what two rollouts are joined.
type Links string

// The links.
const (
	LinksContent  Links = "content"  // evidence of equal text
	LinksDocument Links = "document" // the page that evidence belongs to; long-horizon only
	LinksBoth     Links = "both"     // long-horizon only
	LinksNone     Links = "none"
)

// content and document say which relations the links have.
func (l Links) content() bool  { return l == LinksContent || l == LinksBoth }
func (l Links) document() bool { return l == LinksDocument || l == LinksBoth }

// withDefaults returns c with the defaults in place of zeros.
func (c Config) withDefaults() Config {
	c.Hidden = orDefault(c.Hidden, DefaultHidden)
	c.Layers = orDefault(c.Layers, DefaultLayers)
	c.Heads = orDefault(c.Heads, DefaultHeads)
	c.Ranks = orDefault(c.Ranks, DefaultRanks)
	switch {
	case c.NoDropout:
		c.Dropout = 0
	case c.Dropout == 0:
		c.Dropout = DefaultDropout
	}
	if c.Ablation.Links == "" {
		c.Ablation.Links = LinksContent
		if c.Variant == graph.LongHorizon {
			c.Ablation.Links = LinksDocument
		}
	}
	return c
}

func orDefault(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

// validate says what is wrong with c, whose defaults are filled in. Its bounds
// keep a foreign file, or a slip of the hand, from asking for all memory at once.
func (c Config) validate() error {
	switch c.Variant {
	case graph.WebQA, graph.LongHorizon:
	case "":
		return fmt.Errorf("variant is missing: it is %q or %q", graph.WebQA, graph.LongHorizon)
	default:
		return fmt.Errorf("variant is %q: it is %q or %q", c.Variant, graph.WebQA, graph.LongHorizon)
	}
	for _, n := range []struct {
		name        string
		value, most int
	}{{"embedding", c.Embedding, 1 << 16}, {"hidden", c.Hidden, 1 << 13}, {"layers", c.Layers, 64}, {"heads", c.Heads, 1 << 10}, {"ranks", c.Ranks, 1 << 10}} {
		if n.value < 1 || n.value > n.most {
			return fmt.Errorf("%s is %d: it is 1 to %d", n.name, n.value, n.most)
		}
	}
	if c.Hidden%c.Heads != 0 {
		return fmt.Errorf("heads is %d: it divides hidden, which is %d", c.Heads, c.Hidden)
	}
	if !(c.Dropout >= 0 && c.Dropout < 1) {
		return fmt.Errorf("dropout is %v: it is at least 0 and below 1", c.Dropout)
	}
	return c.Ablation.validate(c.Variant)
}

func (a Ablation) validate(v graph.Variant) error {
	if !slices.Contains([]Links{LinksContent, LinksDocument, LinksBoth, LinksNone}, a.Links) {
		return fmt.Errorf("links is %q: it is %q, %q, %q or %q", a.Links, LinksContent, LinksDocument, LinksBoth, LinksNone)
	}
	if v == graph.WebQA && a.Links.document() {
		return fmt.Errorf("links is %q: %s has no documents, only %q or %q", a.Links, v, LinksContent, LinksNone)
	}
	if a.NoCross && a.MergeEvidence {
		return fmt.Errorf("no-cross and merge-evidence exclude each other: merged evidence joins rollouts by itself")
	}
	return nil
}
