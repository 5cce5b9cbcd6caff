package sim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"trawl/agent/llm/sim"
)

func TestSmoke(t *testing.T) {
	s, err := sim.Start(sim.Options{Skill: sim.Large})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	post := func(v any) {
		b, _ := json.Marshal(v)
		r, err := http.Post(s.URL()+"/chat/completions", "application/json", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(r.Body)
		fmt.Println(r.StatusCode, string(out))
	}
	m := func(role, c string) map[string]any { return map[string]any{"role": role, "content": c} }
	inst := "Use <search> and <answer>. You have 8 turns in total.\nQuestion: Who founded the company that employed the director of The Silent Harbor?"
	msgs := []any{m("user", inst)}
	for seed := range 6 {
		post(map[string]any{"messages": msgs, "seed": seed})
	}
	msgs = append(msgs, m("assistant", "<search>The Silent Harbor director</search>"), m("user", "<information>\nDoc 1(Title: The Silent Harbor) The Silent Harbor is a 1951 drama film. The Silent Harbor was directed by Anna Berg. It has music.\nDoc 2(Title: Anna Berg) Anna Berg (born 12 March 1920) is a director. Berg was employed by Nordlicht Films.\n</information>"))
	post(map[string]any{"messages": msgs, "seed": 3})
	for T := range 2 {
		post(map[string]any{"temperature": T, "messages": []any{m("user", "Write exactly 16 diverse search queries.\nQuestion: Who founded the company that employed the director of The Silent Harbor?")}, "seed": 3})
	}
}
