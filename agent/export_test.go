package agent

// What the tests check by hand.
var (
	Render  = render
	CallKey = callKey
)
