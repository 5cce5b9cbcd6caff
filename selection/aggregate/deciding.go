package aggregate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"trawl/agent/llm"
	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/selection"
	"trawl/trajectory"
)

// A deciding is one decision under way: it counts what it costs.
type deciding struct {
	method
	question trajectory.Question // its text on one line
	seed     int64
	began    time.Time

	mu         sync.Mutex
	cost       selection.Cost
	unreadable int // replies
}

func (m method) begin(g selection.Group) *deciding {
	q := g.Question
	q.Text = text.Collapse(q.Text)
	return &deciding{method: m, question: q, seed: m.base(g), began: time.Now()}
}

// spent returns the cost up to now.
func (d *deciding) spent() selection.Cost {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.cost
	c.Millis = time.Since(d.began).Milliseconds()
	return c
}

// none is the decision where nothing came of asking, which counts as wrong.
func (d *deciding) none(note string) selection.Decision {
	return selection.Decision{Index: -1, Note: joinNotes(note, d.unread()), Cost: d.spent()}
}

// wrote is the decision for an answer that the model wrote.
func (d *deciding) wrote(answer string) selection.Decision {
	return selection.Decision{Answer: answer, Index: -1, Cost: d.spent()}
}

// unread says how many replies could not be read; "" if all could.
func (d *deciding) unread() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unreadable == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the server's replies could not be read", d.unreadable)
}

// joinNotes joins the notes that say something.
func joinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// count adds a call whose prompt had fresh tokens that the one before had not.
func (d *deciding) count(u llm.Usage, fresh int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cost.Add(selection.Cost{Calls: 1, Prompt: u.Prompt, Completion: u.Completion, Cached: u.Cached, Fresh: fresh, Estimated: u.Estimated})
}

// countUnread adds a call that led to no reply, and of whose tokens nothing is
// known.
func (d *deciding) countUnread() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cost.Calls++
	d.unreadable++
}

// A conversation is model calls each of which sends again what the one before
// sent. It belongs to one goroutine.
type conversation struct {
	*deciding
	seed   int64
	prompt int // tokens of the last call's
}

// conversation begins one; the parts tell it from the others of the decision.
func (d *deciding) conversation(parts ...any) *conversation {
	return &conversation{deciding: d, seed: seed.Derive(d.seed, parts...)}
}

// complete makes a call. The request's sampling is that of the options; the parts
// tell its seed from those of other calls. A reply that cannot be read, which
// [llm.Retry] around the client has asked for again already, is returned as one
// that says nothing.
func (c *conversation) complete(ctx context.Context, req llm.Request, parts ...any) (*llm.Response, error) {
	s := seed.Derive(c.seed, parts...)
	req.Sampling, req.Seed, req.Affinity = c.opts.Sampling, &s, c.question.ID
	resp, err := c.client.Complete(ctx, &req)
	switch {
	case errors.Is(err, llm.ErrMalformed) && ctx.Err() == nil:
		c.countUnread()
		return &llm.Response{}, nil
	case err != nil:
		return nil, err
	}
	c.count(resp.Usage, max(resp.Usage.Prompt-c.prompt, 0))
	c.prompt = resp.Usage.Prompt
	return resp, nil
}

// until asks, each time with another seed, until read makes something of a
// reply. It returns false if none of the tries led there.
func (c *conversation) until(ctx context.Context, req llm.Request, read func(*llm.Response) bool) (bool, error) {
	for try := range c.opts.Tries {
		resp, err := c.complete(ctx, req, try)
		if err != nil {
			return false, err
		}
		if read(resp) {
			return true, nil
		}
	}
	return false, nil
}

// ask is a request that is one message.
func ask(prompt string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: prompt}}}
}
