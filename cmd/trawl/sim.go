package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"trawl/agent/llm/sim"
)

const simHelp = `Serve the simulated model: a program of rules that reads English behind the wire
protocol of OpenAI and vLLM. It sees only the messages of a request. It is for the
offline demo, for load and for faults; nothing measured on it is a finding about
language models.

  trawl sim --addr 127.0.0.1:8000 --skill base --latency 200ms..2s

Faults are replayed from a file of rules, one JSON object a line, such as
  {"match": {"every": 10}, "fault": "c12-rate-limit"}

Faults, named after public reports (agent/llm/sim/REPORTS.md):
`

// A simOptions is how trawl sim is to serve.
type simOptions struct {
	addr    string
	skill   string
	latency string
	faults  string
	window  int
}

func newSim(e env) *cobra.Command {
	var o simOptions
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Serve the simulated model",
		Long:  simHelp + faultList(),
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := o.parse()
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			if o.faults != "" {
				if opts.Faults, err = sim.ReadFaults(o.faults); err != nil {
					return err
				}
			}
			return serveSim(cmd.Context(), e, opts)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8000", "loopback `address` to listen on")
	fs.StringVar(&o.skill, "skill", "base", "small, base or large; load reads nothing and always searches on")
	fs.StringVar(&o.latency, "latency", "0", "time to a reply: 0, 500ms, 200ms..2s or lognormal:500ms,0.5")
	fs.StringVar(&o.faults, "faults", "", "`file` of faults to replay")
	fs.IntVar(&o.window, "max-model-len", 32768, "context window in `tokens`")
	return cmd
}

func (o simOptions) parse() (sim.Options, error) {
	opts := sim.Options{Addr: o.addr, MaxModelLen: o.window}
	var err error
	if opts.Skill, err = parseSkill(o.skill); err != nil {
		return opts, err
	}
	if opts.Latency, err = sim.ParseLatency(o.latency); err != nil {
		return opts, err
	}
	if o.window < 1 {
		return opts, fmt.Errorf("--max-model-len %d: want 1 or more", o.window)
	}
	return opts, nil
}

// faultList lists the faults with what each does.
func faultList() string {
	var b strings.Builder
	for _, name := range sim.FaultNames() {
		fmt.Fprintf(&b, "  %-22s %s\n", name, sim.FaultHelp(name))
	}
	return strings.TrimRight(b.String(), "\n")
}

// parseSkill reads a skill, or the model id under which it is served.
func parseSkill(s string) (sim.Skill, error) { return sim.ParseSkill(strings.TrimPrefix(s, "sim-")) }

func serveSim(ctx context.Context, e env, opts sim.Options) error {
	server, err := sim.Start(opts)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s\n", server.URL())
	fmt.Fprintf(e.stderr, "trawl: the simulated model %s listens at %s; Ctrl-C ends it\n", opts.Skill.Model(), server.URL())
	<-ctx.Done()
	return errors.Join(ctx.Err(), server.Close())
}
