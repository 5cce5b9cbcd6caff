// Package reader reads English as far as the simulated model needs it:
// [Understand] turns a question into a plan, a nest of relations around names,
// and [Question.Solve] follows the plan over a [Shelf] of passages as far as
// their sentences go. Where there is no plan, [Question.Guess] ranks spans of
// the passages by the words around them.
//
// Its knowledge is a lexicon of how some fifty relations are worded in questions
// and in encyclopedic prose (relation.go), and what names, dates and numbers
// look like. It knows no facts.
//
// It is no research into question answering: simple rules, chosen because they
// are quick and because they fail in ways that resemble models'.
//
// The lexicon is compiled on first use. A [Question] does not change after
// Understand and may be shared; a Shelf is for one goroutine.
package reader
