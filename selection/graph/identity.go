package graph

import (
	"fmt"

	"trawl/internal/text"
	"trawl/trajectory"
)

// An identity is which page a view shows, where that is verified.
type identity struct {
	id   string // empty if it is not
	page string // its canonical address; empty for a page of search results
}

func page(url string) identity {
	if url == "" {
		return identity{}
	}
	return identity{id: "url:" + url, page: url}
}

// A catalog is what is known of the pages of one question: the scheme
// trace-document-identity-v1 of A.3.
type catalog struct {
	question string
	numbers  map[string]string // address of document N; empty if there are several
	groups   map[string]int    // by canonical requested address
	next     int               // group
}

func newCatalog(question string) *catalog {
	return &catalog{question: question, numbers: make(map[string]string), groups: make(map[string]int)}
}

// number notes which addresses stand beside "Doc N" in the headers of a rollout.
func (c *catalog) number(events []event) {
	for i := range events {
		e := &events[i]
		if e.Tool != trajectory.KindOpen || !e.valid || e.header.number == "" || e.header.url == "" {
			continue
		}
		if url, known := c.numbers[e.header.number]; known && url != e.header.url {
			c.numbers[e.header.number] = ""
		} else {
			c.numbers[e.header.number] = e.header.url
		}
	}
}

// identify finds the identity and the group of each event of a rollout.
func (c *catalog) identify(rollout string, events []event) {
	for i := range events {
		e := &events[i]
		if e.valid && e.viewed {
			e.identity = c.identity(rollout, events, i)
		}
		if e.text != "" {
			e.group = c.group(events, e)
		}
	}
}

// identity returns what event i of a rollout, with a view and a valid source, shows.
func (c *catalog) identity(rollout string, events []event, i int) identity {
	e := &events[i]
	searchView := identity{id: fmt.Sprintf("search-view:%s:%d", rollout, i)}
	if e.Tool == trajectory.KindSearch {
		return searchView
	}
	if e.continues() {
		if e.parent != none && events[e.parent].identity.id != "" {
			parent := events[e.parent].identity
			if e.Tool == trajectory.KindFind || e.header.fits(parent.page) {
				return parent
			}
			return identity{}
		}
		if e.Tool == trajectory.KindFind {
			return identity{}
		}
	}
	switch e.header.kind {
	case headerSearch:
		return searchView
	case headerNumber:
		return page(c.numbers[e.header.number])
	case headerAddress:
		return page(e.established())
	}
	return identity{}
}

// established returns the address that an open's own header proves, so that a
// redirect leads to where it ended. The requested address replaces the displayed
// one only if it says the same with escapes and nothing else did.
func (e *event) established() string {
	h := &e.header
	if h.corroborated || truncated(h.shown) || e.args.id.address == "" {
		return h.url
	}
	if h.shown != "" && decoded(e.args.id.address) == text.Normal(h.shown) {
		if url, ok := CanonicalURL(e.args.id.address); ok {
			return url
		}
	}
	return h.url
}

// group returns the number of the group of pages to which evidence belongs
// whose page is not verified: its parent's if it stays on that page, else that of
// the address that was asked for, which all rollouts share, else one of its own.
func (c *catalog) group(events []event, e *event) int {
	if e.continues() {
		if e.parent != none && events[e.parent].group != none {
			return events[e.parent].group
		}
		return c.newGroup()
	}
	url, ok := CanonicalURL(e.args.id.address)
	if !ok {
		return c.newGroup()
	}
	g, known := c.groups[url]
	if !known {
		g = c.newGroup()
		c.groups[url] = g
	}
	return g
}

func (c *catalog) newGroup() int {
	c.next++
	return c.next - 1
}

// document returns the document to which evidence belongs.
func (c *catalog) document(e *event) Document {
	if e.identity.id != "" {
		return Document{ID: e.identity.id, Verified: true}
	}
	return Document{ID: fmt.Sprintf("unresolved_original:%s:%d", c.question, e.group)}
}
