package summary

// The names of what may have to be mended to read a text, as they stand in
// [trawl/trajectory.State.Repairs]. They are part of the record's format: add, do
// not rename.
const (
	NoSections = "no-sections" // no heading could be recognised: nothing was read

	repairMissing   = "section-missing"  // one of the sections 0 to 4 is not there
	repairHeading   = "heading"          // a heading was not in the form that was asked for
	repairUnknown   = "unknown-heading"  // what stood under another heading was left out
	repairPreamble  = "preamble"         // so was text before the first heading
	repairAnswer    = "answer-cleaned"   // the current answer stood among other words or marks
	repairIDs       = "facts-renumbered" // ids of facts were missing or repeated
	repairUnsourced = "fact-unsourced"   // a fact states neither source nor verification
	repairEvidence  = "evidence-unknown" // a conclusion cites a fact that is not there: that citation was left out
)
