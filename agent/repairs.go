package agent

// The names of what the loop may have to mend, as they stand in
// [trawl/trajectory.Step.Repairs] on the first step of the turn, with those of
// package reply. They are part of the record's format: add, do not rename.
const (
	repairTyped       = "argument-typed"      // an argument got the type that the schema asks for
	repairRenamed     = "argument-renamed"    // the only argument had another name
	repairExpanded    = "list-expanded"       // a list of texts for one text became several calls
	repairListCut     = "list-cut"            // texts of such a list became no call
	repairFinalCalls  = "final-calls-dropped" // the last reply called tools, which it may not
	repairRetried     = "retried"             // a reply was empty or ended in its reasoning: the turn was asked again
	repairThinkingOff = "thinking-off"        // it was asked again without thinking
	repairShrunk      = "context-shrunk"      // earlier results were left out of the request, which was too long
	repairProposer    = "proposer-failed"     // the proposer had no query: the model was asked instead
)
