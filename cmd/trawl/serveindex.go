package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"trawl/search/remote"
)

const serveIndexHelp = `Serve an index to other programs: POST /retrieve speaks Search-R1's protocol, and
BrowseComp-Plus' where a call has "query" in place of "queries". Ctrl-C ends it.

  trawl serve-index --index IDX
  trawl serve-index --index IDX --addr 127.0.0.1:8000 --topk 5

  curl -s http://127.0.0.1:8001/retrieve -H 'Content-Type: application/json' \
    -d '{"queries": ["who directed the third man"], "topk": 3, "return_scores": true}'

GET /health says that it is up, and what the index is. There is no password: whoever
reaches the address can search.`

// maxTop is the greatest topk of a call, and of --topk.
const maxTop = 1000

// drainTime is how long calls under way may take when the server ends, and how
// long again after they have been cancelled.
const drainTime = time.Second

// A serveIndexOptions is how trawl serve-index is to serve.
type serveIndexOptions struct {
	addr string
	topk int
}

func newServeIndex(e env) *cobra.Command {
	var (
		f settingsFlags
		o serveIndexOptions
	)
	cmd := &cobra.Command{
		Use:   "serve-index --index DIR",
		Short: "Serve an index to other programs",
		Long:  serveIndexHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.topk < 1 || o.topk > maxTop {
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("--topk %d: want a number from 1 to %d", o.topk, maxTop)}
			}
			s, err := f.load(cmd, e)
			if err != nil {
				return err
			}
			return runServeIndex(cmd.Context(), e, s.Retrieval.Index, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8001", "`address` to listen on; port 0 is any free one")
	fs.IntVar(&o.topk, "topk", 3, "hits for calls that do not say how many")
	f.register(cmd, configGroup, retrievalGroup)
	return cmd
}

func runServeIndex(ctx context.Context, e env, index string, o serveIndexOptions) (err error) {
	x, err := openIndex(ctx, e, index)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	x.tellDoubt(e)
	listener, err := listen(o.addr)
	if err != nil {
		return err
	}
	tellServed(e, listener.Addr(), x.documents)
	return serve(ctx, listener, remote.Handler(x, remote.ServeOptions{Top: o.topk, MaxTop: maxTop, About: x.identity}))
}

// listen takes an address.
func listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("--addr %s: another program listens there; name another port, or port 0 for any free one", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("--addr %s: %w", addr, err)
	}
	return listener, nil
}

// tellServed prints the address for programs, and for people how to use it. An
// index that does not say how many documents it has has -1.
func tellServed(e env, addr net.Addr, documents int) {
	host, port, err := net.SplitHostPort(addr.String())
	ip := net.ParseIP(host)
	if err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	url := "http://" + net.JoinHostPort(host, port) + "/retrieve"
	if !ip.IsLoopback() {
		fmt.Fprintf(e.stderr, "trawl: warning: %s can be reached from other machines, and whoever reaches it can search the index: there is no password\n", addr)
	}
	what := "an index"
	if documents >= 0 {
		what = fmt.Sprintf("%d documents", documents)
	}
	fmt.Fprintf(e.stderr, "trawl: %s at %s; Ctrl-C ends it\n", what, url)
	fmt.Fprintf(e.stderr, "  curl -s %s -H 'Content-Type: application/json' -d '{\"queries\": [\"who directed the third man\"], \"topk\": 3, \"return_scores\": true}'\n", url)
	fmt.Fprintln(e.stdout, url)
}

// serve serves until ctx ends. Then calls under way have a second to finish, and
// are cancelled. How long an answer may take to be read is the handler's to say.
func serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	calls, cancelCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelCalls()
	server := &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return calls },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	if drain(ctx, server) != nil {
		cancelCalls()
		if drain(ctx, server) != nil {
			server.Close() //nolint:errcheck // what is left are connections on which nobody asks
		}
	}
	<-done
	return ctx.Err()
}

// drain waits for calls under way, for a while.
func drain(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	return server.Shutdown(ctx)
}
