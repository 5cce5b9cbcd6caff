package weave

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The reader of this file knows the lexicon and nothing of how a world was
// made: it reads facts out of articles and questions out of their text, and
// answers by trying everything. It is the independent solver of the tests.

// A thing is an entity, by its title, or a literal, as text has it.
type thing struct {
	kind kind
	text string
}

// verdictKind is the kind of "yes" and "no".
const verdictKind = kind(255)

// A reading is a fact read in an article.
type reading struct {
	relation        relation
	subject, object string
}

// A reader holds what it has read.
type reader struct {
	titles map[string]kind
	facts  map[relation]map[string]string // object by subject
	docs   map[string][]reading           // by document id
	phrase []rule
	top    []rule
	memo   map[string][]derivation
}

// read reads all articles of w.
func read(w *World) *reader {
	r := &reader{
		titles: make(map[string]kind), facts: make(map[relation]map[string]string),
		docs: make(map[string][]reading), memo: make(map[string][]derivation),
	}
	for e := range uint32(w.Len()) {
		r.titles[w.name(e)] = w.kind(e)
	}
	patterns := sentencePatterns()
	for d := range w.Documents() {
		for _, sentence := range sentences(d.Text) {
			for _, f := range r.understand(patterns[r.titles[d.Title]], d.Title, sentence) {
				r.docs[d.ID] = append(r.docs[d.ID], f)
				if r.facts[f.relation] == nil {
					r.facts[f.relation] = make(map[string]string)
				}
				r.facts[f.relation][f.subject] = f.object
			}
		}
	}
	r.facts[birthyear] = make(map[string]string)
	for p, d := range r.facts[birthdate] {
		r.facts[birthyear][p] = d[strings.LastIndexByte(d, ' ')+1:]
	}
	r.phrase, r.top = phraseRules(r), topRules(r)
	return r
}

func sentences(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "."), ". ")
}

// A pattern is a sentence form with {} for its slots: "s", "o" or the name of
// a relation.
type pattern struct {
	form     string
	relation relation
	topic    string // the slot that the article's title fills
	slots    []string
}

var slot = regexp.MustCompile(`\{([^}]+)\}`)

// sentencePatterns returns the sentence forms by kind of topic.
func sentencePatterns() (byKind [entityKinds][]pattern) {
	add := func(k kind, form string, rel relation, topic string) {
		for _, word := range []string{"her", "his", "its", "is", "was"} {
			fixed := strings.NewReplacer("{p}", word, "{is}", word, "{s's}", "{s}", "{o's}", "{o}").Replace(form)
			p := pattern{slot.ReplaceAllString(strings.TrimSuffix(fixed, "."), "{}"), rel, topic, nil}
			for _, m := range slot.FindAllStringSubmatch(fixed, -1) {
				p.slots = append(p.slots, m[1])
			}
			byKind[k] = append(byKind[k], p)
			if fixed == strings.NewReplacer("{s's}", "{s}", "{o's}", "{o}").Replace(form) {
				return
			}
		}
	}
	for r, l := range lexicon {
		for _, k := range l.domain {
			for _, f := range l.says {
				add(k, f, relation(r), "s")
			}
		}
		for _, k := range l.object {
			for _, f := range l.inverse {
				add(k, f, relation(r), "o")
			}
		}
	}
	for k, list := range definitions {
		for _, f := range list {
			add(kind(k), f, 0, "s")
		}
	}
	return byKind
}

// understand returns the facts that a sentence of the article title states.
func (r *reader) understand(patterns []pattern, title, sentence string) []reading {
	var found []reading
	for _, p := range patterns {
		for _, parts := range splits(p.form, sentence) {
			for i, s := range p.slots {
				if s == p.topic && r.isTopic(parts[i], title) {
					found = r.stated(found, p, parts, title)
				}
			}
		}
	}
	return found
}

// stated adds to found the facts that the parts of a sentence of the shape p
// state about its topic title.
func (r *reader) stated(found []reading, p pattern, parts []string, title string) []reading {
	for i, s := range p.slots {
		f := reading{p.relation, title, parts[i]}
		switch s {
		case p.topic:
			continue
		case "o":
		case "s":
			f.subject, f.object = parts[i], title
		default:
			f.relation = relationOf(s)
		}
		if f, ok := r.typed(f); ok && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}

// isTopic reports whether mention can stand for the topic of the article.
func (r *reader) isTopic(mention, title string) bool {
	mention = strings.TrimSuffix(mention, "'s")
	switch strings.ToLower(mention) {
	case "it", "its", "she", "her", "he", "his", "the " + r.titles[title].String():
		return true
	}
	if r.titles[title] == person && mention == title[strings.IndexByte(title, ' ')+1:] {
		return true
	}
	return mention == title || strings.EqualFold(mention, "the "+title)
}

// typed returns f with the article of its ends taken off, if they are of kinds
// that its relation joins.
func (r *reader) typed(f reading) (reading, bool) {
	l := &lexicon[f.relation]
	f.subject = r.title(f.subject)
	k, ok := r.titles[f.subject]
	if !ok || !slices.Contains(l.domain, k) {
		return f, false
	}
	if joins(f.relation) {
		f.object = r.title(f.object)
		k, ok = r.titles[f.object]
		return f, ok && slices.Contains(l.object, k)
	}
	switch l.object[0] {
	case date:
		_, err := time.Parse("2 January 2006", f.object)
		return f, err == nil
	case trade:
		_, f.object, _ = strings.Cut(f.object, " ")
		return f, slices.Contains(trades, f.object)
	}
	return f, number.MatchString(f.object)
}

var number = regexp.MustCompile(`^\d+$`)

// title returns the title that mention is, after "the" or "The".
func (r *reader) title(mention string) string {
	mention = strings.TrimSuffix(mention, "'s")
	if _, ok := r.titles[mention]; !ok && len(mention) > 4 && strings.EqualFold(mention[:4], "the ") {
		return mention[4:]
	}
	return mention
}

// A rule reads text of the shape form, in which {} stands for noun phrases,
// and says what the whole stands for.
type rule struct {
	form  string
	name  string // equal for rules that mean the same
	apply func(args []thing) []thing
}

// A derivation is one way to read a noun phrase.
type derivation struct {
	tree string
	thing
}

// phrases returns the ways to read a noun phrase. One that stands for nothing,
// or for several things, is no reading of it.
func (r *reader) phrases(s string) []derivation {
	if d, ok := r.memo[s]; ok {
		return d
	}
	var all []derivation
	if k, ok := r.titles[r.title(s)]; ok {
		all = append(all, derivation{s, thing{k, r.title(s)}})
	}
	if number.MatchString(s) {
		all = append(all, derivation{s, thing{year, s}})
	}
	all = append(all, r.derive(r.phrase, s, true)...)
	r.memo[s] = all
	return all
}

// derive returns the readings of s by the rules. Only those with one result
// count if one is set.
func (r *reader) derive(rules []rule, s string, one bool) []derivation {
	var all []derivation
	for _, u := range rules {
		for _, parts := range splits(u.form, s) {
			for _, args := range r.combine(parts) {
				things := make([]thing, len(args))
				tree := u.name
				for i, a := range args {
					things[i] = a.thing
					tree += "(" + a.tree + ")"
				}
				found := u.apply(things)
				if one && len(found) != 1 {
					continue
				}
				for _, t := range found {
					if d := (derivation{tree, t}); !slices.Contains(all, d) {
						all = append(all, d)
					}
				}
			}
		}
	}
	return all
}

// combine returns every choice of a reading for each part.
func (r *reader) combine(parts []string) [][]derivation {
	all := [][]derivation{nil}
	for _, p := range parts {
		var next [][]derivation
		for _, d := range r.phrases(p) {
			for _, head := range all {
				next = append(next, append(slices.Clone(head), d))
			}
		}
		all = next
	}
	return all
}

// splits returns every way in which s has the shape form: what its {} are.
func splits(form, s string) [][]string {
	head, tail, found := strings.Cut(form, "{}")
	if !found {
		if form == s {
			return [][]string{nil}
		}
		return nil
	}
	if !strings.HasPrefix(s, head) {
		return nil
	}
	s = s[len(head):]
	next, _, more := strings.Cut(tail, "{}")
	var all [][]string
	for i := 1; i <= len(s); i++ {
		if !strings.HasPrefix(s[i:], next) || !more && len(s)-i != len(next) {
			continue
		}
		for _, rest := range splits(tail, s[i:]) {
			all = append(all, append([]string{s[:i]}, rest...))
		}
	}
	return all
}

// forward returns the object of rel for t, if it is of a kind of kinds.
func (r *reader) forward(rel relation, t thing, kinds []kind) []thing {
	o, ok := r.facts[rel][t.text]
	if !ok || !slices.Contains(lexicon[rel].domain, t.kind) {
		return nil
	}
	k := lexicon[rel].object[0]
	if joins(rel) {
		k = r.titles[o]
	}
	if !slices.Contains(kinds, k) {
		return nil
	}
	return []thing{{k, o}}
}

// backward returns the things of kind k for which the object of rel is t.
func (r *reader) backward(rel relation, t thing, k kind) []thing {
	if !joins(rel) && t.kind != lexicon[rel].object[0] {
		return nil
	}
	var all []thing
	for s, o := range r.facts[rel] {
		if o == t.text && r.titles[s] == k && slices.Contains(lexicon[rel].domain, k) {
			all = append(all, thing{k, s})
		}
	}
	slices.SortFunc(all, func(a, b thing) int { return strings.Compare(a.text, b.text) })
	return all
}

// forwardRules returns rules for forms that ask for or describe an object.
func (r *reader) forwardRules(rel relation, forms []string) []rule {
	var all []rule
	for _, f := range forms {
		kinds := [][]kind{lexicon[rel].object}
		if strings.Contains(f, "{k}") {
			kinds = nil
			for _, k := range lexicon[rel].object {
				kinds = append(kinds, []kind{k})
			}
		}
		for _, ks := range kinds {
			all = append(all, rule{strings.Replace(f, "{k}", ks[0].String(), 1), rel.String(),
				func(args []thing) []thing { return r.forward(rel, args[0], ks) }})
		}
	}
	return all
}

func phraseRules(r *reader) []rule {
	var all []rule
	for i, l := range lexicon {
		rel := relation(i)
		all = append(all, r.forwardRules(rel, l.nouns)...)
		for _, f := range l.whose {
			for _, k := range l.domain {
				// A phrase that names its kind without {k} is of the one domain.
				all = append(all, rule{strings.Replace(f, "{k}", k.String(), 1), "of-" + rel.String(),
					func(args []thing) []thing { return r.backward(rel, args[0], k) }})
			}
		}
	}
	return all
}

func topRules(r *reader) []rule {
	var all []rule
	for i, l := range lexicon {
		all = append(all, r.forwardRules(relation(i), l.asks)...)
	}
	for _, j := range joint {
		for _, f := range j.asks {
			all = append(all, rule{f, j.first.String() + "+" + j.second.String(), func(args []thing) []thing {
				return r.along([]relation{j.first, j.second}, args[0])
			}})
		}
	}
	for k := range kind(entityKinds) {
		all = append(all, r.meetRules(k)...)
	}
	return append(append(all, r.contestRules()...), r.sameRules()...)
}

// along follows relations from t.
func (r *reader) along(relations []relation, t thing) []thing {
	for _, rel := range relations {
		next := r.forward(rel, t, lexicon[rel].object)
		if next == nil {
			return nil
		}
		t = next[0]
	}
	return []thing{t}
}

// meetRules returns the rules for "Which k …?" with one to three statements.
func (r *reader) meetRules(k kind) []rule {
	type statement struct {
		relation relation
		text     string
	}
	var verbs, parts []statement
	for i, l := range lexicon {
		if !slices.Contains(l.domain, k) {
			continue
		}
		for _, v := range l.verbs {
			verbs = append(verbs, statement{relation(i), v})
		}
		for _, p := range l.parts {
			parts = append(parts, statement{relation(i), p})
		}
	}
	var all []rule
	add := func(form string, list ...statement) {
		name := k.String()
		for _, s := range list {
			form = strings.Replace(form, "{x}", s.text, 1)
			name += "&" + s.relation.String()
		}
		all = append(all, rule{form, name, func(args []thing) []thing {
			found := r.backward(list[0].relation, args[0], k)
			for i, s := range list[1:] {
				also := r.backward(s.relation, args[i+1], k)
				found = slices.DeleteFunc(found, func(t thing) bool { return !slices.Contains(also, t) })
			}
			return found
		}})
	}
	which := "Which " + k.String() + " "
	for _, a := range verbs {
		add(which+"{x}?", a)
		for _, b := range verbs {
			add(which+"{x} and {x}?", a, b)
			add(which+"{x} and also {x}?", a, b)
			for _, c := range verbs {
				add(which+"{x}, {x} and {x}?", a, b, c)
			}
		}
	}
	for _, a := range parts {
		for _, b := range verbs {
			add(which+"{x} {x}?", a, b)
		}
	}
	return all
}

// operands turns the slots of a comparison into {}.
var operands = strings.NewReplacer("{a}", "{}", "{b}", "{}")

func (r *reader) contestRules() []rule {
	var all []rule
	for _, c := range contests {
		for _, k := range c.kinds {
			add := func(forms []string, pick func(a, b thing, order int) thing) {
				for _, f := range forms {
					f = operands.Replace(strings.Replace(f, "{k}", k.String(), 1))
					all = append(all, rule{f, "compare-" + c.relation.String(), func(args []thing) []thing {
						order, ok := r.order(c.relation, args[0], args[1], k)
						if !ok {
							return nil
						}
						return []thing{pick(args[0], args[1], order)}
					}})
				}
			}
			add(c.least, func(a, b thing, order int) thing { return []thing{a, b}[(1+order)/2] })
			add(c.greatest, func(a, b thing, order int) thing { return []thing{a, b}[(1-order)/2] })
			add(c.less, func(a, b thing, order int) thing { return verdict(order < 0) })
		}
	}
	return all
}

func verdict(yes bool) thing {
	if yes {
		return thing{verdictKind, "yes"}
	}
	return thing{verdictKind, "no"}
}

// order compares the values of rel for a and b, which must be of kind k and
// differ.
func (r *reader) order(rel relation, a, b thing, k kind) (int, bool) {
	u, okU := r.facts[rel][a.text]
	v, okV := r.facts[rel][b.text]
	if a.kind != k || b.kind != k || !okU || !okV || u == v {
		return 0, false
	}
	return strings.Compare(sortable(u), sortable(v)), true
}

func sortable(v string) string {
	if t, err := time.Parse("2 January 2006", v); err == nil {
		return t.Format(time.DateOnly)
	}
	return fmt.Sprintf("%9s", v)
}

func (r *reader) sameRules() []rule {
	var all []rule
	for _, s := range same {
		for _, f := range s.asks {
			all = append(all, rule{operands.Replace(f), fmt.Sprint("same-", s.path), func(args []thing) []thing {
				if args[0].kind != args[1].kind || !slices.Contains(s.kinds, args[0].kind) {
					return nil
				}
				a, b := r.along(s.path, args[0]), r.along(s.path, args[1])
				if a == nil || b == nil {
					return nil
				}
				return []thing{verdict(a[0] == b[0])}
			}})
		}
	}
	return all
}

func TestSplits(t *testing.T) {
	got := fmt.Sprint(splits("a {} b {} c", "a x b y b z c"))
	if want := "[[x y b z] [x b y z]]"; got != want {
		t.Errorf("splits = %s, want %s", got, want)
	}
	if got := splits("a {}", "b x"); got != nil {
		t.Errorf("splits of another shape = %v", got)
	}
}
