package recursion

// The names of what may have to be mended to make a state, as they stand in
// [trawl/trajectory.State.Repairs] beside those of reading one, which package
// summary has. They are part of the record's format: add, do not rename.
const (
	repairLost        = "state-lost"           // the store does not have what the round before came to: it was left out
	repairRetried     = "retried"              // a reply said nothing or could not be read: it was asked again
	repairThinkingOff = "thinking-off"         // it was asked again without thinking
	repairReasoning   = "summary-in-reasoning" // the text stood in the reasoning, and nothing stood outside it
	repairCalls       = "final-calls-dropped"  // the reply called tools, which it may not
	repairCut         = "cut"                  // the token limit ended the text
	repairShrunk      = "context-shrunk"       // earlier results were left out of the request, which was too long
	repairExchanges   = "exchanges-dropped"    // so were whole turns, the oldest first
	repairUnfit       = "context-exceeded"     // it did not fit even so: no text was made
	repairNoSummary   = "no-summary"           // no reply could be used: no text was made
)
