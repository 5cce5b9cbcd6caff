package aggregate

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/internal/text"
)

// The tools of AggAgent.
const (
	toolSolution = "get_solution"
	toolSearch   = "search_trajectory"
	toolSegment  = "get_segment"
	toolFinish   = "finish"
)

// The limits of their results. (arXiv:2604.11753, code)
const (
	defaultFound = 5
	maxFound     = 10
	maxSegment   = 5   // steps
	foundWords   = 150 // of each text of a step that a search finds
	segmentWords = 600 // of each text of a step in a segment
	charsPerWord = 16  // at most, on average: for scripts without spaces
)

// toolSpecs returns the tools as a model is told of them, for n trajectories.
func toolSpecs(n int) []llm.Tool {
	rendered := render("tools", struct{ Count, MaxSteps, DefaultSteps, SegmentSteps int }{n, maxFound, defaultFound, maxSegment})
	var tools []llm.Tool
	if err := json.Unmarshal([]byte(rendered), &tools); err != nil {
		panic("aggregate: the tools' descriptions: " + err.Error())
	}
	for i, t := range tools {
		tools[i].Parameters = mustJSON(t.Parameters) // on one line
	}
	return tools
}

func toolNames(tools []llm.Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

// A shelf is the trajectories that AggAgent looks into. Its tools return JSON or,
// where there is nothing to show or a call cannot be carried out, a text that
// says so.
type shelf []exhibit

// A solutionResult is what get_solution returns of a trajectory.
type solutionResult struct {
	ID      int    `json:"trajectory_id"`
	Content string `json:"content"`
}

// getSolution returns the last message of a trajectory, or those of all.
func (s shelf) getSolution(args map[string]any) string {
	var out []solutionResult
	if argument(args, "trajectory_id") == nil {
		for i, e := range s {
			out = append(out, solutionResult{i + 1, e.solution})
		}
		return string(mustJSON(out))
	}
	id, problem := s.id(args)
	if problem != "" {
		return problem
	}
	return string(mustJSON([]solutionResult{{id, s[id-1].solution}}))
}

// id reads the number of a trajectory.
func (s shelf) id(args map[string]any) (id int, problem string) {
	if id, ok := integer(argument(args, "trajectory_id")); ok && id >= 1 && id <= len(s) {
		return id, ""
	}
	return 0, words("bad-id", struct{ Count int }{len(s)})
}

// A stepResult is a step as search_trajectory and get_segment return it.
type stepResult struct {
	ID        int      `json:"trajectory_id"`
	Step      int      `json:"step"`
	Role      string   `json:"role"`
	Score     *float64 `json:"score,omitempty"`
	Content   string   `json:"content"`
	Reasoning string   `json:"reasoning,omitempty"`
	Calls     []call   `json:"tool_calls,omitempty"`
}

func (s shelf) result(id, number, limit int) stepResult {
	st := s[id-1].steps[number-1]
	return stepResult{
		ID: id, Step: number, Role: st.role,
		Content: cut(st.content, limit), Reasoning: cut(st.reasoning, limit), Calls: st.calls,
	}
}

// search returns the steps of a trajectory that share most with a query, the
// earlier ones first where they share the same.
func (s shelf) search(args map[string]any) string {
	id, problem := s.id(args)
	if problem != "" {
		return problem
	}
	query, role, k, problem := searchArgs(args)
	if problem != "" {
		return problem
	}
	type scored struct {
		number int
		score  float64
	}
	var found []scored
	r := newRouge(query)
	for i, st := range s[id-1].steps {
		if role != "" && st.role != role {
			continue
		}
		if score := st.recall(r); score > 0 {
			found = append(found, scored{i + 1, score})
		}
	}
	if len(found) == 0 {
		return words("no-matches", struct{ Number int }{id})
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]stepResult, 0, k)
	for _, f := range found[:min(k, len(found))] {
		res := s.result(id, f.number, foundWords)
		rounded := math.Round(f.score*1000) / 1000
		res.Score = &rounded
		out = append(out, res)
	}
	return string(mustJSON(out))
}

// recall returns the highest score of the texts of a step.
func (st step) recall(r rouge) float64 {
	best := max(r.recall(st.content), r.recall(st.reasoning))
	if len(st.calls) > 0 {
		best = max(best, r.recall(string(mustJSON(st.calls))))
	}
	return best
}

func searchArgs(args map[string]any) (query, role string, k int, problem string) {
	query, _ = args["query"].(string)
	if n, ok := args["query"].(json.Number); ok {
		query = n.String()
	}
	if text.Blank(query) {
		return "", "", 0, words("no-query", nil)
	}
	if v := args["role"]; v != nil {
		name, ok := v.(string)
		role = strings.ToLower(strings.TrimSpace(name))
		if !ok || role != "" && role != llm.ToolRole && role != llm.Assistant {
			return "", "", 0, words("bad-role", nil)
		}
	}
	k = defaultFound
	if v := args["k"]; v != nil {
		n, ok := integer(v)
		if !ok {
			return "", "", 0, words("no-number", struct{ Name string }{"k"})
		}
		k = min(max(n, 1), maxFound)
	}
	return query, role, k, ""
}

// segment returns consecutive steps of a trajectory.
func (s shelf) segment(args map[string]any) string {
	id, problem := s.id(args)
	if problem != "" {
		return problem
	}
	n := len(s[id-1].steps)
	if n == 0 {
		return words("no-steps", struct{ Number int }{id})
	}
	var ends [2]int
	for i, name := range []string{"start_step", "end_step"} {
		v, ok := integer(args[name])
		if !ok {
			return words("no-number", struct{ Name string }{name})
		}
		ends[i] = min(max(v, 1), n)
	}
	start, end := bounds(ends[0], ends[1])
	var out []stepResult
	for number := start; number <= end; number++ {
		out = append(out, s.result(id, number, segmentWords))
	}
	return string(mustJSON(out))
}

// bounds returns the steps to show of a segment: only its end if it is the wrong
// way round, and no more than its first maxSegment steps.
func bounds(start, end int) (int, int) {
	if start > end {
		start = end
	}
	return start, min(end, start+maxSegment-1)
}

// argument returns an argument, or the only one if it was given without a name.
func argument(args map[string]any, name string) any {
	if v, ok := args[name]; ok {
		return v
	}
	return args[""]
}

// integer reads a whole number as models write it: 2, 2.0, "2".
func integer(v any) (int, bool) {
	s := ""
	switch v := v.(type) {
	case json.Number:
		s = v.String()
	case string:
		s = strings.TrimSpace(v)
	case float64:
		s = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// cut returns the first limit words of s and a mark, if it has as many.
func cut(s string, limit int) string {
	fields := text.Fields(s)
	if len(fields) < limit && utf8.RuneCountInString(s) <= limit*charsPerWord {
		return s
	}
	kept := strings.Join(fields[:min(limit, len(fields))], " ")
	return text.FirstChars(kept, limit*charsPerWord) + words("cut", nil)
}
