package aggregate

// What tests look at.
var (
	Render       = render
	Words        = words
	TaggedAnswer = taggedAnswer
	StatedAnswer = statedAnswer
	ReportOf     = reportOf
	ConfidenceOf = confidenceOf
	Prediction   = prediction
	MessagesOf   = messagesOf
	Shorter      = shorter
	Shorten      = shorten
	Record       = record
	ToolSpecs    = toolSpecs
	Cut          = cut
	Integer      = integer
	WordTokens   = wordTokens
)

// Recall scores one text.
func Recall(query, text string) float64 { return newRouge(query).recall(text) }

// LCS returns the length that the bit-parallel algorithm finds.
func LCS(query, text []string) int { return newPattern(query).lcs(text) }

// Accept returns the answer of a solution, and whether it is valid.
func Accept(s string) (string, bool) {
	sol, ok := solutionOf(s)
	return sol.text(), ok
}
