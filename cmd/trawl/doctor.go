package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"trawl/agent/llm"
	"trawl/internal/config"
)

const doctorHelp = `Check what a run needs: the endpoint, the model, the tool-call parser, the reasoning
field, the context length, the tokenizer, seeds, the index and the key; and say what to
change where something is not as it should be. --verify reads all of the index, which
takes minutes for a large one.`

// A finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warning or failed
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

func newDoctor(e env) *cobra.Command {
	var (
		f              settingsFlags
		asJSON, verify bool
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check endpoint, model and index",
		Long:  doctorHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.load(cmd, e)
			if err != nil {
				return err
			}
			d := doctor{env: e, settings: s, verify: verify}
			d.examine(cmd.Context())
			return d.report(asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&verify, "verify", false, "read all of the index and compare it with its checksums")
	f.register(cmd, configGroup, modelGroup, retrievalGroup)
	return cmd
}

// A doctor examines one deployment.
type doctor struct {
	env      env
	settings *config.Settings
	verify   bool // all of the index is to be read
	findings []finding
}

func (d *doctor) note(check, state, found, advice string) {
	d.findings = append(d.findings, finding{check, state, found, advice})
}

// fail notes a check that failed; the lines of err behind the first are advice.
func (d *doctor) fail(check string, err error) {
	found, advice, _ := strings.Cut(err.Error(), "\n")
	d.note(check, "failed", found, strings.TrimSpace(advice))
}

// examine makes all checks; those of the model need an endpoint.
func (d *doctor) examine(ctx context.Context) {
	d.key()
	d.searchIndex(ctx)
	b, err := openBackend(ctx, d.env, d.settings.Models.Agent, 1)
	if err != nil {
		d.fail("endpoint", err)
		return
	}
	defer b.close()
	d.note("endpoint", "ok", strings.Join(b.endpoints, ", ")+simulatedNote(b.simulated), "")
	d.note("model", "ok", b.model, "")
	d.window(b)
	d.tokenizer(ctx, b)
	d.tools(ctx, b)
	d.reasoning(ctx, b)
	d.seeds(ctx, b)
	d.role(ctx, "compressor", d.settings.Models.Compressor)
	d.role(ctx, "aggregator", d.settings.Models.Aggregator)
	d.role(ctx, "judge", d.settings.Models.Judge)
}

// role checks the model of a role that is not the agent's.
func (d *doctor) role(ctx context.Context, name string, r config.Role) {
	if len(r.Endpoints) == 0 && r.Name == "" {
		return
	}
	b, err := openBackend(ctx, d.env, d.settings.Models.In(r), 1)
	if err != nil {
		d.fail(name, err)
		return
	}
	defer b.close()
	found := fmt.Sprintf("%s at %s", b.model, strings.Join(b.endpoints, ", "))
	if b.window > 0 {
		found += fmt.Sprintf(", %d tokens", b.window)
	}
	d.note(name, "ok", found+simulatedNote(b.simulated), "")
}

func (d *doctor) key() {
	key, name := apiKey(d.env, d.settings.Models.Agent)
	if key == "" {
		d.note("key", "ok", "none set", "if "+name+" is set, trawl sends it with every request")
		return
	}
	d.note("key", "ok", "from "+name, "")
}

func (d *doctor) searchIndex(ctx context.Context) {
	if d.settings.Retrieval.Index == "" {
		d.note("index", "warning", "none named", "--index DIR checks one")
		return
	}
	x, err := openIndex(ctx, d.env, d.settings.Retrieval.Index)
	if err != nil {
		d.fail("index", err)
		return
	}
	defer x.Close()
	if x.doubt != "" {
		d.note("index", "warning", x.found+"; "+x.doubt, "")
		return
	}
	switch {
	case !d.verify:
		d.note("index", "ok", x.found, "")
	case x.verify == nil:
		d.note("index", "warning", x.found+"; it cannot be verified", "--verify is for an index that trawl index built with the engine bm25")
	default:
		if err := x.verify(ctx); err != nil {
			d.fail("index", err)
			return
		}
		d.note("index", "ok", x.found+", all as it was written", "")
	}
}

func (d *doctor) window(b *backend) {
	need := d.settings.Models.Agent.MaxTokens + d.settings.Agent.FinalTokens + d.settings.Agent.Turns*d.settings.Retrieval.ObservationChars/3
	switch {
	case b.window == 0:
		d.note("context", "warning", "the server does not say how long it is", "trawl relies on the server's refusal when it is full")
	case b.window < need:
		d.note("context", "warning", fmt.Sprintf("%d tokens; %d turns of %d characters may need %d", b.window, d.settings.Agent.Turns, d.settings.Retrieval.ObservationChars, need),
			"serve a longer context (--max-model-len), or lower agent.turns, retrieval.observation-chars or models.agent.max-tokens")
	default:
		d.note("context", "ok", fmt.Sprintf("%d tokens", b.window), "")
	}
}

func (d *doctor) tokenizer(ctx context.Context, b *backend) {
	n, exact, err := b.servers[0].CountTokens(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "How many tokens is this?"}}})
	switch {
	case err != nil:
		d.note("tokenizer", "warning", err.Error(), "token counts will be estimates")
	case exact:
		d.note("tokenizer", "ok", fmt.Sprintf("at /tokenize (%d tokens for a short question)", n), "")
	default:
		d.note("tokenizer", "ok", "none; counts before a call are estimates", "")
	}
}

func (d *doctor) tools(ctx context.Context, b *backend) {
	called, err := probeTools(ctx, b.client, d.settings.Models.Agent.Extra)
	const vllm = "vLLM: --enable-auto-tool-choice --tool-call-parser hermes (Qwen3), qwen3_coder, glm45, …; or use agent.dialect: tags"
	switch {
	case errors.Is(err, llm.ErrBadRequest):
		d.note("tool calls", "warning", "the server refuses tools: "+err.Error(), vllm)
	case err != nil:
		d.note("tool calls", "failed", err.Error(), "")
	case called:
		d.note("tool calls", "ok", "read by the server; agent.dialect auto means native", "")
	case d.toolsHidden(ctx, b):
		d.note("tool calls", "warning", "the model's chat template does not show it the tools; agent.dialect auto means tags", "another chat template, or another model, for native calls")
	default:
		d.note("tool calls", "warning", "three probes came back without a tool call; agent.dialect auto means tags", vllm)
	}
	if d.settings.Models.Agent.Stream && called {
		d.note("stream", "warning", "on, with native tool calls", "vLLM's tool-call parsers lose malformed calls in streams, which trawl could mend otherwise: models.agent.stream: false")
	}
}

// toolsHidden reports whether a prompt has as many tokens with tools as without.
func (d *doctor) toolsHidden(ctx context.Context, b *backend) bool {
	req := probe(d.settings.Models.Agent.Extra)
	without, exact, err := b.servers[0].CountTokens(ctx, req)
	if err != nil || !exact {
		return false
	}
	req.Tools = []llm.Tool{searchSpec()}
	with, exact, err := b.servers[0].CountTokens(ctx, req)
	return err == nil && exact && with == without
}

// reasoning looks where thinking goes in a plain reply.
func (d *doctor) reasoning(ctx context.Context, b *backend) {
	resp, err := d.plain(ctx, b, 7)
	switch {
	case err != nil:
		d.note("reply", "failed", err.Error(), "")
	case resp.Message.Reasoning != "" && strings.TrimSpace(resp.Message.Content) == "":
		d.note("reasoning", "warning", "all of the reply is in the reasoning field, the content is empty",
			"raise models.agent.max-tokens, or turn thinking off: --set 'models.agent.extra={chat_template_kwargs: {enable_thinking: false}}'")
	case resp.Message.Reasoning != "":
		d.note("reasoning", "ok", "in a field of its own", "")
	case strings.Contains(resp.Message.Content, "<think>") || strings.Contains(resp.Message.Content, "</think>"):
		d.note("reasoning", "ok", "inside the content, as <think>; trawl splits it", "")
	default:
		d.note("reasoning", "ok", "none", "")
	}
}

// seeds asks the same twice with one seed and once with another.
func (d *doctor) seeds(ctx context.Context, b *backend) {
	var texts []string
	for _, s := range []int64{11, 11, 12} {
		resp, err := d.plain(ctx, b, s)
		if err != nil {
			d.note("seed", "failed", err.Error(), "")
			return
		}
		texts = append(texts, resp.Message.Reasoning+resp.Message.Content)
	}
	switch {
	case texts[0] != texts[1]:
		d.note("seed", "warning", "the same seed gave two different replies", "runs cannot be repeated word for word; their statistics can")
	case texts[0] == texts[2] && b.simulated:
		d.note("seed", "ok", "repeats with one seed", "")
	case texts[0] == texts[2]:
		d.note("seed", "warning", "two seeds gave the same reply", "if rollouts come out alike, check that the server samples (temperature, top_k)")
	default:
		d.note("seed", "ok", "repeats with one seed, differs with another (one request at a time; batching may still change replies)", "")
	}
}

// plain asks for a short text at temperature 1.
func (d *doctor) plain(ctx context.Context, b *backend, seed int64) (*llm.Response, error) {
	one := 1.0
	return b.client.Complete(ctx, &llm.Request{
		Sampling: llm.Sampling{Temperature: &one, MaxTokens: probeTokens, Extra: d.settings.Models.Agent.Extra},
		Messages: []llm.Message{{Role: llm.User, Content: "Question: Name a river and say in one sentence where it flows."}},
		Seed:     &seed,
	})
}

// report prints the findings. A failed check is an error.
func (d *doctor) report(asJSON bool) error {
	failed := 0
	for _, f := range d.findings {
		if f.State == "failed" {
			failed++
		}
	}
	if asJSON {
		if err := writeJSON(d.env.stdout, map[string]any{"checks": d.findings, "failed": failed}); err != nil {
			return err
		}
	} else {
		for _, f := range d.findings {
			fmt.Fprintf(d.env.stdout, "%-8s %-11s %s\n", f.State, f.Check, f.Found)
			if f.Advice != "" {
				fmt.Fprintf(d.env.stdout, "%20s → %s\n", "", f.Advice)
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(d.findings))
	}
	return nil
}
