package gnn

import "trawl/selection/graph"

// A kind is a kind of node.
type kind int

// The kinds, in the order in which their states stand in one matrix.
const (
	query kind = iota
	subquery
	evidence
	document
	answer
	kinds
)

// typeName is what a kind is called in the names of parameters, where the kinds
// of the variants have names of their own.
func typeName(v graph.Variant, k kind) string {
	webqa := v == graph.WebQA
	switch {
	case k == query:
		return "query"
	case k == subquery:
		return "subquery"
	case k == document:
		return "document"
	case k == answer && webqa:
		return "answer"
	case k == answer:
		return "response"
	case webqa:
		return "chunk_occurrence"
	}
	return "evidence"
}

// encoderName is [typeName] for encoders: WebQA encodes a chunk, and looks it up
// for each of its occurrences.
func encoderName(v graph.Variant, k kind) string {
	if v == graph.WebQA && k == evidence {
		return "chunk"
	}
	return typeName(v, k)
}

// encoded are the kinds that begin with a text, in the order of their parameters.
var encoded = [...]kind{query, answer, subquery, evidence}

// A relation is a way that messages pass in a model.
type relation struct {
	name           graph.Relation
	source, target kind
}

// relations returns the ways that messages pass in a model of c, in the order of
// its parameters (methods.md A.2 and A.3).
func (c Config) relations() []relation {
	if c.Ablation.NoNetwork {
		return nil
	}
	var list []relation
	if c.Variant == graph.WebQA {
		list = append(list, relation{graph.Starts, query, subquery}, relation{graph.Next, subquery, subquery})
		for n := range c.Ranks {
			list = append(list, relation{graph.Rank(n + 1), subquery, evidence})
		}
		for n := range c.Ranks {
			list = append(list, relation{graph.RankOf(n + 1), evidence, subquery})
		}
	} else {
		if c.hasDocuments() {
			list = append(list, relation{graph.BelongsTo, evidence, document}, relation{graph.Contains, document, evidence})
		}
		list = append(list,
			relation{graph.Opens, subquery, evidence}, relation{graph.OpenedBy, evidence, subquery},
			relation{graph.Finds, subquery, evidence}, relation{graph.FoundBy, evidence, subquery},
			relation{graph.Next, subquery, subquery}, relation{graph.Previous, subquery, subquery})
	}
	if c.hasContents() {
		list = append(list, relation{graph.SameContentIntra, evidence, evidence})
		if !c.Ablation.NoCross {
			list = append(list, relation{graph.SameContentCross, evidence, evidence})
		}
	}
	return list
}

// hasDocuments says whether documents are nodes of the network.
func (c Config) hasDocuments() bool {
	return !c.Ablation.NoNetwork && c.Ablation.Links.document()
}

// hasContents says whether evidence of equal content is joined by relations;
// merged evidence is one node instead.
func (c Config) hasContents() bool {
	return !c.Ablation.NoNetwork && c.Ablation.Links.content() && !c.Ablation.MergeEvidence
}

// updated returns the kinds whose states change in a layer.
func (c Config) updated() []kind {
	if c.hasDocuments() {
		return []kind{subquery, evidence, document}
	}
	return []kind{subquery, evidence}
}
