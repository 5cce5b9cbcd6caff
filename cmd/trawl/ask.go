package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/rollout"
	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/selection/graph"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// askedDataset is what the manifest of an asked question has for a data set.
const askedDataset = "ask"

const askHelp = `Answer one research question: K search rollouts with diverse first queries, and the
answer that most of them reach, with the documents it stands on. With --rounds each
rollout goes on for several rounds, each of which starts from a summary of the one before.

  trawl ask "Who directed the film that won Best Picture in 1998?" --index IDX
  trawl ask "..." --index IDX -k 4 --rounds 3 --set recursion.mode=merged`

// An askOptions is how trawl ask is to go about it.
type askOptions struct {
	out  string
	json bool
}

func newAsk(e env) *cobra.Command {
	var (
		o askOptions
		f settingsFlags
	)
	cmd := &cobra.Command{
		Use:   "ask QUESTION --index DIR",
		Short: "Answer one research question",
		Long:  askHelp,
		Args:  needs("QUESTION", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAsk(cmd, e, f, o, text.Collapse(args[0]))
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "keep the rollouts in this run `folder`")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	f.register(cmd, configGroup, modelGroup, retrievalGroup, rolloutGroup, selectorGroup)
	return cmd
}

func runAsk(cmd *cobra.Command, e env, f settingsFlags, o askOptions, question string) (err error) {
	if question == "" {
		return usageError{command: cmd.CommandPath(), err: errors.New("the question is empty")}
	}
	ctx := cmd.Context()
	s, err := f.load(cmd, e)
	if err != nil {
		return err
	}
	out := o.out
	if out == "" {
		if out, err = os.MkdirTemp("", "trawl-ask-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(out)) }()
	}
	dialect, err := knownDialect(out)
	if err != nil {
		return err
	}
	x := newSelectors(e, s) // before the rollouts, which cost more than to find out that it does not open
	defer func() { err = errors.Join(err, x.close()) }()
	sel, name, err := x.choose(ctx, graph.WebQA)
	if err != nil {
		return err
	}
	p, err := openPipeline(ctx, e, s, dialect)
	if err != nil {
		return err
	}
	q := trajectory.Question{ID: "ask-" + strconv.FormatInt(seed.Derive(0, question), 36), Text: question}
	sum, err := execute(ctx, e, p, runJob{
		settings: s, questions: []trajectory.Question{q}, out: out,
		shard: rollout.Shard{I: 1, N: 1}, dataset: store.Dataset{Name: askedDataset, SHA256: store.Hash(question)},
	})
	if err = errors.Join(err, p.close()); err != nil {
		return stoppedAsk(ctx, o, sum, err)
	}
	a, err := choose(ctx, sel, name, out, q)
	var failed undecidedError
	if errors.As(err, &failed) { // what the rollouts cost is not thrown away
		var again error
		if a, again = choose(ctx, baseline.Majority{}, "majority", out, q); again != nil {
			return errors.Join(err, again)
		}
		a.Note = failed.Error()
	} else if err != nil {
		return err
	}
	a.Simulated = p.simulated() || x.models.simulated()
	if o.json {
		return errors.Join(writeJSON(e.stdout, a), err)
	}
	a.write(e)
	return err
}

// An undecidedError says that a selector could not decide among rollouts that
// have answers.
type undecidedError struct {
	selector string
	err      error
}

func (u undecidedError) Error() string {
	return fmt.Sprintf("%s could not decide, and the answer is that of the majority: %v", u.selector, u.err)
}

func (u undecidedError) Unwrap() error { return u.err }

func stoppedAsk(ctx context.Context, o askOptions, sum rollout.Summary, err error) error {
	if o.out != "" {
		return stopped(o.out, sum, err)
	}
	if ctx.Err() != nil {
		return errors.New("nothing was kept; --out RUN keeps the rollouts of a question")
	}
	return err
}

// An asked is what came of a question.
type asked struct {
	Question   string      `json:"question"`
	Answer     string      `json:"answer"`
	Selector   string      `json:"selector"`
	Note       string      `json:"note,omitempty"` // of the selector on its choice
	Simulated  bool        `json:"simulated"`
	Evidence   []evidence  `json:"evidence"`
	Candidates []candidate `json:"candidates"`
	Failed     []string    `json:"failed,omitempty"` // why rollouts failed
	written    bool        // by the selector, and not the answer of a rollout
}

// A candidate is the answer of one rollout.
type candidate struct {
	Rollout     int                    `json:"rollout"`
	Answer      string                 `json:"answer"`
	Before      []string               `json:"answers_before,omitempty"` // after each round before the last
	Score       *float64               `json:"score"`                    // null if the selector gives none
	FirstQuery  string                 `json:"first_query"`
	Searches    int                    `json:"searches"` // of all rounds
	Termination trajectory.Termination `json:"termination"`
	chosen      bool
}

// choose selects among what the rollouts of q in the run folder dir came to, by
// the selector of that name.
func choose(ctx context.Context, sel selection.Selector, name, dir string, q trajectory.Question) (_ *asked, err error) {
	lines, err := store.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	rounds, states, err := recordsOf(lines, q.ID)
	if err != nil {
		return nil, err
	}
	last := max(1, lines.Round())
	ended, past := trajectory.Outcomes(rounds, states, last), pastOf(rounds, states, last)
	a := &asked{Question: q.Text, Selector: name}
	var done []*trajectory.Trajectory
	for _, t := range ended {
		if t.Error == "" {
			done = append(done, t)
		} else {
			a.Failed = append(a.Failed, t.Error)
		}
	}
	d, err := sel.Select(ctx, selection.Group{Question: q, Trajectories: done})
	if err == nil && d.Answer == "" {
		err = errors.New(d.Note)
	}
	switch {
	case errors.Is(err, selection.ErrEmpty):
		return nil, fmt.Errorf("no rollout has an answer: %d ended without one, %d failed%s", len(done), len(a.Failed), firstReason(a.Failed))
	case err != nil && ctx.Err() == nil:
		return nil, undecidedError{name, err}
	case err != nil:
		return nil, err
	}
	a.Answer, a.Note, a.Evidence = d.Answer, d.Note, evidenceFor(d.Answer, answering(rounds, done))
	a.written = d.Index < 0
	for i, t := range done {
		c := past[t.Rollout]
		c.Rollout, c.Answer, c.Termination = t.Rollout, t.Answer, t.Termination
		if d.Scores != nil {
			c.Score = &d.Scores[i]
		}
		c.chosen = i == d.Index
		a.Candidates = append(a.Candidates, c)
	}
	return a, nil
}

// pastOf returns what each rollout did in its rounds: its first query, how many
// searches it made, and what it had come to after each round before the last.
func pastOf(rounds []*trajectory.Trajectory, states []trajectory.State, last int) map[int]candidate {
	past := map[int]candidate{}
	for _, t := range rounds {
		c := past[t.Rollout]
		c.Searches += t.Usage.Searches
		if c.FirstQuery == "" {
			c.FirstQuery = firstQuery(t)
		}
		past[t.Rollout] = c
	}
	for round := 1; round < last; round++ {
		for _, t := range trajectory.Outcomes(rounds, states, round) {
			c := past[t.Rollout]
			c.Before = append(c.Before, t.Answer)
			past[t.Rollout] = c
		}
	}
	return past
}

// answering returns the lines of all rounds, each with the answer that its
// rollout came to: what an answer stands on may have been found in any of them.
func answering(rounds, ended []*trajectory.Trajectory) []*trajectory.Trajectory {
	answers := map[int]string{}
	for _, t := range ended {
		answers[t.Rollout] = t.Answer
	}
	var out []*trajectory.Trajectory
	for _, t := range rounds {
		if answer, ok := answers[t.Rollout]; ok {
			found := *t
			found.Answer = answer
			out = append(out, &found)
		}
	}
	return out
}

func firstReason(failed []string) string {
	if len(failed) == 0 {
		return ""
	}
	return " (" + failed[0] + ")"
}

func firstQuery(t *trajectory.Trajectory) string {
	i := slices.IndexFunc(t.Steps, func(s trajectory.Step) bool { return s.Kind == trajectory.KindSearch })
	if i < 0 {
		return ""
	}
	return t.Steps[i].Query
}

// why says how the answer was chosen, and how clear the choice was.
func (a *asked) why() string {
	if a.written {
		return fmt.Sprintf("written by %s from %d rollouts", a.Selector, len(a.Candidates)) + a.note()
	}
	if a.Selector != "majority" {
		return fmt.Sprintf("chosen by %s among %d rollouts", a.Selector, len(a.Candidates)) + a.note()
	}
	mine, most := 0, map[string]int{}
	for _, c := range a.Candidates {
		most[text.AnswerKey(c.Answer)]++
	}
	mine = most[text.AnswerKey(a.Answer)]
	rivals := 0
	for key, n := range most {
		if key != "" && key != text.AnswerKey(a.Answer) && n == mine {
			rivals++
		}
	}
	said := fmt.Sprintf("the answer of %d of %d rollouts", mine, len(a.Candidates))
	switch {
	case rivals == 1:
		said += "; one other answer has as many, and this one came first"
	case rivals > 1:
		said += fmt.Sprintf("; %d other answers have as many, and this one came first", rivals)
	}
	return said
}

// note is what the selector said of its choice, as it stands behind why.
func (a *asked) note() string {
	if a.Note == "" {
		return ""
	}
	return " (" + a.Note + ")"
}

// write prints the answer, what it stands on, and what else was answered.
func (a *asked) write(e env) {
	fmt.Fprintf(e.stdout, "%s\n\n%s%s\n\n", a.Answer, a.why(), simulatedNote(a.Simulated))
	switch {
	case len(a.Evidence) == 0:
		fmt.Fprintln(e.stdout, "evidence: none; no rollout with this answer found a document")
	case a.Evidence[0].Says:
		fmt.Fprintln(e.stdout, "evidence: documents that state the answer")
	default:
		fmt.Fprintln(e.stdout, "evidence: no document states the answer; its rollouts found")
	}
	for i, ev := range a.Evidence {
		fmt.Fprintf(e.stdout, "%2d. %s  [%s; rollouts %s]\n    %s\n", i+1, text.Printable(ev.Title), text.Printable(ev.ID), join(ev.Rollouts), ev.Text)
	}
	fmt.Fprint(e.stdout, "\ncandidates\n")
	for _, c := range a.Candidates {
		mark := " "
		if c.chosen {
			mark = ">"
		}
		fmt.Fprintf(e.stdout, "%s %d. %s  (%ssearches: %d, %s; began with %q%s)\n",
			mark, c.Rollout, answerOrNone(c.Answer), c.score(), c.Searches, c.Termination, c.FirstQuery, c.before())
	}
	for _, why := range a.Failed {
		fmt.Fprintf(e.stdout, "  failed: %s\n", why)
	}
}

// score says how the selector scored the candidate, if it did.
func (c candidate) score() string {
	if c.Score == nil {
		return ""
	}
	return fmt.Sprintf("score %.2f, ", *c.Score)
}

// before says what the rollout answered in earlier rounds.
func (c candidate) before() string {
	if len(c.Before) == 0 {
		return ""
	}
	said := make([]string, len(c.Before))
	for i, answer := range c.Before {
		said[i] = answerOrNone(answer)
	}
	return "; in the rounds before: " + strings.Join(said, ", ")
}

func answerOrNone(s string) string {
	if s == "" {
		return "(no answer)"
	}
	return excerpt(s, shownText)
}

func join(ns []int) string {
	parts := make([]string, len(ns))
	for i, n := range ns {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ", ")
}
