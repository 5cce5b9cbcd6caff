package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Secrets are hidden at any depth and in any of the ways to write them, and what is none
// stays as it can be typed again.
func TestWithoutSecrets(t *testing.T) {
	for command, want := range map[string]string{
		"trawl run --out a --set rollout.count=8":                                        "trawl run --out a --set rollout.count=8",
		"trawl run --set models.agent.max-tokens=99 --title 'its [own] title'":           "trawl run --set models.agent.max-tokens=99 --title 'its [own] title'",
		"trawl run --set models.agent.extra.api_key=sk-1":                                "trawl run --set models.agent.extra.api_key=…hidden…",
		"trawl run --set=models.agent.extra.api_key=sk-1":                                "trawl run --set=models.agent.extra.api_key=…hidden…",
		"trawl run --set 'models.agent={extra: {api_key: sk-1, top_k: 5}}'":              "trawl run --set 'models.agent={extra: {api_key: …hidden…, top_k: 5}}'",
		`trawl run --set "models.agent={extra: {api_key: sk-1}}"`:                        "trawl run --set 'models.agent={extra: {api_key: …hidden…}}'",
		"trawl run --set 'models={judge: {extra: {a: [{auth-token: t0ps3cret}]}}}'":      "trawl run --set 'models={judge: {extra: {a: [{auth-token: …hidden…}]}}}'",
		"trawl run --set 'models.agent.extra={authorization: {bearer: xyz}}'":            "trawl run --set 'models.agent.extra={authorization: {bearer: …hidden…}}'",
		"trawl run --set 'models.agent.extra={api_key: 12345678}'":                       "trawl run --set 'models.agent.extra={api_key: …hidden…}'",
		"trawl run --set 'models.agent.extra={headers: [\"Authorization: Bearer q9\"]}'": "trawl run --set 'models.agent.extra={headers: [\"Authorization: Bearer …hidden…\"]}'",
		"trawl run --set 'models.agent.extra.api_key=${KEY}'":                            "trawl run --set 'models.agent.extra.api_key=${KEY}'",
		"trawl run --set 'models.agent.extra.api_key=${KEY:-sk-1}'":                      "trawl run --set models.agent.extra.api_key=…hidden…",
		"trawl run --endpoint http://me:sk-1@host/v1":                                    "trawl run --endpoint http://…hidden…@host/v1",
		"trawl run --endpoint 'http://host/v1?a=1&api_key=sk-1'":                         "trawl run --endpoint 'http://host/v1?a=1&api_key=…hidden…'",
	} {
		if got := withoutSecrets(command); got != want {
			t.Errorf("withoutSecrets(%s)\n got %s\nwant %s", command, got, want)
		}
		if got := withoutSecrets(withoutSecrets(command)); got != want {
			t.Errorf("twice: %s\n got %s", command, got)
		}
	}
}

// What typed returns is what was typed, in the order of its flags.
func TestTyped(t *testing.T) {
	for _, words := range [][]string{
		{"report", "a", "b", "--title", "[draft] of a"}, {"report", "a", "--off=false"}, {"report", "a", "--off"},
		{"report", "a", "--names", `x,"y,z"`}, {"report", "a", "--set", "a=[1,2]", "--set", "b=c"}, {"report", "it's", "--title", "$HOME"},
	} {
		var got string
		cmd := &cobra.Command{Use: "report", RunE: func(cmd *cobra.Command, args []string) error {
			got = typed(cmd, args)
			return nil
		}}
		cmd.Flags().String("title", "", "")
		cmd.Flags().Bool("off", false, "")
		cmd.Flags().Bool("json", false, "")
		cmd.Flags().StringSlice("names", nil, "")
		cmd.Flags().StringArray("set", nil, "")
		cmd.SetArgs(append(words[1:], "--json"))
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, w := range words {
			want = append(want, quoted(w))
		}
		if got != strings.Join(want, " ") {
			t.Errorf("typed %s, want %s", got, strings.Join(want, " "))
		}
	}
}
