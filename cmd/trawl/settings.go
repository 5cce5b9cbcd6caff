package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/config"
)

// settingsFlags are the flags that change settings. They are the same on every
// command that has them, and win over --set, which wins over --config.
type settingsFlags struct {
	config      string
	set         []string
	seed        int64
	endpoints   []string
	model       string
	index       string
	count       int
	turns       int
	rounds      int
	concurrency int
	firstQuery  string
	selector    string
	checkpoint  string
	embedder    string
	device      string
}

// A settingsGroup is a set of flags that belong together.
type settingsGroup int

const (
	configGroup    settingsGroup = iota // -c, --set
	seedGroup                           // --seed
	endpointGroup                       // --endpoint
	modelGroup                          // --seed, --endpoint, --model
	retrievalGroup                      // --index
	rolloutGroup                        // -k, --turns, --rounds, --concurrency, --first-query
	selectorGroup                       // --selector, --selector-model and those of vectorsGroup
	vectorsGroup                        // --embedder, --device
)

// register adds the flags of the groups to cmd. The defaults that help shows are
// those of the settings.
func (f *settingsFlags) register(cmd *cobra.Command, groups ...settingsGroup) {
	d := config.Default()
	fs := cmd.Flags()
	for _, g := range groups {
		switch g {
		case configGroup:
			fs.StringVarP(&f.config, "config", "c", "", "settings: a YAML `file`, or a preset: "+presetList())
			fs.StringArrayVar(&f.set, "set", nil, "one setting, `key=value`, such as agent.turns=6; repeatable; configs/README.md lists them")
		case seedGroup:
			fs.Int64Var(&f.seed, "seed", d.Seed, "seed of every random choice")
		case endpointGroup:
			fs.StringArrayVar(&f.endpoints, "endpoint", nil, "base `URL` of a model server, or sim; repeatable (default $TRAWL_ENDPOINT, else found on loopback)")
		case modelGroup:
			f.register(cmd, seedGroup, endpointGroup)
			fs.StringVar(&f.model, "model", "", "model `name` (default: the only one that is served)")
		case retrievalGroup:
			fs.StringVar(&f.index, "index", "", "index `folder`, made by trawl index")
		case rolloutGroup:
			fs.IntVarP(&f.count, "rollouts", "k", d.Rollout.Count, "rollouts per question")
			fs.IntVar(&f.turns, "turns", d.Agent.Turns, "turns of a rollout, the final answer included")
			fs.IntVar(&f.rounds, "rounds", d.Recursion.Rounds, "rounds of a rollout, each of which starts from a summary of the one before")
			fs.IntVar(&f.concurrency, "concurrency", d.Rollout.Concurrency, "rollouts under way at once")
			fs.StringVar(&f.firstQuery, "first-query", d.Rollout.FirstQuery, "where first queries come from: divinit or standard")
		case selectorGroup:
			fs.StringVar(&f.selector, "selector", d.Selection.Selector, "how the answer is chosen: "+strings.Join(selectorNames, ", ")+", or auto: gnn if there is a checkpoint that fits, else majority")
			fs.StringVar(&f.checkpoint, "selector-model", "", "`checkpoint` of the selector gnn, made by trawl train")
			f.register(cmd, vectorsGroup)
		case vectorsGroup:
			fs.StringVar(&f.embedder, "embedder", d.Models.Embedder.Kind, "what turns texts into vectors: hashing, static:DIR, or the base `URL` of a server")
			fs.StringVar(&f.device, "device", d.Selection.Device, "what the network runs on: auto, cpu or cuda")
		}
	}
}

// load returns the settings that the command line asks for.
func (f *settingsFlags) load(cmd *cobra.Command, e env) (*config.Settings, error) {
	s, err := config.Load(f.config, f.set, e.getenv)
	var bad config.OverrideError
	if errors.As(err, &bad) {
		return nil, usageError{command: cmd.CommandPath(), err: err}
	}
	if err != nil {
		return nil, err
	}
	for name, apply := range map[string]func(){
		"seed":           func() { s.Seed = f.seed },
		"endpoint":       func() { s.Models.Agent.Endpoints = f.endpoints },
		"model":          func() { s.Models.Agent.Name = f.model },
		"index":          func() { s.Retrieval.Index = f.index },
		"rollouts":       func() { s.Rollout.Count = f.count },
		"turns":          func() { s.Agent.Turns = f.turns },
		"rounds":         func() { s.Recursion.Rounds = f.rounds },
		"concurrency":    func() { s.Rollout.Concurrency = f.concurrency },
		"first-query":    func() { s.Rollout.FirstQuery = f.firstQuery },
		"selector":       func() { s.Selection.Selector = f.selector },
		"selector-model": func() { s.Selection.Model = f.checkpoint },
		"device":         func() { s.Selection.Device = f.device },
	} {
		if cmd.Flags().Changed(name) {
			apply()
		}
	}
	if cmd.Flags().Changed("embedder") {
		if s.Models.Embedder, err = parseEmbedder(f.embedder, s.Models.Embedder); err != nil {
			return nil, usageError{command: cmd.CommandPath(), err: err}
		}
	}
	if err := s.Check(); err != nil {
		return nil, usageError{command: cmd.CommandPath(), err: err}
	}
	return s, nil
}

func presetList() string { return strings.Join(config.Presets(), ", ") }
