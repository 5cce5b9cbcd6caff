package opensearch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"
	"golang.org/x/sync/errgroup"

	"trawl/search"
	"trawl/search/index"
)

// BuildOptions say how to build an index.
type BuildOptions struct {
	Params   index.Params        // taken literally; see [index.DefaultParams]
	Source   string              // what the documents are, for the index's description; may be empty
	Replace  bool                // delete a complete index of ours first, damaged or not
	Shards   int                 // default the cluster's, which is mostly 1
	Replicas int                 // once the index is complete; while it is built there are none
	Workers  int                 // batches that are sent at once; default 4
	Batch    int                 // bytes of a batch, but for one of a single document; default 8 MiB, and less where the cluster finds that too large (413)
	Progress func(documents int) // called after every batch that the cluster has and at the end, never twice at once; may be nil
	Waiting  func(err error)     // called when an attempt of a batch has failed and there are more, before the wait for the next; never at once with itself or Progress; may be nil
	Client   Options
}

func (o BuildOptions) withDefaults() BuildOptions {
	if o.Workers < 1 {
		o.Workers = 4
	}
	if o.Batch < 1 {
		o.Batch = 8 << 20
	}
	if o.Progress == nil {
		o.Progress = func(int) {}
	}
	if o.Waiting == nil {
		o.Waiting = func(error) {}
	}
	if o.Client.Attempts < 1 {
		o.Client.Attempts = 10
	}
	return o
}

// Build makes an index of the documents at an address (see the package comment)
// at which there is none, or one of ours that is incomplete, which it deletes.
// Anything else is left alone and is [ErrExists] or [index.ErrForeign].
//
// What the cluster refuses for now, be it a request or one document of many, is
// sent again as often as the options say, and a batch that it finds too large in
// halves. It fails for a document that the
// cluster refuses for good, one without id, with an id of more than 512 bytes or
// with that of an earlier one, and for an error among docs. When it fails, it
// leaves an incomplete index, for its context may have ended; so does a process
// that dies in it.
//
// Two buildings of one index at once delete each other's documents; at most one
// of them succeeds.
func Build(ctx context.Context, address string, docs iter.Seq2[search.Document, error], opts BuildOptions) (Stats, error) {
	opts = opts.withDefaults()
	c, err := newClient(address, opts.Client)
	if err != nil {
		return Stats{}, fmt.Errorf("opensearch: build: %w", err)
	}
	defer c.search.Close()
	b := &builder{client: c, opts: opts, limit: opts.Batch}
	if err := b.build(ctx, docs); err != nil {
		return Stats{}, fmt.Errorf("opensearch: build %s: %w", c.shown, err)
	}
	return b.mark.Stats, nil
}

// A builder is a building under way.
type builder struct {
	*client
	opts BuildOptions
	mark mark
	sum  index.Contents

	mu    sync.Mutex
	done  int // documents that the cluster has
	limit int // bytes of a batch
}

func (b *builder) build(ctx context.Context, docs iter.Seq2[search.Document, error]) error {
	if err := b.opts.Params.Validate(); err != nil {
		return err
	}
	b.mark = mark{Format: format, Version: version, Building: rand.Text()}
	b.mark.Params, b.mark.Source = b.opts.Params, b.opts.Source
	if err := b.makeRoom(ctx); err != nil {
		return err
	}
	if err := b.create(ctx, b.mark, b.opts.Shards); err != nil {
		return err
	}
	if err := b.load(ctx, docs); err != nil {
		return err
	}
	b.mark.SHA256 = b.sum.String()
	if err := b.finish(ctx); err != nil {
		return err
	}
	b.opts.Progress(b.mark.Documents)
	return nil
}

// makeRoom deletes an index that may be deleted and reports any other.
func (b *builder) makeRoom(ctx context.Context) error {
	s, err := b.look(ctx)
	switch {
	case errors.Is(err, ErrMissing):
		return nil
	case err != nil:
		return err
	case s.mark == nil:
		return fmt.Errorf("%w: it is another program's, and stays as it is", index.ErrForeign)
	case s.name != b.index:
		return fmt.Errorf("%w: the name is an alias of %s", ErrExists, s.name)
	case s.mark.Complete && !b.opts.Replace:
		return fmt.Errorf("%w, with %d documents", ErrExists, s.mark.Documents)
	}
	return b.remove(ctx)
}

// load sends the documents.
func (b *builder) load(ctx context.Context, docs iter.Seq2[search.Document, error]) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(b.opts.Workers + 1)
	g.Go(func() error {
		return b.read(ctx, docs, func(items []item) {
			g.Go(func() error { return b.send(ctx, items, false) })
		})
	})
	return g.Wait()
}

// read gives the documents to send in batches.
func (b *builder) read(ctx context.Context, docs iter.Seq2[search.Document, error], send func([]item)) error {
	var items []item
	size := 0
	for doc, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		var it item
		if err == nil {
			it, err = b.take(doc)
		}
		if err != nil {
			return err
		}
		if len(items) > 0 && size+len(it.lines) > b.batch() {
			send(items)
			items, size = nil, 0
		}
		items, size = append(items, it), size+len(it.lines)
	}
	if len(items) > 0 {
		send(items)
	}
	return nil
}

// take counts a document and makes an item of it.
func (b *builder) take(doc search.Document) (item, error) {
	b.mark.Documents++
	it, err := newItem(doc)
	if err != nil {
		return item{}, fmt.Errorf("document %d: %w", b.mark.Documents, err)
	}
	b.sum.Toggle(index.SumOf(doc))
	return it, nil
}

// finish makes a complete index of one that has all documents.
func (b *builder) finish(ctx context.Context) error {
	if err := b.refresh(ctx); err != nil {
		return err
	}
	if err := b.stillMine(ctx, b.mark); err != nil {
		return err
	}
	n, err := b.count(ctx)
	if err != nil {
		return err
	}
	if n != b.mark.Documents {
		return fmt.Errorf("it has %d documents, and %d were sent: some have the id of an earlier one, or another program changes it", n, b.mark.Documents)
	}
	return b.complete(ctx, b.mark, b.opts.Replicas)
}

// refresh lets searches see what was sent.
func (b *builder) refresh(ctx context.Context) error {
	var answer struct {
		Shards *shards `json:"_shards"`
	}
	err := b.call(ctx, http.MethodPost, func() opensearch.Request {
		return opensearchapi.IndicesRefreshReq{Index: b.indices()}
	}, &answer)
	switch {
	case err != nil:
		return err
	case answer.Shards == nil:
		return errors.New("the answer to _refresh does not say how it went")
	case answer.Shards.Failed > 0:
		return fmt.Errorf("%d of the index's %d shards do not refresh", answer.Shards.Failed, answer.Shards.Total)
	}
	return nil
}
