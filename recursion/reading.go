package recursion

import (
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// A reading is what can be used of a reply.
type reading struct {
	state   trajectory.State // that its text, without the thinking, stands for; Raw is "" if nothing can
	repairs []string
}

// sections reports whether any could be read.
func (r reading) sections() bool {
	return r.state.Raw != "" && !slices.Contains(r.state.Repairs, summary.NoSections)
}

// read reads a reply.
func (d *draft) read(resp *llm.Response) reading {
	m := resp.Message
	r := reading{state: summary.Parse(reply.AfterThinking(m.Content))}
	if r.state.Raw == "" {
		r.state = summary.Parse(reply.AfterThinking(m.Reasoning))
		if !r.sections() {
			if m.Content+m.Reasoning != "" && d.attempt+1 < maxAttempts {
				d.calm = true
				d.note(repairThinkingOff)
			}
			return reading{}
		}
		r.repairs = append(r.repairs, repairReasoning)
	}
	if !r.sections() && calls(r.state.Raw) {
		return reading{}
	}
	if len(m.ToolCalls) > 0 {
		r.repairs = append(r.repairs, repairCalls)
	}
	if resp.Finish == "length" {
		r.repairs = append(r.repairs, repairCut)
	}
	return r
}

// calls reports whether a text calls a tool, in a form that can be read or not.
func calls(raw string) bool {
	return strings.Contains(raw, "<tool_call") || len(reply.Parse(&llm.Response{Message: llm.Message{Content: raw}}, reply.Native).Calls) > 0
}
