package recursion

// The names of what may have to be mended to make a state or to read it, as they
// stand in [trawl/trajectory.State.Repairs]. They are part of the record's
// format: add, do not rename.
const (
	// Of reading a text.
	repairNoSections = "no-sections"      // no heading could be recognised: nothing was read
	repairMissing    = "section-missing"  // one of the sections 0 to 4 is not there
	repairHeading    = "heading"          // a heading was not in the form that was asked for
	repairUnknown    = "unknown-heading"  // what stood under another heading was left out
	repairPreamble   = "preamble"         // so was text before the first heading
	repairAnswer     = "answer-cleaned"   // the current answer stood among other words or marks
	repairIDs        = "facts-renumbered" // ids of facts were missing or repeated
	repairUnsourced  = "fact-unsourced"   // a fact states neither source nor verification
	repairEvidence   = "evidence-unknown" // a conclusion cites a fact that is not there: that citation was left out

	// Of getting one from the model.
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
