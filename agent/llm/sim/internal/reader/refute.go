package reader

import (
	"slices"
	"strings"
)

// Refuted reports whether the page of a thing speaks against what only
// compilations say of it: against value as the object of the goal's subject, or
// on the way back against the subject as the object of value.
func (s *Shelf) Refuted(g Goal, value string) bool { return s.refuted(g, value, s.claims(g)) }

// refuted is [Shelf.Refuted] for claims about g that were read before.
func (s *Shelf) refuted(g Goal, value string, claims []Claim) bool {
	key, subject := nameKey(value), nameKey(g.Subject)
	said := false
	for _, c := range claims {
		if nameKey(c.Value) != key {
			continue
		}
		if !s.pages[c.Page].compiled() {
			return false
		}
		said = true
	}
	if !said {
		return false
	}
	if g.Back {
		claims, key = s.claims(Goal{Rel: g.Rel, Subject: value}), subject
	}
	return stands(claims, "") && !stands(claims, key)
}

// Compiled returns what a compilation says of a goal, the first that is
// [Shelf.Refuted]; false if there is none.
func (s *Shelf) Compiled(g Goal) (value string, ok bool) {
	claims := s.claims(g)
	for _, c := range claims {
		if s.pages[c.Page].compiled() && s.refuted(g, c.Value, claims) {
			return c.Value, true
		}
	}
	return "", false
}

// compiled reports whether a page is, by its title, one of a larger work and no
// article.
func (p *page) compiled() bool { return strings.Contains(p.Title, ", page ") }

// stands reports whether the page of the subject says key, or anything if key is
// empty.
func stands(claims []Claim, key string) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool {
		return c.Strength > inPassing && (key == "" || nameKey(c.Value) == key)
	})
}

// unrefuted drops the claims whose value is refuted, unless all are.
func (s *Shelf) unrefuted(g Goal, claims []Claim) []Claim {
	kept := slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return s.refuted(g, c.Value, claims) })
	if len(kept) == 0 {
		return claims
	}
	return kept
}
