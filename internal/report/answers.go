package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"trawl/eval"
	"trawl/internal/figures"
)

// answers shows how right answers are.
func answers(s *section) {
	gold := scored(s.runs, func(r *eval.Report) bool { return r.EM != nil })
	for _, r := range scored(s.runs, func(r *eval.Report) bool { return r.EM == nil }) {
		s.say(r.Name + ": no completed rollout is of a question with gold answers, so nothing here says what is right.")
	}
	from := source(gold, Bootstrap, byScore)
	s.table("scores", "Rollouts against the gold answers", []string{"questions", "exact match", "F1", "contains"}, gold, from,
		func(r *Run) []figures.Cell {
			return []figures.Cell{count(r.Score.EM.N), stat(r.Score.EM), stat(r.Score.F1), stat(r.Score.Contains)}
		})
	pass, majority := func(x *eval.Scores) map[int]*eval.Stat { return x.PassAt }, func(x *eval.Scores) map[int]*eval.Stat { return x.MajorityAt }
	s.at(gold, "pass", "pass@k: any of k rollouts is right", pass)
	s.at(gold, "majority", "majority@k: the most frequent answer of k rollouts is right", majority)
	s.judged()
	parts(s, gold, "by-source", "source", func(r *Run) map[string]*eval.Scores { return r.Score.BySource }, func(k string) figures.Cell { return words(k) })
	parts(s, gold, "by-hops", "hops", func(r *Run) map[int]*eval.Scores { return r.Score.ByHops }, count)
}

// at shows a figure by k as a plot and as a table.
func (s *section) at(runs []*Run, id, title string, of func(*eval.Scores) map[int]*eval.Stat) {
	from := source(runs, Bootstrap, byScore)
	ks := keys(runs, func(r *Run) map[int]*eval.Stat { return of(&r.Score.Scores) })
	if len(ks) == 0 {
		return
	}
	plot := figures.Plot{ID: "plot-" + id, Title: title, X: figures.Axis{Label: "k, rollouts", Log2: true}, Y: figures.Axis{Label: id + "@k", Unit: true}, Source: from}
	for _, r := range runs {
		plot.Series = append(plot.Series, figures.Series{Name: r.Name, Points: curve(of(&r.Score.Scores))})
	}
	s.draw(plot)
	var columns []string
	for _, k := range ks {
		columns = append(columns, fmt.Sprintf("%s@%d", id, k))
	}
	s.table(id, title, columns, runs, from, func(r *Run) []figures.Cell {
		var row []figures.Cell
		for _, k := range ks {
			row = append(row, stat(of(&r.Score.Scores)[k]))
		}
		return row
	})
}

// judged shows what judges said, as far as their verdicts are kept.
func (s *section) judged() {
	t := figures.Table{ID: "judged", Title: "Rollouts by the verdicts of judges that are kept"}
	t.Columns = []string{"run", "judge", "right", "rollouts", "unscored", "without answer", "calibration error", "confidences"}
	var runs []*Run
	ks := keys(s.runs, func(r *Run) map[int]*eval.Stat {
		all := map[int]*eval.Stat{}
		for _, j := range r.Judges {
			for k, v := range j.JudgePassAt {
				all[k] = v
			}
		}
		return all
	})
	for _, k := range ks {
		t.Columns = append(t.Columns, fmt.Sprintf("pass@%d", k), fmt.Sprintf("majority@%d", k))
	}
	for _, r := range s.runs {
		for i, j := range r.Judges {
			if i == 0 {
				runs = append(runs, r)
			}
			row := []figures.Cell{words(r.Name), words(j.JudgedBy), stat(j.Judge), count(j.Judged.Rollouts), count(j.Judged.Unscored), count(j.Judged.WithoutAnswer)}
			if c := j.Judged.Calibration; c != nil {
				row = append(row, float(c.Error), count(c.N))
			} else {
				row = append(row, words(absent), count(0))
			}
			for _, k := range ks {
				row = append(row, stat(j.JudgePassAt[k]), stat(j.JudgeMajorityAt[k]))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Source = source(runs, Bootstrap, func(c Commands) string { return strings.Join(c.Judged, "\n") })
	t.Source.Note = remark(t.Source.Note, "rollouts that a judge left unscored are in none of its figures; each kept verdict is of one answer to one question")
	s.add(t)
}

// parts shows the scores of kinds of questions.
func parts[K cmp.Ordered](s *section, runs []*Run, id, kind string, of func(*Run) map[K]*eval.Scores, cell func(K) figures.Cell) {
	t := figures.Table{ID: id, Title: "By " + kind, Columns: []string{"run", kind, "questions", "exact match", "F1", "pass@1"}, Source: source(runs, Bootstrap, byScore)}
	most := 1
	for _, r := range runs {
		for k := range r.Score.PassAt {
			most = max(most, k)
		}
	}
	if most > 1 {
		t.Columns = append(t.Columns, "pass@"+strconv.Itoa(most), "majority@"+strconv.Itoa(most))
	}
	t.Columns = append(t.Columns, "recall@3", "recall@10", "recall@10 of all rollouts")
	for _, r := range runs {
		for _, k := range sorted(of(r)) {
			x := of(r)[k]
			row := []figures.Cell{words(r.Name), cell(k), count(x.Questions), unsaid(stat(x.EM)), unsaid(stat(x.F1)), unsaid(stat(x.PassAt[1]))}
			if most > 1 {
				row = append(row, unsaid(stat(x.PassAt[most])), unsaid(stat(x.MajorityAt[most])))
			}
			t.Rows = append(t.Rows, append(row, cut(x.Retrieval.RecallAt, 3), cut(x.Retrieval.RecallAt, 10), cut(x.Retrieval.RecallPooledAt, 10)))
		}
	}
	s.add(t)
}
