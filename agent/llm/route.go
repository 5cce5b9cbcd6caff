package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Route returns a client that spreads calls over clients, one for each server
// of the same model. Requests of one [Request.Affinity] go to one server, whose
// cache then holds their prefix: each client scores a hash of the affinity and
// its index, the highest score wins (rendezvous hashing), and so a further
// server takes over its own share and moves nothing else. Requests without an
// affinity go round.
//
// A client that fails with [ErrUnreachable] is followed by the next in order of
// score. It then rests, that is, comes last, for as long as its failure took to
// show, so that a server which hangs until a time-out costs each rollout one
// such wait and not one for each turn. Route panics if there are no clients.
func Route(clients []Client) Client {
	if len(clients) == 0 {
		panic("llm: route without clients")
	}
	if len(clients) == 1 {
		return clients[0]
	}
	return &route{clients: slices.Clone(clients), rest: make([]atomic.Int64, len(clients))}
}

type route struct {
	clients []Client
	rest    []atomic.Int64 // for each client, until when it rests, in Unix nanoseconds
	turn    atomic.Uint64  // counts requests without affinity
}

// Complete implements [Client].
func (r *route) Complete(ctx context.Context, req *Request) (*Response, error) {
	var failed []error
	for _, i := range r.order(req.Affinity) {
		start := time.Now()
		resp, err := r.clients[i].Complete(ctx, req)
		if !errors.Is(err, ErrUnreachable) {
			return resp, err
		}
		failed = append(failed, err)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		now := time.Now()
		r.rest[i].Store(now.Add(now.Sub(start)).UnixNano())
	}
	return nil, noneOf(failed)
}

// noneOf is the errors of all servers on one line.
type noneOf []error

func (e noneOf) Error() string {
	said := make([]string, len(e))
	for i, err := range e {
		said[i] = err.Error()
	}
	return fmt.Sprintf("llm: none of %d servers can be reached: %s", len(e), strings.Join(said, "; "))
}

func (e noneOf) Unwrap() []error { return e }

// order returns the indices of the clients in the order in which to try them.
func (r *route) order(affinity string) []int {
	type rank struct {
		resting bool
		score   uint64
		index   int
	}
	turn, now := uint64(0), time.Now().UnixNano()
	if affinity == "" {
		turn = r.turn.Add(1) - 1
	}
	n := uint64(len(r.clients))
	ranks := make([]rank, n)
	for i := range ranks {
		score := n - (uint64(i)+n-turn%n)%n // the client whose turn it is scores n
		if affinity != "" {
			score = rendezvous(affinity, i)
		}
		ranks[i] = rank{resting: r.rest[i].Load() > now, score: score, index: i}
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		if a.resting != b.resting {
			if a.resting {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.index, b.index))
	})
	order := make([]int, n)
	for i, rk := range ranks {
		order[i] = rk.index
	}
	return order
}

// rendezvous returns the score of client i for an affinity: FNV-1a, and then
// the finalizer of SplitMix64, without which a last byte hardly moves the high
// bits.
func rendezvous(affinity string, i int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(affinity)) // cannot fail
	x := h.Sum64() + uint64(i+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
