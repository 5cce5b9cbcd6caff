package weave

import (
	"math/rand/v2"
	"strings"
)

// A speaker puts paths and arms into words, with the forms of the lexicon
// chosen by chance.
type speaker struct {
	w   *World
	rng *rand.Rand
}

// literal returns the value v of kind k as a sentence has it.
func (w *World) literal(k kind, v uint32) string {
	if k.isEntity() {
		return string(w.appendThe(nil, v))
	}
	return string(appendLiteral(nil, k, v))
}

// noun returns a phrase for what p leads to. A phrase with a possessive name
// is among them only if tight: see [lexicon].
func (s speaker) noun(p path, tight bool) string {
	n := len(p.hops)
	if n == 0 {
		return s.w.literal(p.kind, p.start)
	}
	h := p.hops[n-1]
	forms := lexicon[h.relation].nouns
	if h.back {
		forms = lexicon[h.relation].whose
	}
	form := pick(s.rng, forms)
	for strings.HasPrefix(form, "{}") && !(tight && n == 1) {
		form = pick(s.rng, forms)
	}
	return s.around(form, path{p.kind, p.start, p.hops[:n-1]}, h.kind)
}

// around returns form around the phrase for p; k is the kind of what form
// stands for.
func (s speaker) around(form string, p path, k kind) string {
	tight := !strings.HasSuffix(form, "{}") && !strings.HasSuffix(form, "of {}?")
	form = strings.Replace(form, "{k}", k.String(), 1)
	return strings.Replace(form, "{}", s.noun(p, tight), 1)
}

// chain returns a question for what p, of at least two hops, leads to.
func (s speaker) chain(p path) string {
	n := len(p.hops)
	last, before := p.hops[n-1], p.hops[n-2]
	inner := path{p.kind, p.start, p.hops[:n-1]}
	if last.back {
		return s.around("Which {k} "+pick(s.rng, lexicon[last.relation].verbs)+"?", inner, last.kind)
	}
	asks := lexicon[last.relation].asks
	for _, j := range joint {
		if j.first == before.relation && !before.back && j.second == last.relation && s.rng.IntN(2) == 0 {
			asks, inner.hops = j.asks, p.hops[:n-2]
		}
	}
	return s.around(pick(s.rng, asks), inner, last.kind)
}

// meet returns a question for the thing of kind k of which arms hold.
func (s speaker) meet(k kind, arms []arm) string {
	form := pick(s.rng, meets[len(arms)])
	first := arms[0]
	for strings.Contains(form, "{part}") && (len(first.known.hops) > 0 || len(arms[1].known.hops) > 0) {
		form = pick(s.rng, meets[len(arms)])
	}
	form = strings.Replace(form, "{k}", k.String(), 1)
	for _, a := range arms {
		slot, forms := "{verb}", lexicon[a.relation].verbs
		if strings.Contains(form, "{part}") {
			slot, forms = "{part}", lexicon[a.relation].parts
		}
		form = strings.Replace(form, slot, s.around(pick(s.rng, forms), a.known, k), 1)
	}
	return form
}

// compare returns form with a and b in its places; k is their kind.
func (s speaker) compare(form string, a, b path, k kind) string {
	form = strings.Replace(form, "{k}", k.String(), 1)
	form = strings.Replace(form, "{a}", s.noun(a, false), 1)
	return strings.Replace(form, "{b}", s.noun(b, false), 1)
}

// statement returns the fact t as a plain sentence with full names.
func (w *World) statement(t fact) string {
	object := lexicon[t.relation].object[0]
	o := w.literal(object, t.object)
	if object == trade {
		o = article(trades[t.object]) + o
	}
	subject := string(w.appendThe(nil, t.subject))
	sentence := strings.NewReplacer("{s's}", subject+"'s", "{s}", subject, "{o}", o).Replace(lexicon[t.relation].says[0])
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

// golden returns the answer v of kind k and the other forms in which it is
// right.
func (w *World) golden(k kind, v uint32) []string {
	if k.isEntity() {
		return []string{w.name(v)}
	}
	plain := w.literal(k, v)
	switch k {
	case date:
		day, rest, _ := strings.Cut(plain, " ")
		month, year, _ := strings.Cut(rest, " ")
		return []string{plain, month + " " + day + ", " + year, isoDate(v)}
	case kilometres:
		return []string{plain, plain + " kilometres", plain + " km"}
	case metres:
		return []string{plain, plain + " metres", plain + " m"}
	}
	return []string{plain}
}
