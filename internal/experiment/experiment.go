// Package experiment reads experiments: arms, each of which is a run with settings
// of its own, and what is made of their runs. Those that are built in lie in
// trawl/configs. `trawl experiment` carries them out.
//
// An experiment is one YAML document. Unknown keys, wrong types, repeated keys and
// names that fit nothing are errors; those of form name the line and column. What
// the settings of an arm mean is not known here: they are kept as keys and values,
// with their place in the file, for whoever reads settings.
package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/goccy/go-yaml"

	"trawl/configs"
	"trawl/internal/config"
)

// An Experiment is arms and what is made of their runs. One that only simulates has
// no arms.
type Experiment struct {
	Name string `yaml:"-"` // of the file, without folder and ending
	From string `yaml:"-"` // what errors call it

	Title    string   `yaml:"title"`
	Asks     string   `yaml:"asks"`     // a paragraph: what is compared, and what the source reports
	Settings Settings `yaml:"settings"` // under every arm, and under what the user says
	Arms     []Arm    `yaml:"arms"`     // those that Vary makes stand behind the others
	Vary     *Vary    `yaml:"vary"`
	Baseline string   `yaml:"baseline"` // the arm that others are compared with; default: the first
	Pairs    []Pair   `yaml:"pairs"`    // beside the figures of one name

	Select        *Select        `yaml:"select"`
	CrossValidate *CrossValidate `yaml:"crossvalidate"`
	Simulate      *Simulate      `yaml:"simulate"`
}

// An Arm is one run.
type Arm struct {
	Name     string   `yaml:"name"` // of its folder
	Settings Settings `yaml:"settings"`
}

// A Vary makes an arm for each value of a setting: NAME-KEY-VALUE, with the last word
// of the key, for each arm that it is of.
type Vary struct {
	Key    string   `yaml:"key"`
	Values []Value  `yaml:"values"`
	Of     []string `yaml:"of"` // names of arms; default: all
}

// A Select compares selectors on each arm's run.
type Select struct {
	Selectors []string `yaml:"selectors"`
	At        At       `yaml:"at"`
	Subsets   Value    `yaml:"subsets"` // of k rollouts of a question: a number, or all
}

// A CrossValidate trains the graph selector on one arm's run, fold by fold, whole and
// with parts taken away.
type CrossValidate struct {
	Arm    string   `yaml:"arm"`    // default: the baseline
	Folds  Count    `yaml:"folds"`  // default 5
	Ablate []string `yaml:"ablate"` // none: the whole model
}

// Whole is the name of the model that nothing is taken from, in CrossValidate.Ablate.
const Whole = "none"

// A Simulate works out how often voting is right when answers are drawn from classes.
type Simulate struct {
	Classes []Class `yaml:"classes"` // kinds of questions, at most [MostClasses]
	At      Votes   `yaml:"at"`
}

// Names returns the names of the experiments that are built in.
func Names() []string {
	files, err := fs.Glob(configs.FS, "experiments/*.yaml")
	if err != nil {
		panic("experiment: bad pattern") // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// Open reads the experiment in a file, or the one that is built in where there is no
// such file.
func Open(name string) (*Experiment, error) {
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		return Parse(name, text)
	}
	return BuiltIn(strings.TrimSuffix(name, ".yaml"))
}

// BuiltIn reads the experiment that is built in under a name.
func BuiltIn(name string) (*Experiment, error) {
	text, err := configs.FS.ReadFile("experiments/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("experiment: %s is neither a file nor an experiment that is built in; those are %s", name, strings.Join(Names(), ", "))
	}
	return Parse(name, text)
}

// Parse reads an experiment; from is the name of its file.
func Parse(from string, text []byte) (*Experiment, error) {
	x := &Experiment{Name: strings.TrimSuffix(path.Base(strings.ReplaceAll(from, `\`, "/")), ".yaml"), From: from}
	err := decode(text, x)
	if err == nil {
		err = x.check()
	}
	if err == nil && strings.Trim(x.Name, ".") == "" {
		err = errors.New("the name of the file names a folder: call it something")
	}
	if err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", from, err)
	}
	return x, nil
}

// decode reads one YAML document, strictly.
func decode(text []byte, into any) error {
	file, err := config.Parse(text)
	if err != nil {
		return err
	}
	if len(file.Docs) > 1 {
		return errors.New("want one YAML document, this has several")
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return errors.New("it is empty")
	}
	return config.InWords(yaml.NewDecoder(bytes.NewReader(nil), yaml.Strict()).DecodeFromNode(file.Docs[0].Body, into))
}
