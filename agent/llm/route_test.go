package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
)

// servers returns clients that answer with their number, and fail instead while
// there is an error for them.
func servers(n int, down map[int]error) []llm.Client {
	var out []llm.Client
	for i := range n {
		out = append(out, llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
			if err := down[i]; err != nil {
				return nil, err
			}
			return &llm.Response{Model: fmt.Sprint(i)}, nil
		}))
	}
	return out
}

func ask(t *testing.T, c llm.Client, affinity string) string {
	t.Helper()
	resp, err := c.Complete(t.Context(), &llm.Request{Affinity: affinity})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Model
}

func TestRouteIsSticky(t *testing.T) {
	const n, keys = 4, 4000
	c, more := llm.Route(servers(n, nil)), llm.Route(servers(n+1, nil))
	var share [n]int
	moved := 0
	for k := range keys {
		affinity := fmt.Sprintf("q%d", k)
		order := llm.Order(c, affinity)
		if got := ask(t, c, affinity); got != fmt.Sprint(order[0]) || got != ask(t, c, affinity) {
			t.Fatalf("%s goes to %s, want always %d", affinity, got, order[0])
		}
		share[order[0]]++
		// A further server only takes requests away from the others.
		if next := llm.Order(more, affinity); next[0] != order[0] {
			moved++
			if next[0] != n {
				t.Fatalf("%s moved from %d to %d, want to the further one", affinity, order[0], next[0])
			}
		}
	}
	for i, got := range share { // a share is within 5 standard deviations of 1,000
		if got < 860 || got > 1140 {
			t.Errorf("server %d has %d of %d, want about %d", i, got, keys, keys/n)
		}
	}
	if moved < 670 || moved > 930 { // of 800 = 4,000 / 5
		t.Errorf("%d moved, want about %d", moved, keys/(n+1))
	}
}

func TestRouteGoesRound(t *testing.T) {
	c := llm.Route(servers(3, nil))
	var got []string
	for range 7 {
		got = append(got, ask(t, c, ""))
	}
	if diff := cmp.Diff(strings.Fields("0 1 2 0 1 2 0"), got); diff != "" {
		t.Errorf("order mismatch (-want +got):\n%s", diff)
	}
}

func TestRouteFailure(t *testing.T) {
	unreachable, overloaded := kind(llm.ErrUnreachable), kind(llm.ErrOverloaded)
	order := llm.Order(llm.Route(servers(3, nil)), "q")
	tests := []struct {
		name    string
		down    map[int]error
		want    int // index in order
		wantErr error
	}{
		{"none", nil, 0, nil},
		{"first", map[int]error{order[0]: unreachable}, 1, nil},
		{"two", map[int]error{order[0]: unreachable, order[1]: unreachable}, 2, nil},
		{"all", map[int]error{0: unreachable, 1: unreachable, 2: unreachable}, 0, llm.ErrUnreachable},
		{"overloaded is not gone", map[int]error{order[0]: overloaded}, 0, llm.ErrOverloaded},
		{"next is overloaded", map[int]error{order[0]: unreachable, order[1]: overloaded}, 0, llm.ErrOverloaded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := llm.Route(servers(3, tt.down)).Complete(t.Context(), &llm.Request{Affinity: "q"})
			if tt.wantErr != nil {
				if !errors.Is(err, tt.wantErr) {
					t.Errorf("err = %v, want %v", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprint(order[tt.want]); resp.Model != want {
				t.Errorf("server %s, want %s", resp.Model, want)
			}
		})
	}
}

// TestRouteRests has a server that hangs for a minute before it fails.
func TestRouteRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain := servers(2, nil)
		first := llm.Order(llm.Route(plain), "q")[0]
		tries := 0
		clients := []llm.Client{plain[0], plain[1]}
		clients[first] = llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
			tries++
			<-time.After(time.Minute)
			return nil, kind(llm.ErrUnreachable)
		})
		c := llm.Route(clients)
		start := time.Now()
		for range 10 {
			ask(t, c, "q")
		}
		if got := time.Since(start); got != time.Minute || tries != 1 {
			t.Errorf("10 calls took %v and %d tries, want 1 min and 1", got, tries)
		}
		<-time.After(time.Minute)
		if ask(t, c, "q"); tries != 2 {
			t.Errorf("%d tries after its rest, want 2", tries)
		}
	})
}

func TestRouteStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	dying := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		calls++
		cancel()
		return nil, kind(llm.ErrUnreachable)
	})
	_, err := llm.Route([]llm.Client{dying, dying}).Complete(ctx, &llm.Request{})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("err = %v after %d calls, want context.Canceled after 1", err, calls)
	}
}

func TestRouteOfOne(t *testing.T) {
	if got := ask(t, llm.Route(servers(1, nil)), "q"); got != "0" {
		t.Errorf("server %s, want 0", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic without clients")
		}
	}()
	llm.Route(nil)
}
