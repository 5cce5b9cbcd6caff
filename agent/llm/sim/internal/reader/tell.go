package reader

// Sought returns the relation whose object or subject the question is after; nil
// if there is no plan or it compares.
func (q *Question) Sought() *Relation {
	switch {
	case q.Root == nil:
	case q.Root.Op == Follow:
		return q.Root.Rel
	case q.Root.Op == Meet:
		return q.Root.Args[0].Rel
	}
	return nil
}

// Tells reports whether a passage says value to be what the question is after,
// of whatever its page is about: a reader's quick look whether an answer was
// found or made up. Where the relation is not known, it looks whether a page has
// the value and the question's words.
func (s *Shelf) Tells(q *Question, value string) bool {
	rel, key := q.Sought(), nameKey(value)
	if key == "" {
		return false
	}
	for i := range s.pages {
		p := &s.pages[i]
		if rel == nil {
			if holds(p.low, key) && len(q.Content) > 0 && findStem(p.low, stemOf(q.Content[0]), 0) >= 0 {
				return true
			}
			continue
		}
		if !holds(p.low, key) && p.name != key {
			continue
		}
		alone := Shelf{pages: s.pages[i : i+1]}
		for _, c := range alone.Claims(Goal{Rel: rel, Subject: bareTitle(p.Title)}) {
			if nameKey(c.Value) == key || p.name == key {
				return true
			}
		}
	}
	return false
}
