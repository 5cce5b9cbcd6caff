package reader

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Goal is one hop: the object that Subject has by Rel or, with Back, the
// subject whose object it is.
type Goal struct {
	Rel     *Relation
	Subject string
	Back    bool
	Noun    string // the kind of thing that is sought on the way back; may be empty
}

// A Claim is what one sentence says about a goal.
type Claim struct {
	Value    string
	Page     int     // index of the passage on the shelf
	Strength float64 // how directly it is said; more is better
}

// Strengths of claims by where they stand.
const (
	onOwnPage   = 3.0 // on the page about the goal's subject
	onNearPage  = 1.6 // on a page with a similar title
	inPassing   = 2.0 // elsewhere, with the subject named
	cueDiscount = 0.01
)

// Claims returns what the shelf says about a goal, the most direct first, ties
// in reading order.
func (s *Shelf) Claims(g Goal) []Claim {
	claims := s.claims(g)
	if !s.Careful {
		return claims
	}
	return s.unrefuted(g, claims)
}

func (s *Shelf) claims(g Goal) []Claim {
	key := nameKey(g.Subject)
	if key == "" {
		return nil
	}
	r := &reading{goal: g, key: key, cues: cuesOf(g)}
	for i := range s.pages {
		r.read(&s.pages[i], i)
	}
	slices.SortStableFunc(r.claims, func(a, b Claim) int {
		switch {
		case a.Strength > b.Strength:
			return -1
		case a.Strength < b.Strength:
			return 1
		}
		return 0
	})
	return s.ofKind(r.claims, g.Noun)
}

// Likely returns values for a goal that nothing on the shelf states in words
// that are known: values of its kind on the page of its subject, those behind
// a preposition of place first where a place is wanted.
func (s *Shelf) Likely(g Goal) []string {
	key := nameKey(g.Subject)
	var near, far []string
	for i := range s.pages {
		p := &s.pages[i]
		if p.isAbout(key) < 2 {
			continue
		}
		for _, at := range p.split() {
			sentence := p.Text[at.start:at.end]
			for _, n := range spansOf(sentence, g.Rel.Kind) {
				value := clean(sentence[n.start:n.end], g.Rel.Kind)
				if partOf(nameKey(value), p.low[:min(len(p.low), 80)]) || partOf(nameKey(value), key) {
					continue // the name at the head of the page
				}
				before := sentence[:n.start]
				if g.Rel.Kind != Place || strings.HasSuffix(before, " in ") || strings.HasSuffix(before, " at ") || strings.HasSuffix(before, " near ") {
					near = append(near, value)
				} else {
					far = append(far, value)
				}
			}
		}
	}
	return append(near, far...)
}

// ofKind drops claims whose value, by its own page, is another kind of thing.
func (s *Shelf) ofKind(claims []Claim, noun string) []Claim {
	if noun == "" || oneOf(noun, "person|man|woman|organisation|organization") {
		return claims
	}
	kept := slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool {
		key := nameKey(c.Value)
		for i := range s.pages {
			p := &s.pages[i]
			if p.name == key {
				at := p.split()
				return len(at) > 0 && !holds(p.low[at[0].start:at[0].end], noun) && !holds(p.name, noun)
			}
		}
		return false
	})
	if len(kept) == 0 {
		return claims
	}
	return kept
}

// A reading collects the claims about one goal.
type reading struct {
	goal   Goal
	key    string
	cues   []cue
	claims []Claim

	page  *page
	index int
	about int
}

func (r *reading) read(p *page, index int) {
	r.page, r.index, r.about = p, index, p.isAbout(r.key)
	if r.about == 0 && !holds(p.low, r.key) {
		return
	}
	if r.about > 0 && !r.goal.Back {
		r.life()
	}
	for n, at := range p.split() {
		low, original := p.low[at.start:at.end], p.Text[at.start:at.end]
		mention := find(low, r.key, 0)
		if r.about == 0 && mention < 0 {
			continue
		}
		if r.goal.Rel.Kind == Trade && n > 0 && r.goal.Rel.Name != "deathcause" {
			break // what somebody is stands in the first sentence
		}
		for i := range r.cues {
			r.try(&r.cues[i], i, low, original)
		}
	}
}

// try reads one sentence by one cue.
func (r *reading) try(c *cue, rank int, low, original string) {
	for at, n := 0, 0; n < 3; n++ {
		start, end := c.find(low, original, at)
		if start < 0 {
			return
		}
		at = end
		var value string
		var ok bool
		if c.subject != r.goal.Back {
			value, ok = r.before(c, low, original, start, end)
		} else {
			value, ok = r.behind(c, low, original, start, end)
		}
		if ok {
			r.claim(value, float64(rank)*cueDiscount)
		}
	}
}

// behind reads a value that follows the cue, in a sentence about the subject.
func (r *reading) behind(c *cue, low, original string, start, end int) (string, bool) {
	if r.about == 0 {
		m := find(low, r.key, 0)
		if m > start || start-(m+len(r.key)) > 2*maxGap {
			return "", false
		}
	}
	kind := r.goal.Rel.Kind
	if r.goal.Back {
		kind = Any
	}
	if r.goal.Back && r.about == 0 && pronounAt(low, end) {
		return bareTitle(r.page.Title), true
	}
	at, ok := nextSpan(original, end, kind)
	if !ok {
		return "", false
	}
	if c.after != "" && !strings.HasPrefix(strings.TrimLeft(low[at.end:], " "), fold(c.after)) {
		return "", false
	}
	return clean(original[at.start:at.end], kind), true
}

// before reads a sentence whose cue announces the goal's subject: the value is
// the name before the cue, or what the page is about.
func (r *reading) before(c *cue, low, original string, start, end int) (string, bool) {
	if !r.names(low, end) {
		return "", false
	}
	if at, ok := subjectName(original, start); ok {
		value := original[at.start:at.end]
		if partOf(fold(value), r.page.name) {
			value = bareTitle(r.page.Title)
		}
		return value, true
	}
	if r.about == 2 {
		return "", false
	}
	return bareTitle(r.page.Title), true
}

// names reports whether the goal's subject is named right behind a cue: in
// full or, on its own page, by a pronoun, its kind or its last name.
func (r *reading) names(low string, end int) bool {
	m := find(low, r.key, end)
	if m >= 0 && m-end <= maxGap && strings.Count(low[end:m], " ") <= gapWords+1 {
		return true
	}
	if r.about == 0 {
		return false
	}
	return pronounAt(low, end) || strings.HasPrefix(strings.TrimLeft(low[end:], " "), r.key[strings.LastIndexByte(r.key, ' ')+1:])
}

// pronounAt reports whether a word that stands for the topic of a page follows.
func pronounAt(low string, end int) bool {
	rest := strings.TrimLeft(low[end:], " ")
	for _, w := range [...]string{"it", "him", "her", "them", "the film", "the movie", "the novel", "the book", "the album", "the play", "the company", "the university", "the institute", "the museum",
		"the city", "the country", "the river", "the mountain", "the festival", "the conference", "the battle", "the prize", "the band", "the song"} {
		if strings.HasPrefix(rest, w) && (len(rest) == len(w) || !isWordByte(rest[len(w)])) {
			return true
		}
	}
	return false
}

func (r *reading) claim(value string, discount float64) {
	key := nameKey(value)
	if key == "" || key == r.key || r.goal.Rel.Kind != Work && len(value) > 80 {
		return
	}
	if r.goal.Rel.Kind == Person && !r.goal.Back && strings.ContainsAny(value, "0123456789") {
		return
	}
	strength := inPassing
	switch r.about {
	case 2:
		strength = onOwnPage
	case 1:
		strength = onNearPage
	}
	r.claims = append(r.claims, Claim{Value: value, Page: r.index, Strength: strength - discount})
}

// subjectName returns the name that a sentence is about, as far as it stands
// before the byte at end: its first one, unless that only says where or when.
func subjectName(s string, end int) (span, bool) {
	for i, at := range names(s) {
		if at.end > end {
			break
		}
		if i == 0 && at.start > 0 && at.end < len(s) && s[at.end] == ',' && strings.Count(s[:at.start], " ") <= 2 {
			continue
		}
		return at, true
	}
	return span{}, false
}

// names returns the names in a sentence. A capital at its beginning does not
// make a name of a single common word.
func names(s string) []span {
	var out []span
	for at := 0; at < len(s); {
		if !startsName(s, at) {
			at++
			continue
		}
		n, ok := nextName(s, at, 0)
		if !ok {
			at = max(wordEnd(s, at), at+1)
			continue
		}
		at = max(n.end, at+1)
		if n, ok = trimName(s, n); ok {
			out = append(out, n)
		}
	}
	return out
}

// startsName reports whether a word that can begin a name begins at i.
func startsName(s string, i int) bool {
	if i > 0 && isWordByte(s[i-1]) || i > 0 && s[i-1] == '\'' {
		return false
	}
	c := s[i]
	return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '"' || c >= utf8.RuneSelf
}

// trimName drops the first word of a name that only begins a sentence, or the
// whole name if there is no more to it.
func trimName(s string, n span) (span, bool) {
	if n.start > 0 && s[n.start-1] == '"' {
		return n, true
	}
	first := wordEnd(s, n.start)
	low := fold(s[n.start:first])
	alone := first == n.end
	switch {
	case low == "the":
		return n, !alone
	case !isStop(low) && !(n.start == 0 && alone && followedByLower(s, first)):
		return n, true
	case alone || first+1 >= n.end:
		return n, false
	}
	return span{first + 1, n.end}, true
}

// partOf reports whether all words of name stand in title.
func partOf(name, title string) bool {
	for w := range strings.FieldsSeq(name) {
		if !holds(title, w) {
			return false
		}
	}
	return true
}

// bareTitle returns a title without what brackets add to it.
func bareTitle(title string) string {
	if i := strings.LastIndex(title, " ("); i > 0 && strings.HasSuffix(title, ")") {
		return title[:i]
	}
	return title
}

// clean gives a value the form in which it would be said.
func clean(value string, kind Kind) string {
	value = strings.Trim(value, " \"“”,;:")
	if kind != Trade {
		return value
	}
	words := strings.Fields(value)
	for len(words) > 1 && (isDemonym(fold(words[0])) || words[0][0] >= 'A' && words[0][0] <= 'Z') {
		words = words[1:]
	}
	return strings.Join(words, " ")
}
