package sim

import (
	"encoding/json"
	"strings"
)

// The faults below break the forms of summaries and of calls into attempts. They
// leave other replies alone.

// noHeadings makes prose of a summary.
func noHeadings(raw string, c *conversation) string {
	if c.intent() != intentSummary {
		return raw
	}
	var out []string
	for line := range strings.SplitSeq(raw, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- "))
		if line != "" && line != "None" && sectionOf(line) == noSection {
			out = append(out, line)
		}
	}
	return strings.Join(out, " ")
}

// cutLine is how much of the first line of a section is left of it.
const cutLine = 20

// cutInFacts ends a reply with a section of facts a little behind the heading of
// that, as one that ran out of tokens.
func cutInFacts(out *reply, _ string) {
	content := out.text()
	at, end := -1, 0
	for line := range strings.SplitAfterSeq(content, "\n") {
		end += len(line)
		if sectionOf(strings.TrimSpace(line)) == factsCollected && !strings.HasPrefix(line, "- ") {
			at = min(end+cutLine, len(content))
			break
		}
	}
	if at < 0 {
		return
	}
	content, _ = cutTokens(content, countTokens(content[:at]))
	out.content, out.calls = &content, nil
	out.tokens = countTokens(content) + countTokens(out.reasoning)
	out.finish, out.stopReason = "length", ""
}

// aboutAttempts reports whether a call is one of those with which attempts are
// looked into.
func aboutAttempts(c *wireCall) bool {
	switch c.Function.Name {
	case solutionTool, trajectoryTool, segmentTool, finishTool:
		return true
	}
	return false
}

// noCall leaves the thinking and what would be called as a sentence.
func noCall(out *reply, _ string) {
	if len(out.calls) == 0 || !aboutAttempts(&out.calls[0]) {
		return
	}
	out.content = ptr(strings.TrimSpace(out.text() + "\nI would call " + out.calls[0].Function.Name + " now."))
	out.calls, out.finish = nil, "stop"
	out.tokens = countTokens(out.text()) + countTokens(out.reasoning)
}

// badFinish calls finish without the sections of a solution.
func badFinish(raw string, c *conversation) string {
	if !c.offers(finishTool) {
		return raw
	}
	return "I am done.\n" + call(finishTool, map[string]any{"solution": "It was settled.", "reason": "none"})
}

// secondCall writes the first call of the reply twice, the second time for a look
// into an attempt where there is a tool for it.
func secondCall(raw string, c *conversation) string {
	i := strings.Index(raw, callOpen)
	switch {
	case i < 0 || !c.offers(finishTool):
		return raw
	case c.offers(segmentTool):
		return raw + "\n" + call(segmentTool, map[string]any{"trajectory_id": 1, "start_step": 1, "end_step": 2})
	}
	return raw + "\n" + raw[i:]
}

// noTrajectory is an id that no trajectory has.
const noTrajectory = 99

// badID spoils the id in the arguments of calls into attempts.
func badID(out *reply, _ string) {
	for i := range out.calls {
		f := &out.calls[i].Function
		var args map[string]any
		if !aboutAttempts(&out.calls[i]) || f.Name == finishTool ||
			json.Unmarshal([]byte(out.calls[i].arguments()), &args) != nil || args == nil {
			continue
		}
		if id, ok := args["trajectory_id"].(float64); ok {
			args["trajectory_id"] = marshal(id)
		} else {
			args["trajectory_id"] = noTrajectory
		}
		f.Arguments = marshal(args)
	}
}
