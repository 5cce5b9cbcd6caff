package reply

// CallsCut is the repair that leaves out calls beyond a limit: of those that are
// read ([MaxRead]), and of those that one turn runs ([MaxCalls]).
const CallsCut = "calls-cut"

// The names of the other things that may have to be mended to read a reply, as
// they stand in Reply.Repairs and in the record of a rollout. They are part of
// the record's format: add, do not rename.
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
	repairSearchTag   = "call-in-text:search"   // … as <search>, in the native form
	repairReasonCall  = "call-in-reasoning"     // the call stood in the reasoning, and nothing stood outside it
	repairReasonText  = "answer-in-reasoning"   // so did the answer: the server took the reply for reasoning
	repairThinkSplit  = "think-in-content"      // <think>…</think> stood in the content, in the native form
	repairThinkOpen   = "think-unopened"        // only </think> came
	repairThinkClose  = "think-unclosed"        // only <think> came: what follows it is reasoning
	repairEndToken    = "end-token"             // a special token such as <|im_end|> stood in the content
	repairAfterAction = "cut-after-action"      // text after the first complete action was dropped
	repairOwnResults  = "own-results-dropped"   // results that the model made up were dropped
)
