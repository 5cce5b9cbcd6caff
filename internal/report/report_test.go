package report_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/compare"
	"trawl/eval/pool"
	"trawl/eval/scaffold"
	"trawl/eval/utility"
	"trawl/internal/figures"
	"trawl/internal/report"
	"trawl/internal/testutil"
	"trawl/selection/graph"
	"trawl/trajectory"
)

func stat(mean, low, high float64) *eval.Stat {
	return &eval.Stat{Mean: mean, CI95: [2]float64{low, high}, N: 2}
}

func pointer[T any](v T) *T { return &v }

// whole is a run of two questions and two rollouts of which everything is known.
func whole(name string) *report.Run {
	at := func(a, b float64) map[int]*eval.Stat { return map[int]*eval.Stat{1: stat(a, 0, 1), 2: stat(b, 0.5, 1)} }
	scores := eval.Scores{
		Questions: 2, Complete: 4, EM: stat(0.5, 0, 1), F1: stat(0.6, 0, 1), Contains: stat(0.5, 0, 1), PassAt: at(0.5, 0.75), MajorityAt: at(0.5, 0.5),
		Diversity: eval.Diversity{QPD: pointer(0.5), ATD: pointer(0.4), Overlap: pointer(0.2), ITC: pointer(0.1), RepeatedQueries: map[int]float64{2: 0.25}, N: 2},
		Retrieval: eval.Retrieval{RecallAt: map[int]float64{3: 0.5, 10: 0.75}, RecallPooledAt: map[int]float64{3: 0.6, 10: 1}, N: 2},
	}
	judged := scores
	judged.Judge, judged.JudgePassAt, judged.JudgeMajorityAt = stat(0.25, 0, 0.5), at(0.25, 0.5), at(0.25, 0.25)
	judged.Judged = &eval.Judged{Rollouts: 4, WithoutAnswer: 1, Unscored: 0, Calibration: &eval.Calibration{Error: 0.2, N: 3}}
	part := scores
	part.Questions = 1
	score := &eval.Report{
		Rollouts: 2, Round: 2, Scores: scores, ByHops: map[int]*eval.Scores{2: &part, 3: &part},
		Cost: eval.Cost{LLMCalls: 12, PromptTokens: 1000, CompletionTokens: 100, Searches: 8, Estimated: true, WallS: 2, RolloutS: 4},
		Rounds: []eval.Round{
			{Round: 1, Complete: 4, RT: stat(0.25, 0, 0.5), AP: stat(0.25, 0, 0.5), Pass: stat(0.5, 0, 1), Majority: stat(0.5, 0, 1), Own: stat(0.25, 0, 0.5)},
			{Round: 2, Complete: 4, RT: stat(0.5, 0, 1), AP: stat(0.5, 0, 1), Pass: stat(0.75, 0.5, 1), Majority: stat(0.5, 0, 1), Own: stat(0.5, 0, 1),
				Branches: eval.Branches{Planned: 4, Executed: 3, Left: 1, LeftShare: pointer(0.25), Open: pointer(2)}},
		},
		Terminations: map[trajectory.Termination]int{trajectory.Answered: 3, trajectory.TurnLimit: 1}, AnswerSources: map[trajectory.AnswerSource]int{trajectory.AnswerTag: 4},
		FirstQueries: map[trajectory.SeedSource]int{eval.FirstOwn: 4}, Simulated: true,
	}
	r := &report.Run{
		Name: name, Config: "sha256:" + name, Facts: []report.Fact{{Name: "seed", Value: "42"}}, Score: score,
		Judges: []*eval.Report{{Rollouts: 2, Round: 2, JudgedBy: "hle by m", Scores: judged}},
		Gap: &eval.Gap{Questions: 2, Rollouts: 4, At: map[int]eval.GapAt{2: {Coverage: stat(0.75, 0.5, 1), Voting: stat(0.5, 0, 1), Gap: stat(0.25, 0, 0.5), SelectedGivenCovered: pointer(2.0 / 3)}},
			Classes: eval.Classes{RightLeads: 1, Never: 1}, Extrapolated: map[int]eval.Extrapolation{16: {Coverage: 0.5, Voting: 0.5}, 64: {Coverage: 0.5, Voting: 0.5}}},
		Selection: &compare.Report{Subsets: "100", At: map[int][]compare.Row{
			1: {{Selector: "first", Accuracy: stat(0.5, 0, 1), Coverage: 0.5, Subsets: 4}},
			2: {{Selector: "majority", Accuracy: stat(0.5, 0, 1), Coverage: 0.75, SelectedGivenCovered: pointer(2.0 / 3), Subsets: 2},
				{Selector: "oracle", Accuracy: stat(0.75, 0.5, 1), VsMajority: stat(0.25, 0, 0.5), Coverage: 0.75, SelectedGivenCovered: pointer(1.0), Subsets: 2}},
		}},
		Kept: &compare.Report{Subsets: "100", At: map[int][]compare.Row{2: {{Selector: "solagg", Accuracy: stat(0.5, 0, 1), VsMajority: stat(0, 0, 0), Coverage: 0.75, Subsets: 2,
			Cost: compare.Cost{Seconds: 3, ModelCalls: 2, PromptTokens: 900, FreshPromptTokens: 900, CompletionTokens: 30}}}}},
		Pool: &pool.Report{Variant: graph.WebQA, Complete: 4, Filter: pool.Filter{Retained: 3, NoAnswer: 1, Share: pointer(0.25)},
			CoverageAt: map[int]pool.Coverage{2: {Before: stat(0.75, 0.5, 1), After: stat(0.75, 0.5, 1), Lost: stat(0, 0, 0)}}, Overlap: stat(0.2, 0.1, 0.3), Graphs: pool.Graphs{Summary: graph.Summary{Graphs: 2, Candidates: 1.5}}},
		Utility: &utility.Report{Complete: 4, PassAt1: stat(0.5, 0, 1), UAll: stat(0.4, 0, 0.8), UCorrect: stat(0.8, 0.7, 0.9), E: stat(0.9, 0.8, 1), C: stat(0.7, 0.6, 0.8), GE: stat(0.7, 0.6, 0.8),
			NotMeasured: []utility.Unmeasured{{Figure: "R_R", Why: "no traps are known"}, {Figure: "lambda_min", Why: "it needs new rollouts"}},
			Constants:   utility.DefaultWeights(), Sweep: []utility.Cell{{OmegaE: 0.5, OmegaC: 1, UAll: pointer(0.35), UCorrect: pointer(0.7)}},
			Method: utility.Method{Reported: []string{"U = …"}, Reconstruction: []string{"all constants"}}, Embedder: "hashing", Entailment: "lexical"},
		Scaffold:  &scaffold.Report{Theta: 0.5, Tasks: 2, Measured: 2, Runs: 4, LambdaMin: stat(0.5, 0.2, 1), Censored: 1, Curve: []scaffold.Point{{Lambda: 0, Success: stat(0.25, 0, 0.5)}, {Lambda: 1, Success: stat(0.75, 0.5, 1)}}},
		Questions: []report.Question{{ID: "q1", Text: "Who?", Hops: 2, Complete: 2, Distinct: 1, Right: pointer(2), Majority: pointer(true), Searches: pointer(2.0), Tokens: pointer(275.0)}, {ID: "q2", Text: "Where?", Right: pointer(0)}},
		Effort:    report.Effort{Turns: map[int]int{2: 3, 4: 1}, Searches: map[int]int{1: 3, 3: 1}},
		Commands:  report.Commands{Score: "trawl score " + name, Select: "trawl select " + name, Evaluate: "trawl evaluate " + name, Scaffold: "trawl scaffold " + name, Report: "trawl report a b --out page", Judged: []string{"trawl score " + name + " --judge=stored"}, Kept: "trawl select " + name + " --selector solagg --at 2"},
	}
	return r
}

// bare is a run without gold answers, and of one rollout.
func bare(name string) *report.Run {
	return &report.Run{
		Name: name, Config: "sha256:" + name, Commands: report.Commands{Score: "trawl score " + name, Report: "trawl report " + name + " --out page"},
		Score:     &eval.Report{Rollouts: 1, Round: 1, Scores: eval.Scores{Questions: 1, Complete: 1, Unscored: 1}},
		Questions: []report.Question{{ID: "q1", Text: "Who?", Complete: 1, Distinct: 1}},
		Lacking:   map[report.Topic]string{report.Selectors: "no question has a gold answer."},
	}
}

func compared() *report.Comparison {
	return &report.Comparison{
		Baseline: "a", Command: "trawl report a b --out page",
		Settings: []report.Setting{{Name: "seed", Values: []string{"42", "43"}, Fixed: true}, {Name: "limit", Values: []string{"", "2"}}},
		Pairs: []report.Pair{{Name: "b", Contrasted: &eval.Contrasted{A: "a", B: "b", Common: 2, OnlyA: 1, Warnings: []string{"doubtful"}, Figures: []eval.Difference{
			{Metric: "em", A: 0.5, B: 0.25, Diff: stat(-0.25, -0.5, 0), P: 0.5}, {Metric: "tokens", A: 275, B: 300.5, Diff: stat(25.5, 0, 51), P: 1},
		}}}},
	}
}

// TestSections keeps the sections of a report as golden files.
func TestSections(t *testing.T) {
	tests := []struct {
		name       string
		runs       []*report.Run
		comparison *report.Comparison
	}{
		{"one", []*report.Run{whole("a")}, nil},
		{"two", []*report.Run{whole("a"), whole("b")}, compared()},
		{"without-gold", []*report.Run{bare("a")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := report.Sections(tt.runs, tt.comparison)
			page := figures.Page{Title: tt.name, Sections: got}
			if err := figures.Render(io.Discard, page); err != nil {
				t.Error(err)
			}
			testutil.Golden(t, "sections-"+tt.name+".txt", dump(got))
		})
	}
}

// dump writes sections as people read them, with all that is in them.
func dump(all []figures.Section) string {
	var b strings.Builder
	from := func(s figures.Source) {
		fmt.Fprintf(&b, "  n: %s; interval: %s; settings: %q; command: %q; note: %s\n", s.N, s.Interval, s.Settings, s.Command, s.Note)
	}
	for _, s := range all {
		fmt.Fprintf(&b, "%s: %s\n", s.ID, s.Title)
		for _, text := range s.Text {
			fmt.Fprintln(&b, "  "+text)
		}
		for _, p := range s.Plots {
			fmt.Fprintf(&b, "  plot %s: %s; x: %+v, y: %+v\n", p.ID, p.Title, p.X, p.Y)
			for _, x := range p.Series {
				fmt.Fprintf(&b, "    %s %s dashed %t:", x.Name, x.Shape, x.Dashed)
				for _, point := range x.Points {
					fmt.Fprintf(&b, " %g→%s", point.X, cell(figures.Cell{Value: &point.Y, Interval: point.Interval}))
				}
				fmt.Fprintln(&b)
			}
			from(p.Source)
		}
		for _, x := range s.Tables {
			fmt.Fprintf(&b, "  table %s: %s\n    %s\n", x.ID, x.Title, strings.Join(x.Columns, " | "))
			for _, row := range x.Rows {
				var cells []string
				for _, c := range row {
					cells = append(cells, cell(c))
				}
				fmt.Fprintln(&b, "    "+strings.Join(cells, " | "))
			}
			from(x.Source)
		}
	}
	return b.String()
}

func cell(c figures.Cell) string {
	out := c.Text
	if c.Value != nil {
		if v := fmt.Sprintf("%.4g", *c.Value); v != out {
			out += "=" + v
		}
	}
	if c.Interval != nil {
		out += fmt.Sprintf("[%.4g, %.4g]", c.Interval[0], c.Interval[1])
	}
	if c.N > 0 {
		out += fmt.Sprintf(" n%d", c.N)
	}
	return out
}

// Every figure says whose settings it is of and what makes it; the settings table
// alone is made by nobody.
func TestSources(t *testing.T) {
	for _, s := range report.Sections([]*report.Run{whole("a"), whole("b")}, compared()) {
		check := func(id string, from figures.Source) {
			if len(from.Settings) == 0 || from.Command == "" && id != "facts" {
				t.Errorf("%s: source %+v", id, from)
			}
		}
		for _, p := range s.Plots {
			check(p.ID, p.Source)
		}
		for _, x := range s.Tables {
			check(x.ID, x.Source)
		}
	}
}

// What differs is said before any figure is compared, and that nothing differs too.
func TestDifferencesComeFirst(t *testing.T) {
	var ids []string
	for _, s := range report.Sections([]*report.Run{whole("a"), whole("b")}, compared()) {
		ids = append(ids, s.ID)
	}
	want := []string{"runs", "differing", "comparison", "answers", "gap", "rounds", "diversity", "selectors", "pools", "utility", "method", "work", "questions", "settings"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	c := compared()
	c.Settings = nil
	if s := report.Sections([]*report.Run{whole("a"), whole("b")}, c)[1]; len(s.Tables) > 0 || !strings.HasPrefix(s.Text[0], "Nothing differs between the manifests") {
		t.Errorf("of equal manifests: %q", s.Text)
	}
}

// TestQuestionOf works three rollouts by hand: Paris, paris, and one that failed, in
// two rounds of which each took 100 tokens and one search. 400/2 tokens, 4/2 searches.
func TestQuestionOf(t *testing.T) {
	ex := dataset.Example{Question: trajectory.Question{ID: "q", Text: "Where?"}, Golds: []string{"Paris"}, Source: "x", Hops: 2}
	line := func(round, rollout int, answer, err string) *trajectory.Trajectory {
		return &trajectory.Trajectory{QuestionID: "q", Round: round, Rollout: rollout, Answer: answer, Error: err, Usage: trajectory.Usage{Prompt: 90, Completion: 10, Searches: 1}}
	}
	lines := []*trajectory.Trajectory{line(1, 0, "Lyon", ""), line(1, 1, "Lyon", ""), line(1, 2, "", "unreachable"), line(2, 0, "Paris", ""), line(2, 1, "paris.", "")}
	want := report.Question{ID: "q", Text: "Where?", Source: "x", Hops: 2, Complete: 2, Distinct: 1, Right: pointer(2), Majority: pointer(true), Searches: pointer(2.0), Tokens: pointer(200.0)}
	if diff := cmp.Diff(want, report.QuestionOf(ex, []*trajectory.Trajectory{lines[3], lines[4], lines[2]}, lines)); diff != "" {
		t.Errorf("question (-want +got):\n%s", diff)
	}
	ex.Golds = nil
	if q := report.QuestionOf(ex, lines[3:], lines); q.Right != nil || q.Majority != nil {
		t.Errorf("without gold answers: right %v, majority %v", q.Right, q.Majority)
	}
	empty := line(1, 0, "", "")
	empty.Usage = trajectory.Usage{}
	ex.Golds = []string{"Paris"}
	if q := report.QuestionOf(ex, []*trajectory.Trajectory{empty}, []*trajectory.Trajectory{empty}); *q.Right != 0 || q.Majority != nil || q.Distinct != 0 || q.Tokens != nil {
		t.Errorf("without an answer: %+v", q)
	}
}

// A page shows the first questions of too many, and says so.
func TestTooManyQuestions(t *testing.T) {
	r := bare("a")
	r.Questions = nil
	for i := range report.MostQuestions + 1 {
		r.Questions = append(r.Questions, report.Question{ID: string(rune('a'+i%26)) + strings.Repeat("x", i/26)})
	}
	all := report.Sections([]*report.Run{r}, nil)
	x := table(t, all, "every-question")
	if len(x.Rows) != report.MostQuestions+1 || x.Most != report.MostQuestions || x.All != report.AllQuestions || x.Title != "The first 2000 of 2001 questions" {
		t.Errorf("%d rows, %d shown, all in %q, %q", len(x.Rows), x.Most, x.All, x.Title)
	}
	below := report.Below(all, []string{"doubtful"})
	if len(below) != 1 || below[0].Folder != report.AllQuestions {
		t.Fatalf("below: %v", below)
	}
	if x := table(t, below[0].Page.Sections, "every-question"); len(x.Rows) != report.MostQuestions+1 || x.Most != 0 || x.All != "" || below[0].Page.Notes[0] != "doubtful" {
		t.Errorf("the page below shows %d of %d rows, notes %q", x.Most, len(x.Rows), below[0].Page.Notes)
	}
	if below := report.Below(report.Sections([]*report.Run{bare("a")}, nil), nil); below != nil {
		t.Errorf("one question has a page of its own: %v", below)
	}
}

// table returns a table of sections.
func table(t *testing.T, all []figures.Section, id string) figures.Table {
	t.Helper()
	for _, s := range all {
		for _, x := range s.Tables {
			if x.ID == id {
				return x
			}
		}
	}
	t.Fatalf("there is no table %s", id)
	return figures.Table{}
}

func plot(t *testing.T, all []figures.Section, id string) figures.Plot {
	t.Helper()
	for _, s := range all {
		for _, x := range s.Plots {
			if x.ID == id {
				return x
			}
		}
	}
	t.Fatalf("there is no plot %s", id)
	return figures.Plot{}
}

// Where figures are over fewer questions than the run has, the caption has their n, and
// what of the run is in none.
func TestCaptions(t *testing.T) {
	r := whole("a")
	r.Score.Questions, r.Score.Complete, r.Score.Failed, r.Score.Missing, r.Score.Unscored = 30, 57, 2, 1, 28
	r.Score.PassAt = map[int]*eval.Stat{1: {Mean: 0.5, N: 15}, 2: {Mean: 0.75, N: 12}}
	r.Score.MajorityAt = map[int]*eval.Stat{1: {Mean: 0.5, N: 15}}
	all := report.Sections([]*report.Run{r}, nil)
	base := "30 questions × 2 rollouts, 57 complete, 2 failed, 1 missing, 28 unscored, without gold answers"
	for id, want := range map[string]string{
		"plot-pass": "n = 12–15 questions; of " + base, "plot-majority": "n = 15 questions; of " + base, "plot-searches": "n = 4 completed rollouts; of " + base,
		"plot-selectors": "n = 2 questions; of " + base,
	} {
		if got := plot(t, all, id).Source.N; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if got := table(t, all, "scores").Source.N; got != base {
		t.Errorf("scores: %q, want %q", got, base)
	}
}

// Of twelve runs plots show eight, the baseline among them, and say so; tables show all.
func TestManyRuns(t *testing.T) {
	var runs []*report.Run
	for i := range 12 {
		runs = append(runs, whole(fmt.Sprintf("run%d", i)))
	}
	c := compared()
	c.Baseline, c.Settings = "run11", nil
	all := report.Sections(runs, c)
	if err := figures.Render(io.Discard, figures.Page{Sections: all}); err != nil {
		t.Error(err)
	}
	first := *c.Pairs[0].Contrasted
	c.Pairs = nil
	for i := range 3 {
		x := first
		x.OnlyB = i / 2
		c.Pairs = append(c.Pairs, report.Pair{Name: fmt.Sprintf("run%d", i), Contrasted: &x})
	}
	said := report.Sections(runs, c)[2].Text[1:3]
	want := []string{
		"run11 and each of run0, run1 have 2 questions in common; 1 are only of run11, 0 only of the other run.",
		"run11 and run2 have 2 questions in common; 1 are only of run11, 1 only of run2.",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("in common (-want +got):\n%s", diff)
	}
	p := plot(t, all, "plot-pass")
	var names []string
	for _, x := range p.Series {
		names = append(names, x.Name)
	}
	want = []string{"run0", "run1", "run2", "run3", "run4", "run5", "run6", "run11"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	if !strings.Contains(p.Source.Note, "the first 8 of 12 runs; the table has all") || len(p.Source.Settings) > 0 || strings.Contains(p.Source.Command, "\n") {
		t.Errorf("source %+v", p.Source)
	}
	if n := len(table(t, all, "pass").Rows); n != 12 {
		t.Errorf("%d rows of 12 runs", n)
	}
	if n := len(table(t, all, "every-question").Columns); n != 4+2*12 {
		t.Errorf("%d columns of questions", n)
	}
	gaps := 0
	for _, s := range all {
		for _, p := range s.Plots {
			if strings.HasPrefix(p.ID, "plot-gap-") {
				gaps++
			}
		}
	}
	if plot(t, all, "plot-gap-12"); gaps != 8 {
		t.Errorf("%d plots of gaps, want those of 8 runs, and the baseline's", gaps)
	}
}

// A figure of one name that is compared with one of another has both names.
func TestCrossed(t *testing.T) {
	c := compared()
	c.Pairs[0].Contrasted.Crossed = []eval.Difference{{Metric: "majority@8", MetricB: "em", A: 0.5, B: 0.75, Diff: stat(0.25, 0, 0.5), P: 0.25}}
	all := report.Sections([]*report.Run{whole("a"), whole("b")}, c)
	rows := table(t, all, "paired").Rows
	if last := rows[len(rows)-1]; last[1].Text != "em less majority@8" || *last[3].Value != 0.5 || *last[4].Value != 0.75 {
		t.Errorf("row %+v", last)
	}
	if names := plot(t, all, "plot-paired").X.Names; !slices.Contains(names, "em less majority@8") {
		t.Errorf("places %q", names)
	}
}

// A rollout's rounds count together: 3 + 1 turns, 2 + 0 searches.
func TestEffort(t *testing.T) {
	var e report.Effort
	e.Add([]*trajectory.Trajectory{
		{Round: 1, Steps: []trajectory.Step{{Turn: 1}, {Turn: 1}, {Turn: 3}}, Usage: trajectory.Usage{Searches: 2}},
		{Round: 2, Steps: []trajectory.Step{{Turn: 1}}},
	})
	e.Add(nil)
	want := report.Effort{Turns: map[int]int{4: 1, 0: 1}, Searches: map[int]int{2: 1, 0: 1}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("effort (-want +got):\n%s", diff)
	}
}

// The bars of a histogram sum to 1, also where several numbers share one.
func TestHistogram(t *testing.T) {
	r := whole("a")
	r.Effort.Searches = map[int]int{0: 1, 7: 2, 99: 1}
	all := report.Sections([]*report.Run{r}, nil)
	at := slices.IndexFunc(all, func(s figures.Section) bool { return s.ID == string(report.Work) })
	p := all[at].Plots[0]
	sum := 0.0
	for _, point := range p.Series[0].Points {
		sum += point.Y
	}
	if sum != 1 || len(p.X.Names) != 15 || p.X.Names[0] != "0–6" || p.X.Names[14] != "98–99" || p.Series[0].Points[1].Y != 0.5 {
		t.Errorf("sum %g, bars %q, %v", sum, p.X.Names, p.Series[0].Points)
	}
}
