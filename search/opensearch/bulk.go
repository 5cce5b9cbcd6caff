package opensearch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"

	"trawl/internal/httpcall"
	"trawl/internal/text"
	"trawl/search"
)

// maxID is OpenSearch's limit for ids, in bytes.
const maxID = 512

// An item is a document as a bulk request has it: two lines of JSON.
type item struct {
	id    string
	lines []byte
}

func newItem(doc search.Document) (item, error) {
	switch {
	case doc.ID == "":
		return item{}, errors.New("it has no id")
	case len(doc.ID) > maxID:
		return item{}, fmt.Errorf("id %s: %d bytes, and OpenSearch takes %d", httpcall.FirstWords([]byte(doc.ID)), len(doc.ID), maxID)
	}
	// Creating, rather than indexing, tells of an id that is there, and leaves no
	// older version of a document, which would count in N and df.
	action, err := text.JSON(map[string]any{"create": map[string]string{"_id": doc.ID}})
	if err != nil {
		return item{}, err
	}
	fields, err := text.JSON(map[string]string{"id": doc.ID, "title": doc.Title, "url": doc.URL, "text": doc.Text})
	if err != nil {
		return item{}, err
	}
	return item{doc.ID, fmt.Appendf(nil, "%s\n%s\n", action, fields)}, nil
}

// A bulkAnswer is what is of use in the answer to a bulk request: one result for
// each item, in their order.
type bulkAnswer struct {
	Items []struct {
		Create itemResult `json:"create"`
	} `json:"items"`
}

// An itemResult is how an item fared. A status below 300 is success.
type itemResult struct {
	Status int      `json:"status"`
	Error  *osError `json:"error"`
}

// send sends items until the cluster has all of them. The attempts are those of
// one size: a batch that is too large is sent in halves, each with its own. Again
// says that some may have been sent before.
func (b *builder) send(ctx context.Context, items []item, again bool) error {
	pending, attempt := items, 0
	err := httpcall.Persist(ctx, b.client.opts.Attempts, b.client.opts.Wait, func(ctx context.Context) error {
		attempt++
		answer, err := b.bulk(ctx, pending)
		if isTooLarge(err) {
			return err // nothing of it is there
		}
		if err == nil {
			pending, err = left(pending, answer, again)
		}
		again = true
		b.wait(ctx, err, attempt)
		return err
	})
	if isTooLarge(err) {
		b.progress(len(items) - len(pending))
		return b.halve(ctx, pending, again, err)
	}
	if err != nil {
		return err
	}
	b.progress(len(items))
	return nil
}

// halve sends items in two parts that were too large together.
func (b *builder) halve(ctx context.Context, items []item, again bool, err error) error {
	size := 0
	for _, it := range items {
		size += len(it.lines)
	}
	if len(items) == 1 {
		return fmt.Errorf("document %q, of %d bytes, is too large for the cluster or a proxy before it: shorten it, or raise http.max_content_length there: %w", items[0].id, size, err)
	}
	b.mu.Lock()
	b.limit = min(b.limit, size/2)
	b.mu.Unlock()
	half := len(items) / 2
	if err := b.send(ctx, items[:half], again); err != nil {
		return err
	}
	return b.send(ctx, items[half:], again)
}

// batch returns how many bytes a batch has at most.
func (b *builder) batch() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit
}

// progress tells of so many documents more that the cluster has.
func (b *builder) progress(documents int) {
	if documents == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += documents
	b.opts.Progress(b.done)
}

// wait tells why a batch waits, if there is a next attempt.
func (b *builder) wait(ctx context.Context, err error, attempt int) {
	attempts := b.client.opts.Attempts
	if _, passing := errors.AsType[*httpcall.Passing](err); !passing || attempt >= attempts || ctx.Err() != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opts.Waiting(fmt.Errorf("attempt %d of %d: %w", attempt, attempts, err))
}

// bulk makes one bulk request.
func (b *builder) bulk(ctx context.Context, items []item) (bulkAnswer, error) {
	var body bytes.Buffer
	for _, it := range items {
		body.Write(it.lines)
	}
	var answer bulkAnswer
	err := b.do(ctx, http.MethodPost, func() opensearch.Request {
		return opensearchapi.BulkReq{
			Index: b.index, Body: bytes.NewReader(body.Bytes()),
			Header: http.Header{"Content-Type": {"application/x-ndjson"}},
			Params: opensearchapi.BulkParams{FilterPath: []string{"items.*.status", "items.*.error"}},
		}
	}, &answer)
	return answer, err
}

// left returns the items that are to be sent again, with a passing failure if
// there are any. When items were sent before, those that are there already are
// taken for ours, of an attempt whose answer was lost; the number of documents
// tells in the end.
func left(items []item, answer bulkAnswer, again bool) ([]item, error) {
	if len(answer.Items) != len(items) {
		return nil, fmt.Errorf("the answer to _bulk is for %d documents, and %d were sent", len(answer.Items), len(items))
	}
	var pending []item
	var first error
	for i, it := range items {
		r := answer.Items[i].Create
		switch {
		case r.Status >= 200 && r.Status < 300:
		case r.Status == http.StatusConflict && again:
		case r.Status == http.StatusConflict:
			return nil, fmt.Errorf("document %q: an earlier document has the same id", it.id)
		case httpcall.Passes(r.Status):
			pending = append(pending, it)
			if first == nil {
				first = r.failure(it)
			}
		default:
			return nil, r.failure(it)
		}
	}
	if first != nil {
		return pending, &httpcall.Passing{Err: fmt.Errorf("%d of %d documents refused for now: %w", len(pending), len(items), first)}
	}
	return nil, nil
}

func (r itemResult) failure(it item) error {
	said := "the cluster does not say why"
	if r.Error != nil {
		said = r.Error.String()
	}
	return fmt.Errorf("document %q: status %d: %s", it.id, r.Status, said)
}
