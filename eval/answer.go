package eval

import (
	"strings"

	"trawl/corpus/dataset"
	"trawl/internal/text"
)

// Marks are what one answer earns against its gold answers, each the best over
// the golds.
type Marks struct {
	EM       bool    // the normal forms are equal
	F1       float64 // of the tokens of the normal forms
	Contains bool    // the normal form of a gold stands within that of the answer
}

// Mark marks an answer by the gold answers of e and by the rule of its source.
// An answer that is not there ("") earns nothing, whatever the golds are; an
// example without golds gives no marks either, and is not to be marked.
func Mark(e dataset.Example, answer string) Marks {
	if answer == "" {
		return Marks{}
	}
	return Marks{
		EM:       ExactMatch(answer, e.Golds),
		F1:       F1(answer, e.Golds, RuleOf(e.Source)),
		Contains: Contains(answer, e.Golds),
	}
}

// ExactMatch reports whether the answer and one of the golds have the same
// normal form, [text.Answer]. As in the official scripts, normal forms that are
// empty ("The", "A", "!!!") are equal to each other.
func ExactMatch(answer string, golds []string) bool {
	normal := text.Answer(answer)
	for _, g := range golds {
		if text.Answer(g) == normal {
			return true
		}
	}
	return false
}

// Contains reports whether the normal form of a gold is a substring of that of
// the answer: Search-R1's sub-EM, FlashRAG's acc. It is not exact match: "not
// Paris but Lyon" contains "Paris". A gold whose normal form is empty, which
// would stand within every answer, is only within one that is empty too.
func Contains(answer string, golds []string) bool {
	normal := text.Answer(answer)
	for _, g := range golds {
		g = text.Answer(g)
		if g == normal || g != "" && strings.Contains(normal, g) {
			return true
		}
	}
	return false
}

// A Rule is a variant of F1.
type Rule int

const (
	// YesNo is the rule of HotpotQA, 2WikiMultihopQA and FlashRAG: if either
	// side is yes, no or noanswer and the other is not the same, F1 is 0.
	YesNo Rule = iota
	// Plain is the rule of SQuAD 2 and MuSiQue: tokens only.
	Plain
)

// RuleOf returns the rule by which a data set's own script computes F1, named
// by dataset.Example.Source: Plain for "musique", YesNo for all others.
func RuleOf(source string) Rule {
	if source == "musique" {
		return Plain
	}
	return YesNo
}

// F1 returns the best F1 of the answer over the golds,
//
//	F1 = 2PR/(P+R) = 2·overlap / (|answer| + |gold|)
//
// over the multisets of the tokens of the normal forms; 0 without overlap. Two
// empty multisets agree, with F1 1, under both rules (MuSiQue's script says so;
// HotpotQA's gives 0 there while its EM is 1, and EM ≤ F1 must hold).
func F1(answer string, golds []string, rule Rule) float64 {
	normal := text.Answer(answer)
	best := 0.0
	for _, g := range golds {
		best = max(best, f1(normal, text.Answer(g), rule))
	}
	return best
}

func f1(answer, gold string, rule Rule) float64 {
	if answer == gold {
		return 1
	}
	if rule == YesNo && (isVerdict(answer) || isVerdict(gold)) {
		return 0
	}
	a, g := text.Fields(answer), text.Fields(gold)
	count := make(map[string]int, len(g))
	for _, token := range g {
		count[token]++
	}
	overlap := 0
	for _, token := range a {
		if count[token] > 0 {
			count[token]--
			overlap++
		}
	}
	if overlap == 0 {
		return 0
	}
	return 2 * float64(overlap) / float64(len(a)+len(g))
}

func isVerdict(normal string) bool {
	return normal == "yes" || normal == "no" || normal == "noanswer"
}
