package agent

// The names of what may have to be mended to read a reply, as they stand in
// [trawl/trajectory.Step.Repairs] on the first step of the turn. They are part
// of the record's format: add, do not rename.
const (
	repairJSON        = "json"                  // JSON was broken: brackets or quotes balanced, commas put right, text around it dropped
	repairEncoded     = "double-encoded"        // arguments were JSON inside a JSON text
	repairEscaped     = "double-escaped"        // a text had its escapes (\n, \") escaped once more
	repairEntities    = "entities"              // &amp; and its like were decoded, once
	repairCloser      = "escaped-closer"        // a closing tag was written <\/…>
	repairUnclosed    = "unclosed-tag"          // the closing tag of a call or an answer was missing, and no stop text explains it
	repairHermes      = "call-in-text:hermes"   // the call stood in the text as <tool_call>{JSON}</tool_call>
	repairFunction    = "call-in-text:function" // … as <function=NAME><parameter=KEY>
	repairArgKey      = "call-in-text:arg-key"  // … as <tool_call>NAME<arg_key>
	repairFence       = "call-in-text:fence"    // … as a fenced block: Python or JSON
	repairBareJSON    = "call-in-text:json"     // … as a JSON object and nothing else
	repairSearchTag   = "call-in-text:search"   // … as <search>, in the native dialect
	repairReasonCall  = "call-in-reasoning"     // the call stood in the reasoning, and nothing stood outside it
	repairReasonText  = "answer-in-reasoning"   // so did the answer: the server took the reply for reasoning
	repairThinkSplit  = "think-in-content"      // <think>…</think> stood in the content, in the native dialect
	repairThinkOpen   = "think-unopened"        // only </think> came
	repairThinkClose  = "think-unclosed"        // only <think> came: what follows it is reasoning
	repairEndToken    = "end-token"             // a special token such as <|im_end|> stood in the content
	repairAfterAction = "cut-after-action"      // text after the first complete action was dropped
	repairOwnResults  = "own-results-dropped"   // results that the model made up were dropped
	repairTyped       = "argument-typed"        // an argument got the type that the schema asks for
	repairRenamed     = "argument-renamed"      // the only argument had another name
	repairExpanded    = "list-expanded"         // a list of texts for one text became several calls
	repairListCut     = "list-cut"              // texts of such a list became no call
	repairCallsCut    = "calls-cut"             // calls beyond the limit for one turn were not run
	repairFinalCalls  = "final-calls-dropped"   // the last reply called tools, which it may not
	repairRetried     = "retried"               // a reply was empty or ended in its reasoning: the turn was asked again
	repairThinkingOff = "thinking-off"          // it was asked again without thinking
	repairShrunk      = "context-shrunk"        // earlier results were left out of the request, which was too long
	repairProposer    = "proposer-failed"       // the proposer had no query: the model was asked instead
)
