package report

import (
	"maps"
	"slices"
	"strconv"

	"trawl/eval"
	"trawl/internal/figures"
	"trawl/trajectory"
)

// An Effort counts completed rollouts by how much they did.
type Effort struct {
	Turns    map[int]int
	Searches map[int]int
}

// Add counts a rollout, of which lines are the completed ones of all its rounds.
func (e *Effort) Add(lines []*trajectory.Trajectory) {
	if e.Turns == nil {
		e.Turns, e.Searches = map[int]int{}, map[int]int{}
	}
	turns, searches := 0, 0
	for _, t := range lines {
		last := 0
		for _, s := range t.Steps {
			last = max(last, s.Turn)
		}
		turns += last
		searches += t.Usage.Searches
	}
	e.Turns[turns]++
	e.Searches[searches]++
}

// work shows how rollouts began and ended, and what they took.
func work(s *section) {
	runs := scored(s.runs, func(*eval.Report) bool { return true })
	if len(runs) == 0 {
		return
	}
	tally(s, runs, "terminations", "How rollouts ended, failed ones too", func(r *Run) map[string]int { return named(r.Score.Terminations) })
	tally(s, runs, "answer-sources", "Where answers were read", func(r *Run) map[string]int { return named(r.Score.AnswerSources) })
	tally(s, runs, "first-queries", "Where first queries came from", func(r *Run) map[string]int { return named(r.Score.FirstQueries) })
	s.cost(runs)
	s.histogram(runs, "plot-searches", "Searches of a rollout", "searches", func(e Effort) map[int]int { return e.Searches })
	s.histogram(runs, "plot-turns", "Turns of a rollout", "turns", func(e Effort) map[int]int { return e.Turns })
}

func named[K ~string](m map[K]int) map[string]int {
	out := make(map[string]int, len(m))
	for k, n := range m {
		out[string(k)] = n
	}
	return out
}

// tally shows how many rollouts were of each kind.
func tally(s *section, runs []*Run, id, title string, of func(*Run) map[string]int) {
	kinds := keys(runs, of)
	if len(kinds) == 0 {
		return
	}
	s.table(id, title, kinds, runs, source(runs, "no interval: counts", byScore), func(r *Run) []figures.Cell {
		var row []figures.Cell
		for _, k := range kinds {
			row = append(row, count(of(r)[k]))
		}
		return row
	})
}

// cost shows what the runs took, in all and a completed rollout.
func (s *section) cost(runs []*Run) {
	from := source(runs, "no interval: sums", byScore)
	from.Note = remark(from.Note, "of all lines and states that were read, failed ones and earlier rounds included")
	s.table("cost", "What the runs took", []string{"model calls", "prompt tokens", "cached", "completion tokens", "searches", "opens", "wall seconds", "rollout seconds"}, runs, from,
		func(r *Run) []figures.Cell {
			c := r.Score.Cost
			return []figures.Cell{count(c.LLMCalls), tokens(c.PromptTokens, c.Estimated), tokens(c.CachedTokens, c.Estimated), tokens(c.CompletionTokens, c.Estimated),
				count(c.Searches), count(c.Opens), amount(c.WallS), amount(c.RolloutS)}
		})
	s.table("cost-each", "The same, a completed rollout", []string{"model calls", "prompt tokens", "completion tokens", "searches", "opens", "seconds"}, runs, from,
		func(r *Run) []figures.Cell {
			c, n := r.Score.Cost, float64(max(r.Score.Complete, 1))
			return []figures.Cell{amount(float64(c.LLMCalls) / n), amount(float64(c.PromptTokens) / n), amount(float64(c.CompletionTokens) / n),
				amount(float64(c.Searches) / n), amount(float64(c.Opens) / n), amount(c.RolloutS / n)}
		})
}

// tokens marks a number that is trawl's own estimate.
func tokens(n int, estimated bool) figures.Cell {
	c := count(n)
	if estimated {
		c.Text = "≈ " + c.Text
	}
	return c
}

// histogram draws which share of a run's rollouts did how much.
func (s *section) histogram(runs []*Run, id, title, label string, of func(Effort) map[int]int) {
	p := figures.Plot{ID: id, Title: title, X: figures.Axis{Label: label}, Y: figures.Axis{Label: "share of completed rollouts"},
		Source: source(runs, "no interval: counts", byReport)}
	ns := keys(runs, func(r *Run) map[int]int { return of(r.Effort) })
	if len(ns) == 0 {
		return
	}
	first, last := ns[0], ns[len(ns)-1]
	width := 1 + (last-first)/mostBars
	for at := first; at <= last; at += width {
		name := strconv.Itoa(at)
		if end := min(at+width-1, last); end > at {
			name += "–" + strconv.Itoa(end)
		}
		p.X.Names = append(p.X.Names, name)
	}
	for _, r := range runs {
		x, total := figures.Series{Name: r.Name, Shape: figures.Bars}, 0
		bars := make([]float64, len(p.X.Names))
		for _, n := range slices.Sorted(maps.Keys(of(r.Effort))) {
			bars[(n-first)/width] += float64(of(r.Effort)[n])
			total += of(r.Effort)[n]
		}
		for i, n := range bars {
			x.Points = append(x.Points, figures.Point{X: float64(i), Y: n / float64(max(total, 1)), N: total})
		}
		p.Series = append(p.Series, x)
	}
	s.drawOver(p, "completed rollouts")
}

// mostBars is how many bars of a run can be told apart.
const mostBars = 16
