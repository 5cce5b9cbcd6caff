// Package report says what runs came to: it makes sections of tables and plots, for
// package figures to render, of the reports of eval and its children. [Sections] makes
// them all of some [Run]s; each topic has a file.
//
// Several runs are rows of the same tables and series of the same plots. What was not
// measured is absent, with a word why. Under every table and plot stands what its
// figures are over, the settings' hashes and the command that makes the same figures.
//
// All functions are pure: equal runs give equal sections. What package eval/utility
// reports is shown with its own words on what the paper says and what is reconstructed.
package report

import (
	"slices"
	"strings"

	"trawl/eval"
	"trawl/eval/compare"
	"trawl/eval/pool"
	"trawl/eval/scaffold"
	"trawl/eval/utility"
	"trawl/internal/figures"
)

// A Run is a run and what is known of it; what is nil is not known, and Lacking may
// say why.
type Run struct {
	Name   string
	Config string // hash of the settings that can change a result
	Facts  []Fact // what was run

	Score     *eval.Report
	Judges    []*eval.Report // one for each judge whose verdicts are kept, of the same rollouts
	Gap       *eval.Gap
	Selection *compare.Report
	Kept      *compare.Report // decisions that were kept, by selectors that call a model
	Pool      *pool.Report
	Utility   *utility.Report
	Scaffold  *scaffold.Report
	Questions []Question
	Effort    Effort

	Lacking  map[Topic]string // why a topic has nothing of this run, in a sentence
	Commands Commands
}

// A Fact is a setting, a version, a hash: what was run, in words.
type Fact struct{ Name, Value string }

// Commands make the figures of a run by themselves; Report makes those that no other
// command prints.
type Commands struct {
	Score, Select, Evaluate, Scaffold, Report string
	Kept                                      string   // makes the rows of Run.Kept, which asks their models for what is not kept
	Judged                                    []string // one for each of Judges
}

// A Topic is what a section is about; it is the section's ID.
type Topic string

// The topics, in the order of the sections.
const (
	Made      Topic = "runs"
	Differing Topic = "differing"
	Compared  Topic = "comparison"
	Answers   Topic = "answers"
	Voting    Topic = "gap"
	Rounds    Topic = "rounds"
	Diversity Topic = "diversity"
	Selectors Topic = "selectors"
	Pools     Topic = "pools"
	Reached   Topic = "utility"
	Method    Topic = "method"
	Work      Topic = "work"
	Asked     Topic = "questions"
	Settings  Topic = "settings"
)

// Bootstrap is what intervals are, unless something else is said.
const Bootstrap = "95 % bootstrap over questions"

// Sections returns a section for each topic that there is something to say of; c is
// how the runs compare, nil for one run.
func Sections(runs []*Run, c *Comparison) []figures.Section {
	var out []figures.Section
	base := ""
	if c != nil {
		base = c.Baseline
	}
	add := func(t Topic, title string, make func(*section)) {
		s := &section{runs: runs, base: base, Section: figures.Section{ID: string(t), Title: title}}
		make(s)
		s.lacking(t)
		if len(s.Text)+len(s.Plots)+len(s.Tables) > 0 {
			out = append(out, s.Section)
		}
	}
	add(Made, "What was run", made)
	if c != nil {
		add(Differing, "What differs between the runs", c.settings)
		add(Compared, "How their figures differ", c.figures)
	}
	add(Answers, "Answers", answers)
	add(Voting, "Coverage and voting", gap)
	add(Rounds, "Rounds", rounds)
	add(Diversity, "Diversity and retrieval", diversity)
	add(Selectors, "Choosing an answer", selectors)
	add(Pools, "Pools of candidates", pools)
	add(Reached, "How answers were reached", reached)
	add(Method, "Whose formulas these are", method)
	add(Work, "Work", work)
	add(Asked, "Questions", asked)
	add(Settings, "Settings", settings)
	return out
}

// A section is a section under way.
type section struct {
	runs []*Run
	base string // the name of the baseline; "": none
	figures.Section
}

// say adds a paragraph.
func (s *section) say(parts ...string) {
	s.Text = append(s.Text, strings.Join(parts, " "))
}

// lacking adds why runs have nothing of a topic.
func (s *section) lacking(t Topic) {
	for _, r := range s.runs {
		if why := r.Lacking[t]; why != "" {
			s.say(r.Name + ": " + why)
		}
	}
}

// source says where the figures of runs come from; command is one of theirs.
func source(runs []*Run, interval string, command func(Commands) string) figures.Source {
	var commands []string
	out := figures.Source{N: over(runs), Interval: interval}
	if len(runs) > mostSeries { // as many lines and hashes again under each figure would bury it
		r := runs[0].Commands
		if command(r) != "" {
			out.Command = r.Report
		}
		out.Note = "the hashes of the settings stand at the end"
		return out
	}
	for _, r := range runs {
		out.Settings = append(out.Settings, r.Config)
		if c := command(r.Commands); c != "" && !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
	}
	out.Command = strings.Join(commands, "\n")
	return out
}

func byScore(c Commands) string { return c.Score }

func byReport(c Commands) string { return c.Report }

// scored returns the runs that have a score that keep is true of.
func scored(runs []*Run, keep func(*eval.Report) bool) []*Run {
	var out []*Run
	for _, r := range runs {
		if r.Score != nil && keep(r.Score) {
			out = append(out, r)
		}
	}
	return out
}
