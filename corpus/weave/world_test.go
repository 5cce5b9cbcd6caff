package weave

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trawl/internal/seed"
	"trawl/internal/text"
)

func mustNew(t testing.TB, opts Options) *World {
	t.Helper()
	w, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A reader that knows the lexicon alone gets along with a world.
func TestReader(t *testing.T) {
	w := mustNew(t, Options{Seed: 5, Entities: 500, Questions: 250})
	r := read(w)
	t.Run("articles state the facts", func(t *testing.T) { articlesStateTheFacts(t, w, r) })
	t.Run("questions have one answer", func(t *testing.T) { questionsHaveOneAnswer(t, w, r) })
	t.Run("the oracle finds it", func(t *testing.T) { oracleFinds(t, w, r) })
}

// The articles alone hold every fact, and nothing that is not one.
func articlesStateTheFacts(t *testing.T, w *World, r *reader) {
	for e := range uint32(w.Len()) {
		own := r.docs[docID(e)]
		for _, f := range w.facts.about(e) {
			want := reading{f.relation, w.name(e), w.objectText(f)}
			if !slices.Contains(own, want) {
				t.Errorf("the article %q does not state %v", w.name(e), want)
			}
		}
	}
	id := make(map[string]uint32)
	for e := range uint32(w.Len()) {
		id[w.name(e)] = e
	}
	inverse := 0
	for doc, list := range r.docs {
		for _, f := range list {
			fact, ok := w.facts.stored(id[f.subject], f.relation)
			if !ok || w.objectText(fact) != f.object {
				t.Errorf("document %s states %v, which is no fact", doc, f)
			}
			if docID(id[f.subject]) != doc {
				inverse++
			}
		}
	}
	if inverse < w.Len()/10 {
		t.Errorf("%d facts are mentioned in the article of their object, want more than a tenth of %d", inverse, w.Len())
	}
}

// objectText returns the object of t as a reader without the world has it.
func (w *World) objectText(t fact) string {
	if joins(t.relation) {
		return w.name(t.object)
	}
	return w.literal(lexicon[t.relation].object[0], t.object)
}

// Every question has one reading and that one answer, by a solver that knows
// only the articles and the question's text.
func questionsHaveOneAnswer(t *testing.T, w *World, r *reader) {
	for _, q := range w.Questions() {
		found := r.derive(r.top, q.Text, false)
		if len(found) != 1 {
			t.Errorf("%s has %d readings or answers, want 1: %v", q.Text, len(found), found)
			continue
		}
		if found[0].text != q.Answers[0] {
			t.Errorf("%s: the answer is %q, not %q", q.Text, found[0].text, q.Answers[0])
		}
		if m := looseName.FindString(q.Text); m != "" {
			t.Errorf("%s: it is left open whose %q is meant", q.Text, m)
		}
		if k := found[0].kind; k != verdictKind && k.String() != q.AnswerKind || k == verdictKind && q.AnswerKind != "yes/no" {
			t.Errorf("%s: answer kind %s", q.Text, q.AnswerKind)
		}
	}
}

// The oracle can be replayed: each step asks about what is known by then, its
// documents state its subconclusion, and the last one holds the answer.
func oracleFinds(t *testing.T, w *World, r *reader) {
	patterns := sentencePatterns()
	for _, q := range w.Questions() {
		known := q.Text
		for i, s := range q.Oracle {
			asked := append(r.named(s.Args.Query), fourDigits.FindAllString(s.Args.Query, -1)...)
			unknown := func(title string) bool { return !strings.Contains(known, title) }
			answered := func(title string) bool { return strings.Contains(s.Subconclusion, title) }
			if slices.ContainsFunc(asked, unknown) || !slices.ContainsFunc(asked, answered) {
				t.Errorf("%s: step %d asks %q, which is not known by then or not answered by %q", q.Text, i, s.Args.Query, s.Subconclusion)
			}
			plain, _, _ := strings.Cut(strings.TrimSuffix(s.Subconclusion, "."), "; the answer is ")
			for _, id := range s.DocIDs {
				if n, _ := strconv.Atoi(id); !states(r, patterns, id, w.name(uint32(n)), plain) {
					t.Errorf("%s: document %s does not state %q", q.Text, id, plain)
				}
				if !slices.Contains(q.Supporting, id) {
					t.Errorf("%s: document %s is not among the supporting ones", q.Text, id)
				}
			}
			known += " " + s.Subconclusion
		}
		if q.AnswerKind == "occupation" {
			if before := q.Oracle[len(q.Oracle)-2].Subconclusion; !revealsNoTrade.MatchString(before) {
				t.Errorf("%s: %q gives the occupation away", q.Text, before)
			}
		}
		if last := q.Oracle[len(q.Oracle)-1].Subconclusion; !strings.Contains(last, q.Answers[0]) {
			t.Errorf("%s: the last subconclusion %q does not hold %q", q.Text, last, q.Answers[0])
		}
		if len(q.Oracle) != q.Complexity.Hops {
			t.Errorf("%s: %d steps for %d hops", q.Text, len(q.Oracle), q.Complexity.Hops)
		}
	}
}

// states reports whether the document id states what the sentence states about
// its topic.
func states(r *reader, patterns [entityKinds][]pattern, id, title, sentence string) bool {
	for _, f := range r.understand(patterns[r.titles[title]], title, sentence) {
		if slices.Contains(r.docs[id], f) {
			return true
		}
	}
	return false
}

var (
	revealsNoTrade = regexp.MustCompile("is married to|studied under|was founded by|first winner")
	fourDigits     = regexp.MustCompile(`\b\d{4}\b`)
	looseName      = regexp.MustCompile(`\b[a-z]+ of (the )?[A-Z][^?]*'s [a-z ]+\?`)
)

// named returns the titles that stand in s and are no part of a longer one.
func (r *reader) named(s string) []string {
	var all []string
	for title := range r.titles {
		if strings.Contains(s+" ", " "+title+" ") {
			all = append(all, title)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(t string) bool {
		return slices.ContainsFunc(all, func(u string) bool { return u != t && strings.Contains(u, t) })
	})
}

// No statement of an intersection is enough by itself.
func TestArmsNeedEachOther(t *testing.T) {
	w := mustNew(t, Options{Seed: 6, Entities: 1000})
	a := &asker{w: w, rng: seed.Rand(1, "arms")}
	drawn := 0
	for e := range uint32(w.Len()) {
		arms, ok := a.arms(e, 2)
		if !ok {
			continue
		}
		drawn++
		for _, m := range arms {
			if joins(m.relation) && len(w.holders(m.relation, m.known.start, w.kind(e))) < 2 {
				t.Errorf("%q alone has the %s %q", w.name(e), m.relation, w.name(m.known.start))
			}
		}
	}
	if drawn < 200 {
		t.Errorf("%d entities of %d have two statements, want more", drawn, w.Len())
	}
}

func TestGoldenAnswers(t *testing.T) {
	w := mustNew(t, Options{Seed: 6})
	tests := []struct {
		kind  kind
		value uint32
		want  []string
	}{
		{date, newDate(1951, 3, 12), []string{"12 March 1951", "March 12, 1951", "1951-03-12"}},
		{year, 1902, []string{"1902"}},
		{kilometres, 412, []string{"412", "412 kilometres", "412 km"}},
		{metres, 2841, []string{"2841", "2841 metres", "2841 m"}},
		{trade, novelist, []string{"novelist"}},
		{river, w.starts[river], []string{w.name(w.starts[river])}}, // without "the"
	}
	for _, tt := range tests {
		if got := w.golden(tt.kind, tt.value); !slices.Equal(got, tt.want) {
			t.Errorf("golden(%s, %d) = %q, want %q", tt.kind, tt.value, got, tt.want)
		}
	}
}

// The seed reaches names and facts, each by itself.
func TestSeedReachesAll(t *testing.T) {
	a, b := mustNew(t, Options{Seed: 1}), mustNew(t, Options{Seed: 2})
	if slices.Equal(a.names, b.names) {
		t.Error("the seed does not matter to names")
	}
	if slices.Equal(a.facts.all, b.facts.all) {
		t.Error("the seed does not matter to facts")
	}
}

func TestNames(t *testing.T) {
	w := mustNew(t, Options{Seed: 2, Entities: 60000})
	seen := make(map[string]bool)
	surname := make(map[string]int)
	for e := range uint32(w.Len()) {
		name := w.name(e)
		norm := text.Answer(name)
		if seen[norm] || famous[norm] {
			t.Errorf("the name %q is taken", name)
		}
		seen[norm] = true
		for _, bad := range []string{" and ", " or ", " where ", "'s", ",", ".", "\""} {
			if strings.Contains(name, bad) {
				t.Errorf("the name %q holds %q, which questions are built with", name, bad)
			}
		}
		if w.kind(e) == person {
			surname[name[strings.IndexByte(name, ' '):]]++
		}
	}
	if persons := w.count(person); len(surname) > persons/3 {
		t.Errorf("%d persons have %d surnames, want at most a third as many", persons, len(surname))
	}
	near := 0
	for e := w.starts[film]; e < w.starts[company]; e++ {
		if root := w.names[e].root; w.names[e+1].root == root || w.names[e-1].root == root {
			near++
		}
	}
	if works := int(w.starts[company] - w.starts[film]); near < works/4 {
		t.Errorf("%d of %d works have a neighbour with the same words, want a quarter", near, works)
	}
}

func TestFactsAreSound(t *testing.T) {
	w := mustNew(t, Options{Seed: 4, Entities: 5000})
	object := func(e uint32, r relation) uint32 { o, _ := w.facts.object(e, r); return o }
	for i, f := range w.facts.all {
		l := &lexicon[f.relation]
		if !slices.Contains(l.domain, w.kind(f.subject)) || !slices.Contains(l.object, w.objectKind(f.relation, f)) {
			t.Errorf("fact %v joins kinds that its relation does not", f)
		}
		if i > 0 && w.facts.all[i-1].subject == f.subject && w.facts.all[i-1].relation == f.relation {
			t.Errorf("two facts of one relation: %v", f)
		}
		switch f.relation {
		case spouse:
			if object(f.object, spouse) != f.subject || f.object == f.subject {
				t.Errorf("spouse %v is one-sided", f)
			}
		case mentor:
			if object(f.object, birthyear)+10 > object(f.subject, birthyear) {
				t.Errorf("mentor %v is younger", f)
			}
		case parent:
			if f.object >= f.subject {
				t.Errorf("parent %v could close a ring", f)
			}
		case basis:
			if object(f.object, published) >= object(f.subject, released) {
				t.Errorf("film %v precedes its novel", f)
			}
		case capital:
			if object(f.object, located) != f.subject {
				t.Errorf("capital %v lies abroad", f)
			}
		case author:
			if object(f.object, birthyear)+20 > object(f.subject, published) {
				t.Errorf("novel %v was written by a child", f)
			}
		}
	}
}

// The index by object has each joining fact once.
func TestInverseIndex(t *testing.T) {
	w := mustNew(t, Options{Seed: 4, Entities: 1000})
	n := 0
	for e := range uint32(w.Len()) {
		for _, i := range w.facts.of(e) {
			if f := w.facts.all[i]; f.object != e || !joins(f.relation) {
				t.Errorf("fact %v is listed under %d", f, e)
			}
			n++
		}
	}
	want := 0
	for _, f := range w.facts.all {
		if joins(f.relation) {
			want++
		}
	}
	if n != want {
		t.Errorf("%d facts are indexed, want %d", n, want)
	}
}

func TestPlain(t *testing.T) {
	over := func(relations ...relation) path {
		var p path
		for _, r := range relations {
			p.hops = append(p.hops, hop{relation: r})
		}
		return p
	}
	tests := []struct {
		path path
		want bool
	}{
		{over(director, occupation), true},
		{over(mayor, occupation), true},
		{over(director, spouse, occupation), false},
		{over(founder, occupation), false},
		{over(director, birthplace), false},
	}
	for _, tt := range tests {
		if got := plain(tt.path); got != tt.want {
			t.Errorf("plain(%v) = %v, want %v", tt.path.hops, got, tt.want)
		}
	}
}

func TestStraight(t *testing.T) {
	p := path{kind: film, start: 7, hops: []hop{{director, false, person}, {spouse, false, person}, {birthyear, false, year}}}
	tests := []struct {
		reached []uint32
		want    bool
	}{
		{[]uint32{1, 2, 1900}, true},
		{[]uint32{1, 7, 1900}, false}, // back at the start
		{[]uint32{1, 1, 1900}, false}, // in a circle
		{[]uint32{1, 2, 7}, true},     // the year 7 is no entity
	}
	for _, tt := range tests {
		if got := straight(p, tt.reached); got != tt.want {
			t.Errorf("straight over %v = %v, want %v", tt.reached, got, tt.want)
		}
	}
}

func TestApportion(t *testing.T) {
	forms := func(shares ...int) []form {
		var all []form
		for _, s := range shares {
			all = append(all, form{share: s})
		}
		return all
	}
	tests := []struct {
		n      int
		shares []int
		want   []int
	}{
		{100, []int{25, 20, 10, 25, 20}, []int{25, 20, 10, 25, 20}},
		{10, []int{1, 1, 1}, []int{4, 3, 3}}, // 3⅓ each: the one left goes to the first
		{7, []int{1, 2, 0}, []int{2, 5, 0}},  // 2⅓ and 4⅔
		{0, []int{1, 2, 3}, []int{0, 0, 0}},
		{1, []int{1, 5, 1}, []int{0, 1, 0}},
	}
	for _, tt := range tests {
		if got := apportion(tt.n, forms(tt.shares...)); !slices.Equal(got, tt.want) {
			t.Errorf("apportion(%d, %v) = %v, want %v", tt.n, tt.shares, got, tt.want)
		}
	}
}

func TestComplexity(t *testing.T) {
	tests := []struct {
		hops, constraints, branching int
		want                         float64
	}{
		{2, 1, 1, 2},
		{2, 2, 2, 3.0}, // 2 + 0.5·1 + 0.5·1, the specification's example
		{3, 2, 1, 3.5}, // 3 + 0.5·1 + 0.5·0, likewise
		{4, 3, 2, 5.5}, // 4 + 0.5·2 + 0.5·1: the example's 6.0 less its trap
	}
	for _, tt := range tests {
		if got := newComplexity(tt.hops, tt.constraints, tt.branching).C; got != tt.want {
			t.Errorf("C(%d, %d, %d) = %v, want %v", tt.hops, tt.constraints, tt.branching, got, tt.want)
		}
	}
}

func TestTells(t *testing.T) {
	tests := []struct {
		question string
		names    []string
		want     bool
	}{
		{"Who directed The Silent Harbor Light?", []string{"The Silent Harbor"}, true},
		{"Who directed The Silent Harbors?", []string{"The Silent Harbor"}, false},
		{"Where was Mira Voss's spouse born?", []string{"Mira Vosse"}, false},
		{"Which film came out in 1951?", []string{"the Hal River", "1951"}, true},
	}
	for _, tt := range tests {
		if got := tells(tt.question, tt.names); got != tt.want {
			t.Errorf("tells(%q, %q) = %v, want %v", tt.question, tt.names, got, tt.want)
		}
	}
}

func TestPlural(t *testing.T) {
	for in, want := range map[string]string{
		"Harbor": "Harbors", "Wolf": "Wolves", "Branch": "Branches", "Ferry": "Ferries", "Valley": "Valleys",
		"Sky": "Skies", "Key": "Keys", "Reef": "Reefs", "Arch": "Arches",
	} {
		if got := plural(in); got != want {
			t.Errorf("plural(%q) = %q, want %q", in, got, want)
		}
	}
	for _, s := range things {
		if end := plural(s)[len(s)-1:]; strings.HasSuffix(end, "ss") || strings.HasSuffix(end, "xs") {
			t.Errorf("plural(%q) = %q", s, plural(s))
		}
	}
}

// The lexicon is whole: forms have their slots, and what questions need is
// there.
func TestLexicon(t *testing.T) {
	for i, l := range lexicon {
		r := relation(i)
		if r != birthyear && len(l.says) == 0 || len(l.asks) < 2 || l.query == "" {
			t.Errorf("%s lacks forms", r)
		}
		if joins(r) && len(l.nouns) < 2 {
			t.Errorf("%s has %d noun phrases, want 2 or more", r, len(l.nouns))
		}
		if joins(r) && len(l.verbs)+len(l.whose) > 0 && l.back == "" {
			t.Errorf("%s has no query for its subject", r)
		}
		for _, f := range slices.Concat(l.says, l.inverse) {
			if strings.Count(f, "{s}")+strings.Count(f, "{s's}") != 1 || strings.Count(f, "{o}")+strings.Count(f, "{o's}") != 1 {
				t.Errorf("%s: %q does not state one subject and one object", r, f)
			}
		}
		for _, f := range slices.Concat(l.nouns, l.asks, l.whose, l.parts, l.verbs, []string{l.query}) {
			if strings.Count(f, "{}") != 1 {
				t.Errorf("%s: %q does not have one known end", r, f)
			}
		}
	}
	for k, list := range definitions {
		if len(list) < 2 || len(fillers[k]) < 10 {
			t.Errorf("%s: too little variety", kind(k))
		}
	}
}
