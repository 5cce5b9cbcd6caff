package agent

import (
	"encoding/json"
	"time"

	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A run is the state of one rollout. All of it follows from its turns, by
// apply, so that a rollout that is resumed is in the state it was in.
type run struct {
	task     Task
	tokens   int           // bound of those used, 0 for none
	time     time.Duration // bound of the turns before the last, 0 for none
	traj     trajectory.Trajectory
	opening  int                // messages before the first turn's
	turns    int                // whole turns so far
	used     int                // tokens of prompts and completions
	last     int                // tokens of the last turn that cost any
	seen     map[string]earlier // calls that ran, by what they asked
	repeats  int                // turns since the last new call that only repeated others
	failures int                // turns since the last new call that failed or did nothing
}

// An earlier call: where it stands.
type earlier struct {
	turn int
	kind trajectory.Kind
}

func (a *Agent) start(task Task) *run {
	r := &run{
		task: task, seen: map[string]earlier{},
		tokens: tighter(a.opts.Tokens, task.Tokens), time: tighter(a.opts.Time, task.Time),
	}
	r.traj = trajectory.Trajectory{
		V: trajectory.Version, QuestionID: task.Key.QuestionID, Round: task.Key.Round, Rollout: task.Key.Rollout, Config: task.Key.Config,
		Question: task.Question.Text, Seed: task.Seed, SeedQuery: task.SeedQuery,
		Messages: a.opts.Dialect.opening(task, a.opts.Turns),
		Source:   trajectory.AnswerNone,
	}
	r.opening = len(r.traj.Messages)
	for _, t := range task.Past {
		r.apply(t)
	}
	return r
}

// tighter returns the smaller of two bounds, of which 0 is none.
func tighter[T int | time.Duration](a, b T) T {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

func (r *run) done() bool { return r.traj.Termination != "" }

// apply adds a whole turn, one that was just made or one from the journal.
func (r *run) apply(t trajectory.Turn) {
	if r.turns == 0 {
		r.traj.Started = t.Started
	}
	r.turns = t.Number
	r.traj.Steps = append(r.traj.Steps, t.Steps...)
	r.traj.Messages = append(r.traj.Messages, t.Messages...)
	r.traj.Millis += t.Millis
	r.traj.Usage.AddTurn(t)
	if cost := t.Usage.Prompt + t.Usage.Completion; cost > 0 {
		r.used += cost
		r.last = cost
	}
	r.progress(t.Steps)
	if t.Ended == "" {
		return
	}
	r.traj.Termination, r.traj.Answer, r.traj.Source = t.Ended, t.Answer, t.Source
	if n := len(t.Messages); n > 0 && t.Answer != "" {
		r.traj.Confidence = reply.Confidence(t.Messages[n-1].Content)
	}
}

// progress remembers the calls that ran and keeps the two streaks that end a
// rollout which gets nowhere: turns that only repeat calls, and turns that fail.
// A turn with a call that was never made before ends both; nothing else does,
// so that a guard which has warned stays armed (D2), and calls that differ
// never count against a rollout (D4).
func (r *run) progress(steps []trajectory.Step) {
	fresh, repeated, failed := false, false, false
	for _, s := range steps {
		switch {
		case s.Kind == trajectory.KindAnswer:
		case s.Call == nil || s.Error != "":
			failed = true
		default:
			if _, known := r.seen[callKey(*s.Call)]; known {
				repeated = true
				continue
			}
			fresh = true
			r.seen[callKey(*s.Call)] = earlier{turn: s.Turn, kind: s.Kind}
		}
	}
	switch {
	case fresh:
		r.repeats, r.failures = 0, 0
		return
	case repeated:
		r.repeats++
	}
	if failed {
		r.failures++
	}
}

// limit returns why the next turn must be the last, or "".
func (r *run) limit(o Options) trajectory.Termination {
	switch {
	case r.time > 0 && r.elapsed() >= r.time:
		return trajectory.TimeLimit
	case r.tokens > 0 && r.used > 0 && r.used+2*r.last+o.FinalTokens > r.tokens:
		return trajectory.TokenLimit
	case r.repeats >= o.RepeatLimit, r.failures >= o.FailureLimit:
		return trajectory.Loop
	case r.turns+1 >= o.Turns:
		return trajectory.TurnLimit
	}
	return ""
}

// elapsed is the time that the turns took, in this process and before it.
func (r *run) elapsed() time.Duration { return time.Duration(r.traj.Millis) * time.Millisecond }

// callKey returns what makes two calls the same: the name, and the arguments
// without regard to case, composition of characters and white space.
func callKey(c trajectory.Call) string {
	if query, ok := queryOf(c); ok {
		return c.Name + "\x00" + text.Fold(query)
	}
	var args any
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return c.Name + "\x00" + string(c.Arguments)
	}
	m, _ := foldTexts(args).(map[string]any)
	return c.Name + "\x00" + string(tool.Arguments(m))
}

// queryOf returns the query of a search with a query and nothing else, on one line.
func queryOf(c trajectory.Call) (string, bool) {
	if c.Name != tool.SearchName {
		return "", false
	}
	var args map[string]any
	if err := json.Unmarshal(c.Arguments, &args); err != nil || len(args) != 1 {
		return "", false
	}
	query, ok := args[tool.SearchQuery].(string)
	return text.Collapse(query), ok
}

func foldTexts(v any) any {
	switch v := v.(type) {
	case string:
		return text.Fold(v)
	case []any:
		for i := range v {
			v[i] = foldTexts(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = foldTexts(v[k])
		}
	}
	return v
}
