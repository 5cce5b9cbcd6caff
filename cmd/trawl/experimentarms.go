package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"trawl/configs"
	"trawl/internal/config"
	"trawl/internal/experiment"
)

// An arm is one run of an experiment.
type arm struct {
	name     string
	dir      string
	settings *config.Settings
	command  string // that makes the same run

	ran      bool // in this process, if there was anything to do
	finished bool // no rollout is left to do, or failed
}

// settingOf returns the setting that each flag of an experiment stands for.
func settingOf() map[string]string {
	return map[string]string{
		"seed": "seed", "endpoint": "models.agent.endpoints", "model": "models.agent.name", "index": "retrieval.index",
		"rollouts": "rollout.count", "turns": "agent.turns", "rounds": "recursion.rounds", "concurrency": "rollout.concurrency",
		"first-query": "rollout.first-query", "selector-model": "selection.model", "embedder": "models.embedder", "device": "selection.device",
	}
}

// settle returns the arms with their settings: the defaults, the experiment's, those
// of -c, --set, flags and the arm's, each over the one before. All arms are settled
// before anything is run.
func (t *trial) settle() ([]*arm, error) {
	file, err := t.fileSettings()
	if err != nil {
		return nil, err
	}
	if v := t.experiment.Vary; v != nil && slices.ContainsFunc(strings.Split(v.Key, "."), namesSecret) {
		return nil, fmt.Errorf("%s: vary.key: %s is a secret, and its values would be names of folders", t.experiment.From, v.Key)
	}
	base := t.experiment.Settings.Without(file)
	var arms []*arm
	for _, x := range t.experiment.Arms {
		if err := t.refuseFlags(x); err != nil {
			return nil, usageError{command: t.cmd.CommandPath(), err: err}
		}
		s, err := t.load(base, x)
		if err != nil {
			return nil, err
		}
		a := &arm{name: x.Name, dir: t.folder(x.Name), settings: s}
		a.command = t.runCommand(base, x, a.dir)
		for _, before := range arms {
			if reflect.DeepEqual(before.settings, s) {
				return nil, fmt.Errorf("%s: the arms %s and %s have the same settings: there is nothing to compare", t.experiment.From, before.name, a.name)
			}
		}
		arms = append(arms, a)
	}
	return arms, t.checkAt(arms)
}

// several reports whether the questions of an arm have several rollouts, among which
// there is something to choose.
func (a *arm) several() bool { return a.settings.Rollout.Count > 1 }

// checkAt makes sure that there are rollouts to choose among, if the experiment does,
// and as many as it asks for. Arms of one rollout a question have no part in that.
func (t *trial) checkAt(arms []*arm) error {
	x := t.experiment
	if c := x.CrossValidate; c != nil {
		if i := slices.IndexFunc(arms, func(a *arm) bool { return a.name == c.Arm }); !arms[i].several() {
			return fmt.Errorf("%s: crossvalidate: the arm %s has one rollout a question, so there is nothing to choose: rollout.count sets how many", x.From, c.Arm)
		}
	}
	if x.Select == nil {
		return nil
	}
	if !slices.ContainsFunc(arms, (*arm).several) {
		return fmt.Errorf("%s: select: a question has one rollout, so there is nothing to choose: rollout.count sets how many", x.From)
	}
	most := slices.Max(append([]int{0}, x.Select.At.Counts...))
	for _, a := range arms {
		if a.several() && most > a.settings.Rollout.Count {
			return fmt.Errorf("%s: select.at: %d is beyond the %d rollouts a question of the arm %s", x.From, most, a.settings.Rollout.Count, a.name)
		}
	}
	return nil
}

// fileSettings returns what the settings file or preset of -c sets.
func (t *trial) fileSettings() (experiment.Settings, error) {
	name := t.flags.config
	if name == "" {
		return nil, nil
	}
	if _, err := config.Load(name, nil, t.env.getenv); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil { // then it is a preset, or nothing would have been loaded
		text, err = configs.FS.ReadFile(strings.TrimSuffix(name, ".yaml") + ".yaml")
	}
	if err != nil {
		return nil, err
	}
	return experiment.Leaves(text)
}

// load returns the settings of an arm.
func (t *trial) load(base experiment.Settings, x experiment.Arm) (*config.Settings, error) {
	f := t.flags
	f.selector = config.Default().Selection.Selector // --selector names several here, and is not that setting
	f.set = slices.Concat(words(base), t.flags.set, words(x.Settings))
	s, err := f.load(t.cmd, t.env)
	var bad config.OverrideError
	if !errors.As(err, &bad) || slices.Contains(t.flags.set, bad.Override) {
		return s, err
	}
	for _, set := range slices.Concat(x.Settings, base) {
		if set.String() == bad.Override {
			at := ""
			if set.Line > 0 {
				at = fmt.Sprintf("[%d:%d] ", set.Line, set.Column)
			}
			return nil, fmt.Errorf("%s: arm %s: %s%s: %w", t.experiment.From, x.Name, at, set.Key, bad.Err)
		}
	}
	return s, err
}

// words returns settings as they stand behind --set.
func words(settings experiment.Settings) []string {
	out := make([]string, len(settings))
	for i, s := range settings {
		out[i] = s.String()
	}
	return out
}

// refuseFlags makes sure that no flag says what an arm says.
func (t *trial) refuseFlags(x experiment.Arm) error {
	for _, set := range t.flags.set {
		key, _, _ := strings.Cut(set, "=")
		if x.Settings.Has(strings.TrimSpace(key)) {
			return fmt.Errorf("--set %s: the arm %s of %s sets that, and what arms set is what the experiment compares", set, x.Name, t.experiment.Name)
		}
	}
	var err error
	keys := settingOf()
	t.cmd.Flags().Visit(func(f *pflag.Flag) {
		if key, ok := keys[f.Name]; ok && x.Settings.Has(key) && err == nil {
			err = fmt.Errorf("--%s: the arm %s of %s sets %s, and what arms set is what the experiment compares", f.Name, x.Name, t.experiment.Name, key)
		}
	})
	return err
}

// runCommand returns the trawl run that makes the run of an arm, without secrets.
func (t *trial) runCommand(base experiment.Settings, x experiment.Arm, dir string) string {
	line := []string{"trawl", "run", "--out", dir}
	for _, set := range base {
		line = append(line, "--set", set.String())
	}
	line = append(line, t.given(func(name string) bool {
		_, setting := settingOf()[name]
		return setting && !slices.Contains([]string{"selector-model", "embedder", "device"}, name) ||
			slices.Contains([]string{"config", "set", "dataset", "limit"}, name)
	})...)
	for _, set := range x.Settings {
		line = append(line, "--set", set.String())
	}
	return shellLine(line)
}

// command returns the command line of the experiment, without secrets.
func (t *trial) command() string {
	return withoutSecrets(typed(t.cmd, t.cmd.Flags().Args()))
}

// given returns the flags that were given, of those that want says.
func (t *trial) given(want func(name string) bool) []string {
	var out []string
	t.cmd.Flags().Visit(func(f *pflag.Flag) {
		if want(f.Name) {
			out = append(out, typedFlag(f)...)
		}
	})
	return out
}

// shellLine returns a command line that a shell reads as these words, without secrets.
func shellLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return withoutSecrets(strings.Join(out, " "))
}
