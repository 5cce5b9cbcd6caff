package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/judge"
	"trawl/internal/config"
	"trawl/trajectory/store"
)

// The judges that ask no model.
const (
	storedJudge = "stored" // verdicts that are in the run folder
	gaiaJudge   = "gaia"   // GAIA's own scorer
)

// judgeNames lists what --judge takes.
func judgeNames() string {
	var names []string
	for _, s := range judge.Styles() {
		names = append(names, string(s))
	}
	return strings.Join(append(names, gaiaJudge, storedJudge), ", ")
}

// isJudge reports whether --judge takes s.
func isJudge(s string) bool {
	return s == gaiaJudge || isStored(s) || asksModel(s)
}

func isStored(s string) bool { return s == storedJudge || strings.HasPrefix(s, storedJudge+":") }

func asksModel(s string) bool { return slices.Contains(judge.Styles(), judge.Style(s)) }

// namedJudge takes the name of a judge out of what stands behind a --judge that
// has no "=": "--judge hle" is how people write it, and a folder of such a name can
// be written ./hle.
func namedJudge(args []string, name string) (dirs []string, judge string) {
	for i, arg := range args {
		if _, err := os.Stat(arg); isJudge(arg) && err != nil {
			return slices.Delete(slices.Clone(args), i, i+1), arg
		}
	}
	return args, name
}

// judgeFlag reads --judge and returns the run folders.
func judgeFlag(cmd *cobra.Command, o *scoreOptions, args []string) ([]string, error) {
	if o.judge == string(judge.BrowseComp) {
		args, o.judge = namedJudge(args, o.judge)
	}
	if len(args) == 0 {
		return nil, errors.New("RUN is missing")
	}
	if cmd.Flags().Changed("judge") && !isJudge(o.judge) {
		return nil, fmt.Errorf("--judge %s: want one of %s", o.judge, judgeNames())
	}
	for _, name := range []string{"config", "set", "endpoint"} {
		if cmd.Flags().Changed(name) && !asksModel(o.judge) {
			return nil, fmt.Errorf("--%s says how a model is asked: it goes with --judge", name)
		}
	}
	return args, nil
}

// A judging is a judge and the run folders whose answers it rules on.
type judging struct {
	env      env
	settings *config.Settings
	name     string // of the judge, as --judge has it
	runs     []scored
	examples map[string]dataset.Example // by id
}

func newJudging(e env, s *config.Settings, name string, runs []scored) *judging {
	b := &judging{env: e, settings: s, name: name, runs: runs, examples: map[string]dataset.Example{}}
	for _, r := range runs {
		for _, ex := range r.examples {
			b.examples[ex.ID] = ex
		}
	}
	return b
}

// A ruled is what came of judging.
type ruled struct {
	eval.Jury
	simulated bool
	asked     int    // answers that were to be ruled on
	unscored  string // why one of them has no ruling; "" if all have
}

// rule has the judge rule on answers.
func (b *judging) rule(ctx context.Context, answers []eval.Answered) (*ruled, error) {
	if isStored(b.name) {
		return b.stored(answers)
	}
	answers = slices.DeleteFunc(slices.Clone(answers), func(a eval.Answered) bool { return len(b.examples[a.QuestionID].Golds) == 0 })
	if !slices.ContainsFunc(slices.Collect(maps.Values(b.examples)), func(ex dataset.Example) bool { return len(ex.Golds) > 0 }) {
		return nil, errors.New("--judge: the data set has no gold answers to judge by; --dataset names one that has")
	}
	if b.name == gaiaJudge {
		return b.gaia(answers), nil
	}
	return b.ask(ctx, answers)
}

// gaia rules by GAIA's own scorer.
func (b *judging) gaia(answers []eval.Answered) *ruled {
	r := &ruled{Jury: eval.Jury{Name: "GAIA's scorer", Rulings: map[eval.Answered]bool{}}, asked: len(answers)}
	for _, a := range answers {
		r.Rulings[a] = slices.ContainsFunc(b.examples[a.QuestionID].Golds, func(gold string) bool { return judge.GAIA(gold, a.Answer) })
	}
	return r
}

// askedOf returns the hash of what an answer to a question is judged by.
func askedOf(ex dataset.Example) string { return store.Hash([]any{ex.Text, ex.Golds}) }

// hashPrefix begins the identity of a judge.
const hashPrefix = "sha256:"

// A who names a judge whose verdicts are stored.
type who struct{ judge, model string }

func (w who) String() string {
	return strings.TrimSpace(w.judge + " " + short(strings.TrimPrefix(w.model, hashPrefix)))
}

// goesBy reports whether name is that of the judge, or begins its hash.
func (w who) goesBy(name string) bool {
	return name == w.judge || strings.HasPrefix(strings.TrimPrefix(w.model, hashPrefix), name)
}

// stored rules by the verdicts in the folders, which have to be one judge's.
func (b *judging) stored(answers []eval.Answered) (*ruled, error) {
	_, name, _ := strings.Cut(b.name, ":")
	juries, err := b.juries(name)
	if err != nil {
		return nil, err
	}
	if len(juries) == 0 {
		return nil, fmt.Errorf("--judge %s: %s has no such verdicts; trawl import --verdicts keeps those of others, and --judge %s asks a model", b.name, b.runs[0].dir, judge.BrowseComp)
	}
	var names []string
	r := &ruled{asked: len(answers)}
	for w, jury := range juries {
		names = append(names, w.String())
		r.Jury = *jury
	}
	if slices.Sort(names); len(names) > 1 {
		return nil, fmt.Errorf("--judge %s: %s has the verdicts of %d judges: %s; name one with --judge=stored:NAME, or with its hash", b.name, b.runs[0].dir, len(names), strings.Join(names, ", "))
	}
	words := strings.Fields(r.Name)
	r.simulated = len(words) > 0 && isSimulated(words[len(words)-1])
	for _, a := range answers {
		if _, ok := r.Rulings[a]; !ok {
			r.unscored = fmt.Sprintf("there is no verdict on %q", a.Answer)
			break
		}
	}
	return r, nil
}

// juries returns what the judges that go by a name said. A verdict by other gold
// answers than the present ones is none.
func (b *judging) juries(name string) (map[who]*eval.Jury, error) {
	juries := map[who]*eval.Jury{}
	for _, run := range b.runs {
		verdicts, counts, err := store.ReadVerdicts(run.dir)
		if err != nil {
			return nil, err
		}
		tellCounts(b.env, filepath.Join(run.dir, "verdicts.jsonl"), counts)
		for _, v := range verdicts {
			w := who{v.Judge, v.Model}
			if !w.goesBy(name) {
				continue
			}
			if juries[w] == nil {
				juries[w] = &eval.Jury{Name: v.Judge, Rulings: map[eval.Answered]bool{}, Except: map[eval.Answered][]int{}}
			}
			if a := (eval.Answered{QuestionID: v.QuestionID, Answer: v.Answer}); v.Golds == "" || v.Golds == askedOf(b.examples[v.QuestionID]) {
				juries[w].Rulings[a], juries[w].Except[a] = v.Correct, v.Except
			}
		}
	}
	return juries, nil
}
