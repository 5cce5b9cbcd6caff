package remote

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"trawl/internal/text"
	"trawl/search"
)

// What a probe asks for: words that many passages of an English corpus have. A
// change of either changes every fingerprint.
const (
	probeQuery = "the history of a city and its people"
	probeTop   = 10
)

// A Dialect is what a probe learned of a server.
type Dialect struct {
	Form        Form   // of its answers
	IDs         bool   // hits have ids of their own
	Scores      bool   // and scores
	Rising      bool   // scores grow from hit to hit: they seem to be distances
	Hits        int    // found by the probe
	Fingerprint string // SHA-256 of the ids, titles and texts of these hits, in order
	// Index is what a server of ours says of its index; nil for others.
	Index json.RawMessage
}

// Probe asks the server one fixed question, and what its index is. It fails if a
// search would.
func (c *Client) Probe(ctx context.Context) (Dialect, error) {
	r, err := c.ask(ctx, probeQuery, probeTop)
	if err != nil {
		return Dialect{}, err
	}
	best := r.best(probeTop)
	d := Dialect{
		Form: r.form, IDs: r.ids && len(best) > 0, Scores: r.scores && len(best) > 0,
		Rising: r.rising(), Hits: len(best), Fingerprint: fingerprint(best),
	}
	d.Index = c.index(ctx)
	if err := ctx.Err(); err != nil {
		return Dialect{}, fmt.Errorf("remote: %s: %w", c.shown, err)
	}
	return d, nil
}

// index returns what a server of ours says of its index. Others have no such
// route, or another answer.
func (c *Client) index(ctx context.Context) json.RawMessage {
	to := *c.url
	to.Path = strings.TrimSuffix(to.Path, retrievePath) + healthPath
	data, err := c.do(ctx, http.MethodGet, &to, nil)
	var h struct {
		Server string
		Index  json.RawMessage
	}
	if err != nil || json.Unmarshal(data, &h) != nil || h.Server != mark || string(h.Index) == "null" {
		return nil
	}
	return h.Index
}

// Identity returns what tells one corpus from another, as JSON: what a server of
// ours says of its index, so that an index is the same one behind a server and in
// its folder, else the form and the fingerprint. Servers whose hits have neither
// ids nor scores search the web, whose results change, and have no fingerprint. The
// address is no part of it.
func (d Dialect) Identity() json.RawMessage {
	if d.Index != nil {
		return d.Index
	}
	identity := map[string]any{"retrieve": d.Form}
	if d.IDs || d.Scores {
		identity["fingerprint"] = d.Fingerprint
	}
	data, err := text.JSON(identity)
	if err != nil {
		panic("remote: an identity of strings is no JSON")
	}
	return data
}

// fingerprint hashes hits, without their scores, whose last digits differ from
// one machine to another.
func fingerprint(hits []search.Hit) string {
	var b []byte
	for _, h := range hits {
		for _, s := range []string{h.ID, h.Title, h.Text} {
			b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
