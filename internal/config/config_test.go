package config_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/config"
)

func env(vars map[string]string) func(string) (string, bool) {
	return func(k string) (string, bool) { v, ok := vars[k]; return v, ok }
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLaterWins(t *testing.T) {
	path := write(t, "agent: {turns: 5}\nmodels:\n  agent: {temperature: 0, name: '${MODEL:-m}'}\n")
	s, err := config.Load(path, []string{"agent.turns=6", "rollout.divinit.lambda=0.5"}, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if s.Agent.Turns != 6 || s.Rollout.DivInit.Lambda != 0.5 || s.Rollout.DivInit.Pool != 16 {
		t.Errorf("turns %d, lambda %v, pool %d; want 6, 0.5, 16", s.Agent.Turns, s.Rollout.DivInit.Lambda, s.Rollout.DivInit.Pool)
	}
	if temp := s.Models.Agent.Temperature; temp == nil || *temp != 0 {
		t.Errorf("temperature %v, want a zero that is set", temp)
	}
	if s.Models.Agent.Name != "m" || s.Models.Agent.MaxTokens != 2048 {
		t.Errorf("name %q, max-tokens %d; want the default of the variable and of the setting", s.Models.Agent.Name, s.Models.Agent.MaxTokens)
	}
}

func TestExpandKeepsStructure(t *testing.T) {
	path := write(t, "retrieval: {index: '${DIR}'}\n")
	s, err := config.Load(path, nil, env(map[string]string{"DIR": `a: "b" {c}`}))
	if err != nil {
		t.Fatal(err)
	}
	if want := `a: "b" {c}`; s.Retrieval.Index != want {
		t.Errorf("index %q, want %q", s.Retrieval.Index, want)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, text string
		set        []string
		want       []string
	}{
		{"misspelt key", "agent:\n  turn: 5\n", nil, []string{"[2:3]", `unknown field "turn"`}},
		{"wrong type", "agent:\n  turns: many\n", nil, []string{"[2:10] want a whole number, found \"many\""}},
		{"out of range", "agent:\n  turns: 0\n", nil, []string{"[2:10]", "turns", "0 is out of range", "1 or more"}},
		{"no such choice", "rollout:\n  first-query: random\n", nil, []string{"[2:16]", "divinit, standard"}},
		{"repeated key", "seed: 1\nseed: 2\n", nil, []string{"[2:1]", "already defined"}},
		{"variable not set", "retrieval:\n  index: ${NOWHERE}\n", nil, []string{"[2:10]", "${NOWHERE} is not set"}},
		{"fraction for a whole number", "agent:\n  turns: 3.5\n", nil, []string{"[2:10]", "a whole number"}},
		{"not a number", "models:\n  agent: {temperature: .nan}\n", nil, []string{"temperature", "out of range"}},
		{"keys for a number", "agent:\n  turns: {x: 5}\n", nil, []string{"[2:10]", "a whole number"}},
		{"set without a value at all", "", []string{"agent.turns="}, []string{"key=value"}},
		{"set of a wrong type", "", []string{"agent.turns=six"}, []string{`--set agent.turns=six: want a whole number, found "six"`}},
		{"not YAML", "agent: [\n", nil, []string{"[1:8]"}},
		{"two documents", "seed: 1\n---\nseed: 2\n", nil, []string{"one YAML document"}},
		{"set without value", "", []string{"agent.turns"}, []string{"--set agent.turns", "key=value"}},
		{"set of an unknown key", "", []string{"agent.turn=5"}, []string{"--set agent.turn=5", `unknown field "turn"`}},
		{"a time that no clock holds", "recursion:\n  budget: {seconds: 9223372037}\n", nil, []string{"[2:21]", "seconds", "1000000000 or less"}},
		{"a price without bound", "selection: {price: {prompt: .inf}}\n", nil, []string{"[1:29] prompt", "1000000 or less"}},
		{"logprobs of one token", "", []string{"models.agent.logprobs=1"}, []string{"logprobs", "2 or more"}},
		{"logprobs that no server gives", "", []string{"models.agent.logprobs=21"}, []string{"logprobs", "20 or less"}},
		{"set out of range", "", []string{"rollout.count=0"}, []string{"--set rollout.count=0", "1 or more"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load(write(t, tt.text), tt.set, env(nil))
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
		})
	}
}

func TestEmptyFile(t *testing.T) {
	s, err := config.Load(write(t, "# nothing\n"), nil, env(nil))
	if err != nil || s.Agent.Turns != 8 {
		t.Errorf("Load = turns %v, %v; want the defaults", s, err)
	}
}

func TestNoSuchPreset(t *testing.T) {
	_, err := config.Load("divinot", nil, env(nil))
	if err == nil || !strings.Contains(err.Error(), "divinit") {
		t.Errorf("error %v does not list the presets", err)
	}
}

func TestFolderNamedAsPreset(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("demo", 0o755); err != nil {
		t.Fatal(err)
	}
	if s, err := config.Load("demo", nil, env(nil)); err != nil || s.Models.Agent.Name != "sim-base" {
		t.Errorf("Load = %v, want the preset", err)
	}
	if _, err := config.Load("./demo", nil, env(nil)); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("error %v does not say that ./demo is a folder", err)
	}
}

func TestPresets(t *testing.T) {
	for _, p := range config.Presets() {
		if _, err := config.Load(p, nil, env(nil)); err != nil {
			t.Errorf("preset %s: %v", p, err)
		}
	}
}

func TestRedacted(t *testing.T) {
	s := config.Default()
	s.Models.Agent.Endpoints = []string{"http://me:pw@host/v1"}
	s.Models.Agent.Extra = map[string]any{
		"api_key": "k", "top_k": 5, "stop_token_ids": []any{1}, "nested": []any{map[string]any{"auth-token": "t"}},
		"pin_key": 918273645, "Authorization": []any{"x"},
	}
	s.Models.Compressor.Endpoints, s.Models.Compressor.Extra = []string{"http://me:pw@other/v1"}, map[string]any{"api_key": "c"}
	s.Models.Judge.Endpoints, s.Models.Judge.Extra = []string{"http://me:pw@judge/v1"}, map[string]any{"api_key": "j"}
	s.Retrieval.Index = "http://me:pw@host:8001"
	r := s.Redacted()
	if got := r.Retrieval.Index; got != "http://redacted@host:8001" {
		t.Errorf("index %q, want it without the password", got)
	}
	if got := r.Models.Judge; strings.Contains(got.Endpoints[0], "pw") || got.Extra["api_key"] == "j" {
		t.Errorf("judge %v shows a secret", got)
	}
	if got := r.Models.Compressor; strings.Contains(got.Endpoints[0], "pw") || got.Extra["api_key"] == "c" {
		t.Errorf("compressor %v shows a secret", got)
	}
	if got := r.Models.Agent.Endpoints[0]; strings.Contains(got, "pw") {
		t.Errorf("endpoint %q shows the password", got)
	}
	want := map[string]any{
		"api_key": "redacted-8254c3", "top_k": 5, "stop_token_ids": []any{1}, "nested": []any{map[string]any{"auth-token": "redacted-e3b98a"}},
	}
	for _, key := range []string{"pin_key", "Authorization"} {
		if mark, ok := r.Models.Agent.Extra[key].(string); !ok || !strings.HasPrefix(mark, "redacted-") {
			t.Errorf("%s is %v, want a mark", key, r.Models.Agent.Extra[key])
		}
		delete(r.Models.Agent.Extra, key)
	}
	if diff := cmp.Diff(want, r.Models.Agent.Extra); diff != "" {
		t.Errorf("extra mismatch (-want +got):\n%s", diff)
	}
	if s.Models.Agent.Extra["api_key"] != "k" {
		t.Error("Redacted changed the settings themselves")
	}
}

func TestRedactURL(t *testing.T) {
	for address, want := range map[string]string{
		"http://host:1/v1":                           "http://host:1/v1",
		"http://me:pw@host/v1":                       "http://redacted@host/v1",
		"http://host/?token=T&api-version=3&apiKey=": "http://host/?api-version=3&apiKey=redacted&token=redacted",
		"http://u:pw%zz@h/x":                         "redacted@h/x",
		" http://u:pw@h/":                            "redacted@h/",
		"http:/u:pw@h":                               "redacted@h",
		"idx/2024":                                   "idx/2024",
		"people@work/idx":                            "people@work/idx",
		"http://host/x%zz":                           "http://host/x%zz",
	} {
		if got := config.RedactURL(address); got != want {
			t.Errorf("RedactURL(%q) = %q, want %q", address, got, want)
		}
	}
}

// TestAddresses makes sure that an address with a port is a text wherever it stands.
func TestAddresses(t *testing.T) {
	want := []string{"http://127.0.0.1:8000/v1", "http://[::1]:8001", "h:80"}
	for name, text := range map[string]string{
		"braces":        "models: {agent: {endpoints: [http://127.0.0.1:8000/v1, \"http://[::1]:8001\", h:80]}}\n",
		"agent alone":   "models:\n  agent: {endpoints: [http://127.0.0.1:8000/v1, 'http://[::1]:8001', h:80], name: m}\n",
		"brackets":      "models:\n  agent:\n    endpoints: [http://127.0.0.1:8000/v1, 'http://[::1]:8001', h:80]\n",
		"lines":         "models:\n  agent:\n    endpoints:\n      - http://127.0.0.1:8000/v1\n      - http://[::1]:8001\n      - h:80\n",
		"lines, braces": "models:\n  agent: {\n    endpoints: [\n      http://127.0.0.1:8000/v1,\n      'http://[::1]:8001', h:80]}\n",
	} {
		s, err := config.Load(write(t, text), nil, env(nil))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, s.Models.Agent.Endpoints); diff != "" {
			t.Errorf("%s: endpoints mismatch (-want +got):\n%s", name, diff)
		}
	}
	_, err := config.Load(write(t, "models: {agent: {endpoints: [http: x]}}\n"), nil, env(nil))
	if err == nil || !strings.Contains(err.Error(), "want a text") {
		t.Errorf("a mapping in the list: error %v, want one that wants a text", err)
	}
}

// TestRoles makes sure that a role is the agent but for what it sets.
func TestRoles(t *testing.T) {
	tests := []struct {
		name string
		set  []string
		want func(m *config.Model)
	}{
		{"nothing set", nil, func(m *config.Model) { m.MaxTokens = 8192 }},
		{"another model of the same server", []string{"models.compressor.name=other"}, func(m *config.Model) { m.MaxTokens, m.Name = 8192, "other" }},
		{"another server: the model is the one that it serves", []string{"models.compressor.endpoints=[http://b/v1]"},
			func(m *config.Model) { m.MaxTokens, m.Endpoints, m.Name = 8192, []string{"http://b/v1"}, "" }},
		{"a temperature of zero", []string{"models.compressor.temperature=0", "models.compressor.max-tokens=5"},
			func(m *config.Model) { zero := 0.0; m.Temperature, m.MaxTokens = &zero, 5 }},
		{"extra keys of its own", []string{"models.compressor.extra={top_k: 5}"}, func(m *config.Model) { m.MaxTokens, m.Extra = 8192, map[string]any{"top_k": uint64(5)} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := config.Load(write(t, "models:\n  agent: {endpoints: [http://a/v1], name: mine, retries: 3, extra: {min_p: 0.1}}\n"), tt.set, env(nil))
			if err != nil {
				t.Fatal(err)
			}
			want := s.Models.Agent
			tt.want(&want)
			if diff := cmp.Diff(want, s.Models.In(s.Models.Compressor)); diff != "" {
				t.Errorf("compressor mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckExtra(t *testing.T) {
	s, err := config.Load("", []string{"models.compressor.extra={a: .nan}"}, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "models.compressor.extra") {
		t.Errorf("Check() = %v, want an error that names the key", err)
	}
}

// TestJudgeIsCold makes sure that a judge's temperature is 0 unless it is set, and
// its further keys are checked.
func TestJudgeIsCold(t *testing.T) {
	s, err := config.Load("", []string{"models.agent.temperature=0.7"}, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Models.In(s.Models.Judge); m.Temperature == nil || *m.Temperature != 0 || m.MaxTokens != 2048 {
		t.Errorf("temperature %v, %d tokens", m.Temperature, m.MaxTokens)
	}
	s.Models.Judge.Extra = map[string]any{"a": math.NaN()}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "models.judge.extra") {
		t.Errorf("Check() = %v, want an error that names the key", err)
	}
}
