package trajectory

// Add adds what another call cost.
func (u *CallUsage) Add(c CallUsage) {
	u.Prompt += c.Prompt
	u.Completion += c.Completion
	u.Cached += c.Cached
	u.Estimated = u.Estimated || c.Estimated
}

// AddCalls adds what a number of model calls cost together.
func (u *Usage) AddCalls(calls int, c CallUsage) {
	u.LLMCalls += calls
	u.Prompt += c.Prompt
	u.Completion += c.Completion
	u.Cached += c.Cached
	u.Estimated = u.Estimated || c.Estimated
}

// AddTurn adds what a turn cost: its model calls, and the searches and openings
// that were carried out.
func (u *Usage) AddTurn(t Turn) {
	u.AddCalls(t.Calls, t.Usage)
	u.Searches += t.Searches
	u.Opens += t.Opens
}
