package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"trawl/eval"
	"trawl/eval/compare"
	"trawl/eval/utility"
	sections "trawl/internal/report"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// A reporter is a report under way.
type reporter struct {
	env        env
	runs       []reportRun
	options    reportOptions
	manifests  []store.Manifest
	shown      []*sections.Run
	comparison *sections.Comparison
	notes      []string
	choosers   []string // selectors that are compared
	wanted     []string // selectors that ask a model, of which decisions are shown; nil: all that are kept
}

// read reads the runs, the baseline first: it is in memory as long as the others
// are compared to it, and of those one at a time.
func (x *reporter) read(ctx context.Context) error {
	x.shown, x.manifests = make([]*sections.Run, len(x.runs)), make([]store.Manifest, len(x.runs))
	for i, r := range x.runs {
		m, err := store.ReadManifest(r.dir)
		if err != nil {
			return err
		}
		x.manifests[i] = m
	}
	if err := x.compareManifests(); err != nil {
		return err
	}
	if err := x.sameQuestions(ctx); err != nil {
		return err
	}
	base, err := x.one(ctx, x.options.baseline)
	if err != nil {
		return err
	}
	for i := range x.runs {
		if i == x.options.baseline {
			continue
		}
		other, err := x.one(ctx, i)
		if err != nil {
			return err
		}
		if err := x.pair(base, other); err != nil {
			return err
		}
	}
	return x.more(ctx)
}

// A reported is a run as it is scored.
type reported struct {
	scored
	parts []scored // the folders of the run
	name  string
	round int
	jury  *eval.Jury // the first by name; nil if no verdicts are kept
}

// one reads and scores a run.
func (x *reporter) one(ctx context.Context, i int) (*reported, error) {
	run := x.runs[i]
	r, err := x.join(ctx, run)
	if err != nil {
		return nil, err
	}
	s := r.scored
	shown := &sections.Run{Name: run.name, Config: s.manifest.Config, Lacking: map[sections.Topic]string{}, Facts: factsOf(run, r.parts)}
	shown.Commands = x.commands(run)
	x.shown[i] = shown
	options := eval.Options{
		Rollouts: s.settings.Rollout.Count, Round: r.round, States: s.states, Seed: s.manifest.Seed, Simulated: s.settings.Simulated,
	}
	if shown.Score, err = eval.Score(s.examples, s.lines, options); err != nil {
		return nil, fmt.Errorf("%s: %w", run.dir, err)
	}
	if shown.Gap, err = eval.GapOf(s.examples, s.lines, options); err != nil {
		return nil, fmt.Errorf("%s: %w", run.dir, err)
	}
	if err := x.judged(r, shown, options); err != nil {
		return nil, err
	}
	r.questions(shown)
	x.note(r, shown)
	return r, ctx.Err()
}

// join reads the folders of a run.
func (x *reporter) join(ctx context.Context, run reportRun) (*reported, error) {
	r := &reported{name: run.name}
	for i, dir := range run.dirs() {
		s, err := readScored(x.env, dir, x.options.dataset)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		r.parts = append(r.parts, s)
		if i == 0 {
			r.scored = s
			continue
		}
		r.lines, r.states = slices.Concat(r.lines, s.lines), slices.Concat(r.states, s.states)
	}
	r.examples, r.round = joined(r.parts), roundOf(r.parts)
	return r, nil
}

// judged adds the figures of every judge whose verdicts are kept.
func (x *reporter) judged(r *reported, shown *sections.Run, options eval.Options) error {
	b := newJudging(x.env, nil, storedJudge, r.parts)
	juries, err := b.juries("")
	if err != nil {
		return err
	}
	var names []who
	for w := range juries {
		names = append(names, w)
	}
	slices.SortFunc(names, func(a, b who) int {
		return cmp.Or(strings.Compare(a.judge, b.judge), strings.Compare(a.model, b.model))
	})
	for i, w := range names {
		if i == 0 {
			r.jury = juries[w]
		}
		options.Jury = juries[w]
		score, err := eval.Score(r.examples, r.lines, options)
		if err != nil {
			return fmt.Errorf("%s: %w", r.dir, err)
		}
		command := shown.Commands.Score + " --judge=" + storedJudge
		if len(names) > 1 {
			command += ":" + quoted(w.name(names))
			score.JudgedBy = w.String()
		}
		shown.Commands.Judged = append(shown.Commands.Judged, command)
		if words := strings.Fields(w.judge); len(words) > 0 && isSimulated(words[len(words)-1]) {
			shown.Score.Simulated = true
		}
		shown.Judges = append(shown.Judges, score)
	}
	return nil
}

// name returns what only w of all goes by.
func (w who) name(all []who) string {
	for _, o := range all {
		if o != w && o.judge == w.judge {
			return short(strings.TrimPrefix(w.model, hashPrefix))
		}
	}
	return w.judge
}

// questions adds what became of each question, and counts what rollouts did.
func (r *reported) questions(shown *sections.Run) {
	lines, states := map[string][]*trajectory.Trajectory{}, map[string][]trajectory.State{}
	for _, t := range newestLines(r.lines, r.round) {
		if t.Rollout < r.settings.Rollout.Count {
			lines[t.QuestionID] = append(lines[t.QuestionID], t)
		}
	}
	for _, s := range r.states {
		states[s.QuestionID] = append(states[s.QuestionID], s)
	}
	for _, ex := range r.examples {
		var done []*trajectory.Trajectory
		for _, t := range trajectory.Outcomes(lines[ex.ID], states[ex.ID], r.round) {
			if t.Error == "" {
				done = append(done, t)
			}
		}
		for _, t := range done {
			shown.Effort.Add(slices.DeleteFunc(slices.Clone(lines[ex.ID]), func(l *trajectory.Trajectory) bool {
				return l.Rollout != t.Rollout || l.Round > t.Round || l.Error != ""
			}))
		}
		shown.Questions = append(shown.Questions, sections.QuestionOf(ex, done, lines[ex.ID]))
	}
}

// newestLines returns the newest line of each key up to a round, a success before a
// failure, sorted by key.
func newestLines(all []*trajectory.Trajectory, round int) []*trajectory.Trajectory {
	newest := map[trajectory.Key]*trajectory.Trajectory{}
	for _, t := range all {
		if old := newest[t.Key()]; t.Round <= round && (old == nil || t.Error == "" || old.Error != "") {
			newest[t.Key()] = t
		}
	}
	out := make([]*trajectory.Trajectory, 0, len(newest))
	for _, t := range newest {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *trajectory.Trajectory) int { return a.Key().Compare(b.Key()) })
	return out
}

// simulatedWarning stands above every figure of such runs.
const simulatedWarning = "SIMULATED MODEL: figures say what trawl does, and nothing about any language model: "

// note adds what makes the figures of a run doubtful.
func (x *reporter) note(r *reported, shown *sections.Run) {
	for _, w := range shown.Score.Warnings {
		x.notes = append(x.notes, r.name+": "+w)
	}
	if s := shown.Score; s.Unscored > 0 && s.EM != nil {
		x.notes = append(x.notes, fmt.Sprintf("%s: %d of %d completed rollouts are of questions without gold answers: they are unscored, and in no figure of what is right", r.name, s.Unscored, s.Complete))
	}
}

// commands are those that make the figures of a run by themselves.
func (x *reporter) commands(run reportRun) sections.Commands {
	with := func(name string, flags ...string) string {
		parts := []string{"trawl", name}
		for _, dir := range run.dirs() {
			parts = append(parts, quoted(dir))
		}
		for i := 0; i < len(flags); i += 2 {
			if flags[i+1] != "" {
				parts = append(parts, flags[i], quoted(flags[i+1]))
			}
		}
		return strings.Join(parts, " ")
	}
	o := x.options
	subsets, weights, at := "", "", ""
	switch {
	case o.subsets == compare.All:
		subsets = "all"
	case o.subsets > 0:
		subsets = fmt.Sprint(o.subsets)
	}
	if len(o.at) > 0 {
		at = strings.ReplaceAll(strings.Trim(fmt.Sprint(o.at), "[]"), " ", ",")
	}
	if o.weights != utility.DefaultWeights() && o.weights != (utility.Weights{}) {
		weights = strings.ReplaceAll(o.weights.String(), " ", ",")
	}
	named := ""
	if len(o.selectors) > 0 {
		named = strings.Join(x.choosers, ",")
	}
	return sections.Commands{
		Score:    with("score", "--dataset", o.dataset),
		Select:   with("select", "--dataset", o.dataset, "--selector", named, "--model", o.model, "--at", at, "--subsets", subsets),
		Evaluate: with("evaluate", "--dataset", o.dataset, "--oracle", o.oracle, "--traps", o.traps, "--weights", weights),
		Scaffold: with("scaffold"),
		Report:   cmp.Or(o.command, with("report", "--dataset", o.dataset, "--out", o.out)),
	}
}
