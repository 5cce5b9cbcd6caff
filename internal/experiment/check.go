package experiment

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// armName is what names a folder everywhere.
var armName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// Folders beside those of the arms.
const (
	ReportFolder = "report"
	CrossFolder  = "crossvalidate" // what is kept of cross-validations
	ChoiceFolder = "choices"       // what is kept of selectors that ask a model
)

// check makes sure that the parts of an experiment fit together, makes the arms of
// Vary, and fills in what is not said.
func (x *Experiment) check() error {
	switch {
	case strings.TrimSpace(x.Title) == "":
		return errors.New("title is missing: one line that says what the experiment is")
	case strings.TrimSpace(x.Asks) == "":
		return errors.New("asks is missing: a paragraph that says what is compared")
	case len(x.Arms) == 0 && x.Simulate == nil:
		return errors.New("arms is missing: an experiment has arms, or simulates")
	}
	x.Asks = strings.Join(strings.Fields(x.Asks), " ")
	for _, err := range []error{x.checkArms(), x.vary(), x.checkBaseline(), x.checkSelect(), x.checkCross(), x.checkPairs(), x.checkSimulate()} {
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Experiment) checkArms() error {
	var names []string
	for i, a := range x.Arms {
		switch {
		case a.Name == "":
			return fmt.Errorf("arms: the %d. has no name", i+1)
		case !armName.MatchString(a.Name) || strings.Contains(a.Name, ".."):
			return fmt.Errorf("arms: name %q names a folder: want small letters, digits, dots and hyphens", a.Name)
		case slices.Contains([]string{ReportFolder, CrossFolder, ChoiceFolder}, a.Name):
			return fmt.Errorf("arms: the folder %s is for something else: name the arm otherwise", a.Name)
		case slices.Contains(names, a.Name):
			return fmt.Errorf("arms: two are called %s", a.Name)
		}
		names = append(names, a.Name)
	}
	return nil
}

// vary makes the arms of Vary.
func (x *Experiment) vary() error {
	v := x.Vary
	if v == nil {
		return nil
	}
	if v.Key == "" || len(v.Values) == 0 {
		return errors.New("vary: want a key and values")
	}
	if len(v.Of) == 0 {
		for _, a := range x.Arms {
			v.Of = append(v.Of, a.Name)
		}
	}
	word := v.Key[strings.LastIndexByte(v.Key, '.')+1:]
	for _, name := range v.Of {
		arm, ok := x.Arm(name)
		if !ok {
			return fmt.Errorf("vary.of: there is no arm %s", name)
		}
		for _, value := range v.Values {
			made := Arm{
				Name:     fmt.Sprintf("%s-%s-%s", name, word, strings.ToLower(string(value))),
				Settings: arm.Settings.with(Setting{Key: v.Key, Value: string(value)}),
			}
			x.Arms = append(x.Arms, made)
		}
	}
	return x.checkArms()
}

// Arm returns the arm of a name.
func (x *Experiment) Arm(name string) (Arm, bool) {
	i := slices.IndexFunc(x.Arms, func(a Arm) bool { return a.Name == name })
	if i < 0 {
		return Arm{}, false
	}
	return x.Arms[i], true
}

func (x *Experiment) checkBaseline() error {
	if x.Baseline == "" && len(x.Arms) > 0 {
		x.Baseline = x.Arms[0].Name
	}
	if _, ok := x.Arm(x.Baseline); !ok && x.Baseline != "" {
		return fmt.Errorf("baseline: there is no arm %s", x.Baseline)
	}
	return nil
}

func (x *Experiment) checkSelect() error {
	s := x.Select
	switch {
	case s == nil:
		return nil
	case len(x.Arms) == 0:
		return errors.New("select: there are no arms whose rollouts could be selected from")
	case len(s.Selectors) == 0:
		return errors.New("select.selectors is missing: a list of names")
	}
	if s.Subsets != "" && s.Subsets != "all" {
		if n, err := strconv.Atoi(string(s.Subsets)); err != nil || n < 1 {
			return fmt.Errorf("select.subsets: want all, or a whole number from 1, found %q", s.Subsets)
		}
	}
	return nil
}

func (x *Experiment) checkCross() error {
	c := x.CrossValidate
	if c == nil {
		return nil
	}
	if c.Arm == "" {
		c.Arm = x.Baseline
	}
	if c.Folds == 0 {
		c.Folds = 5
	}
	if _, ok := x.Arm(c.Arm); !ok {
		return fmt.Errorf("crossvalidate.arm: there is no arm %q", c.Arm)
	}
	if c.Folds < 2 {
		return fmt.Errorf("crossvalidate.folds: %d: want 2 or more", c.Folds)
	}
	if len(c.Ablate) == 0 {
		c.Ablate = []string{Whole}
	}
	for i, name := range c.Ablate {
		if slices.Contains(c.Ablate[:i], name) {
			return fmt.Errorf("crossvalidate.ablate: %s is there twice", name)
		}
	}
	return nil
}

func (x *Experiment) checkSimulate() error {
	s := x.Simulate
	switch {
	case s == nil:
		return nil
	case len(s.Classes) == 0 || len(s.At) == 0:
		return errors.New("simulate: want classes, and at: numbers of votes")
	case len(s.Classes) > MostClasses:
		return fmt.Errorf("simulate.classes: %d are too many: want %d or less", len(s.Classes), MostClasses)
	}
	return nil
}

func (x *Experiment) checkPairs() error {
	if len(x.Pairs) > 0 && len(x.Arms) < 2 {
		return errors.New("pairs: there is no arm that the baseline could be compared with")
	}
	return nil
}
