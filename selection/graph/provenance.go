package graph

import (
	"cmp"
	"slices"

	"trawl/trajectory"
)

// link finds the event on whose view each event was made, and whether nothing
// contradicts that: the provenance of A.3. Cursors name views; a call sees those
// that were returned before it, in the order of messages.
func link(events []event) {
	v := newViews(events)
	positions := make(map[int]int, len(events))
	for i := range events {
		if events[i].Return >= 0 {
			positions[events[i].Return]++
		}
	}
	for i := range events {
		e := &events[i]
		e.valid = e.args.ok && e.Return > e.Call && positions[e.Return] == 1
		if e.viewed && len(v.owners[e.cursor]) > 1 {
			e.valid = false
		}
		if e.Tool != trajectory.KindSearch && e.args.ok {
			if !e.args.number {
				e.valid = false
			} else if owners := v.seen(&e.args, e.Call); len(owners) == 1 {
				e.parent = owners[0]
			} else if len(owners) > 1 {
				e.valid = false
			}
		}
		if e.Source != nil && *e.Source != e.parent {
			e.valid = false
		}
	}
}

// views are the views that a rollout was shown.
type views struct {
	events []event
	owners map[int][]int // events by the cursor of their view, in order of return
	order  []int         // events with a view, in order of return
}

func newViews(events []event) views {
	v := views{events: events, owners: make(map[int][]int)}
	for i := range events {
		if events[i].viewed {
			v.order = append(v.order, i)
		}
	}
	slices.SortStableFunc(v.order, func(a, b int) int { return cmp.Compare(events[a].Return, events[b].Return) })
	for _, i := range v.order {
		v.owners[events[i].cursor] = append(v.owners[events[i].cursor], i)
	}
	return v
}

// before returns the views of order that were returned before a position.
func (v *views) before(order []int, position int) []int {
	n, _ := slices.BinarySearchFunc(order, position, func(i, p int) int { return cmp.Compare(v.events[i].Return, p) })
	return order[:n]
}

// seen returns the events that own the cursor of a call made at a position. If
// the latest views came back together, they all own it.
func (v *views) seen(a *arguments, position int) []int {
	if !a.latest {
		return v.before(v.owners[a.cursor], position)
	}
	earlier := v.before(v.order, position)
	if len(earlier) == 0 {
		return nil
	}
	last := earlier[len(earlier)-1]
	if together := earlier[len(v.before(earlier, v.events[last].Return)):]; len(together) > 1 {
		return together
	}
	return v.before(v.owners[v.events[last].cursor], position)
}

// root follows parents, also where they are in doubt, to the search that began a
// chain, or to its last event if none did. A chain that goes in a circle, which
// takes a return before its call, ends after as many steps as there are events.
func root(events []event, i int) (n int, search bool) {
	for range events {
		if events[i].Tool == trajectory.KindSearch || events[i].parent == none {
			break
		}
		i = events[i].parent
	}
	return i, events[i].Tool == trajectory.KindSearch
}
