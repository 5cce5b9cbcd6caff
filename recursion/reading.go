package recursion

import (
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/recursion/internal/summary"
)

// A reading is what can be used of a reply.
type reading struct {
	raw      string // without its thinking; "" if nothing can
	sections bool   // some can be read
	repairs  []string
}

// read reads a reply.
func (d *draft) read(resp *llm.Response) reading {
	m := resp.Message
	r := reading{raw: reply.AfterThinking(m.Content)}
	if r.raw == "" {
		r.raw = reply.AfterThinking(m.Reasoning)
		if !hasSections(r.raw) {
			if m.Content+m.Reasoning != "" && d.attempt+1 < maxAttempts {
				d.calm = true
				d.note(repairThinkingOff)
			}
			return reading{}
		}
		r.repairs = append(r.repairs, repairReasoning)
	}
	if r.sections = hasSections(r.raw); !r.sections && calls(r.raw) {
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

func hasSections(raw string) bool {
	return !slices.Contains(summary.Parse(raw).Repairs, summary.NoSections)
}

// calls reports whether a text calls a tool, in a form that can be read or not.
func calls(raw string) bool {
	return strings.Contains(raw, "<tool_call") || len(reply.Parse(&llm.Response{Message: llm.Message{Content: raw}}, reply.Native).Calls) > 0
}
