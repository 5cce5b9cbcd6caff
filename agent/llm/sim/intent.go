package sim

import (
	"slices"
	"strconv"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
)

// A model answers one request.
type model struct {
	traits      traits
	temperature float64
	key         int64 // hash of the request
	reasoning   Reasoning
	parses      *parseCache
}

// An intent is what a request asks of the model.
type intent uint8

const (
	intentChat       intent = iota // nothing that it knows
	intentAct                      // one turn of a research conversation: search or answer
	intentCall                     // a tool call, whatever else
	intentFinal                    // the answer, now
	intentPool                     // a list of search queries
	intentSummary                  // what the conversation found out, by headings
	intentReport                   // a report on the record of one attempt
	intentIntegrate                // the answer, from several reports
	intentAggregate                // the answer, from attempts that tools look into
	intentConfidence               // how sure an answer is
	intentJudge                    // whether a response is correct
	intentEntails                  // how much of a claim its evidence carries
	intentClaims                   // what an explanation claims
	intentKeypoint                 // what a response says of a fact
)

// intentNames are how rules for faults name the intents.
var intentNames = [...]string{"chat", "act", "call", "final", "pool", "summary", "report", "integrate", "aggregate", "confidence", "judge", "entails", "claims", "keypoint"}

func (i intent) String() string { return intentNames[i] }

// Marks by which prompts are told apart, and what stands behind some of them.
const (
	researchOver   = "This round of research is over"
	firstHeading   = "## 0. Current Answer"
	attemptRecord  = "Below is the record of one attempt"
	writeReport    = "Write a report on it"
	severalTeams   = "Several teams have worked on the same question"
	reportHeading  = "## Report "
	workAnswer     = "The work above ends with this answer to the question:"
	finishTool     = "finish"
	solutionTool   = "get_solution"
	trajectoryTool = "search_trajectory"
	segmentTool    = "get_segment"
)

// intent reads what the conversation asks for from its last message and the
// tools.
func (c *conversation) intent() intent {
	last := strings.ToLower(c.last)
	switch {
	case strings.HasPrefix(c.last, judgeTask): // what is judged may say anything
		return intentJudge
	case strings.HasPrefix(c.last, entailTask):
		return intentEntails
	case strings.HasPrefix(c.last, claimsTask):
		return intentClaims
	case strings.HasPrefix(c.last, keypointTask):
		return intentKeypoint
	case c.says(researchOver) && c.says(firstHeading):
		return intentSummary
	case c.offers(finishTool):
		return intentAggregate
	case c.says(workAnswer):
		return intentConfidence
	case c.says(attemptRecord) && c.says(writeReport):
		return intentReport
	case c.says(severalTeams) && c.says(reportHeading):
		return intentIntegrate
	case c.mustCall:
		return intentCall
	case !c.native && c.turn == 1 && !c.goesOn() && strings.Contains(last, "exactly ") && strings.Contains(last, "search quer"):
		return intentPool
	case c.native && c.toolsOff:
		return intentFinal
	case c.turn > 1 && strings.Contains(last, "final answer"):
		return intentFinal
	case c.turns > 0 && c.turn >= c.turns:
		return intentFinal
	case c.native || c.found || c.shelf.Len() > 0:
		return intentAct
	}
	return intentChat
}

// says reports whether the last message has a mark.
func (c *conversation) says(mark string) bool { return strings.Contains(c.last, mark) }

// offers reports whether the model may call a tool of that name.
func (c *conversation) offers(tool string) bool {
	return !c.toolsOff && slices.Contains(c.offered, tool)
}

// goesOn reports whether the conversation begins with a summary.
func (c *conversation) goesOn() bool { return c.earlier != nil && c.earlier.raw != "" }

// reply returns the raw text of the model's reply: with thinking, tags and tool
// calls in the marks that a server's parsers take out.
func (m *model) reply(c *conversation) string {
	intent := c.intent()
	switch intent {
	case intentChat:
		return chatReply
	case intentJudge:
		return m.judge(c)
	case intentEntails:
		return m.entails(c)
	case intentClaims:
		return m.listClaims(c)
	case intentKeypoint:
		return m.checkPoint(c)
	}
	if m.traits.blind {
		return m.blindly(c, intent)
	}
	q := m.parses.understand(c.question)
	switch intent {
	case intentPool:
		return m.pool(c, q)
	case intentCall:
		return m.search(c, nil, m.firstQuery(q), "I am to call a tool.")
	case intentFinal:
		return m.final(c, q)
	case intentSummary:
		return m.summary(c, q)
	case intentReport:
		return m.writeReport(c, q)
	case intentIntegrate:
		return m.integrate(c, q)
	case intentAggregate:
		return m.aggregate(c, q)
	case intentConfidence:
		return m.rate(c, q)
	default:
		return m.act(c, q)
	}
}

// blindly makes a query that was not made before, or the answer that is asked
// for, whatever the question and the passages say.
func (m *model) blindly(c *conversation, i intent) string {
	switch i {
	case intentFinal:
		return "<answer>nothing was read</answer>"
	case intentPool:
		return "1. " + c.question
	case intentSummary:
		return m.summary(c, &reader.Question{})
	case intentReport:
		return "<report>\nNothing was read.\n</report>"
	case intentIntegrate:
		return "<explanation>Nothing was read.</explanation>\n<answer>nothing was read</answer>"
	case intentAggregate:
		return m.finish(c, "Nothing was read.", "nothing was read")
	case intentConfidence:
		return "Confidence: 50%"
	default:
		return m.search(c, nil, c.question+" "+strconv.Itoa(c.turn), "One more query.")
	}
}

// chatReply answers what the model has no rules for.
const chatReply = "I am a simulated model. I answer questions from documents that a search tool finds."
