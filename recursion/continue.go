package recursion

import (
	"trawl/agent"
	"trawl/trajectory"
)

// tells reports whether there is anything in s for the next round.
func tells(s *trajectory.State) bool {
	return s != nil && s.Origin != trajectory.StateNone && (s.Origin != trajectory.StateMerged || !s.Blank())
}

// preface returns what the round after s is told of it; nil if there is nothing
// to tell.
func preface(s *trajectory.State, o Options) *agent.Preface {
	if !tells(s) {
		return nil
	}
	data := struct {
		Round   int
		Raw     string
		FreeUse bool
	}{s.Round, s.Raw, !o.Plain}
	return &agent.Preface{Note: render("note", nil), Text: render("continue", data)}
}
