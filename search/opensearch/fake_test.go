package opensearch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A cluster is an OpenSearch of one node in this process: it answers the calls
// that the package makes with the JSON that OpenSearch 2.19 gives.
type cluster struct {
	mu      sync.Mutex
	indexes map[string]*stored
	made    int
	calls   []string // method and path of each
	// before answers a call in place of the cluster if it returns true.
	before func(w http.ResponseWriter, r *http.Request, body []byte) bool
	// refuse, if it is not 0, is the status of a document of a bulk request.
	refuse func(id string) int
}

// stored is an index.
type stored struct {
	uuid     string
	settings map[string]any
	mappings map[string]any
	docs     map[string]map[string]any // by _id
	seen     map[string]map[string]any // as of the last refresh
}

// newCluster starts a cluster and returns it with the address of an index in it.
func newCluster(t *testing.T) (*cluster, string) {
	c := &cluster{indexes: make(map[string]*stored)}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return c, strings.Replace(server.URL, "http", "opensearch", 1) + "/passages"
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.calls = append(c.calls, r.Method+" "+r.URL.Path)
	before := c.before
	c.mu.Unlock()
	if before != nil && before(w, r, body) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name, op, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	x, ok := c.indexes[name]
	switch {
	case r.Method == http.MethodPut && op == "":
		c.create(w, name, body)
	case !ok:
		missing(w, name)
	default:
		c.answer(w, r.Method+" "+op, name, x, body)
	}
}

func (c *cluster) answer(w http.ResponseWriter, call, name string, x *stored, body []byte) {
	shards := map[string]any{"total": 1, "successful": 1, "skipped": 0, "failed": 0}
	switch call {
	case "GET ":
		reply(w, 200, map[string]any{name: map[string]any{"aliases": map[string]any{}, "mappings": x.mappings, "settings": map[string]any{"index": x.settings}}})
	case "DELETE ":
		delete(c.indexes, name)
		reply(w, 200, map[string]any{"acknowledged": true})
	case "PUT _mapping":
		maps.Copy(x.mappings, decode(body))
		reply(w, 200, map[string]any{"acknowledged": true})
	case "PUT _settings":
		maps.Copy(x.settings, texts(decode(body)["index"].(map[string]any)))
		reply(w, 200, map[string]any{"acknowledged": true})
	case "POST _refresh":
		x.seen = maps.Clone(x.docs)
		reply(w, 200, map[string]any{"_shards": shards})
	case "GET _count":
		reply(w, 200, map[string]any{"count": len(x.seen), "_shards": shards})
	case "POST _bulk":
		reply(w, 200, map[string]any{"items": c.bulk(x, body)})
	case "POST _search":
		reply(w, 200, map[string]any{"took": 1, "timed_out": false, "_shards": shards,
			"hits": map[string]any{"max_score": nil, "hits": x.search(name, decode(body))}})
	default:
		failure(w, 400, "illegal_argument_exception", "the cluster knows no "+call)
	}
}

func (c *cluster) create(w http.ResponseWriter, name string, body []byte) {
	if c.indexes[name] != nil {
		failure(w, 400, "resource_already_exists_exception", "index ["+name+"/uuid] already exists")
		return
	}
	c.made++
	in := decode(body)
	settings, _ := in["settings"].(map[string]any)["index"].(map[string]any)
	settings = texts(settings)
	settings["uuid"] = fmt.Sprint("uuid-", c.made)
	if settings["number_of_shards"] == nil {
		settings["number_of_shards"] = "1"
	}
	c.indexes[name] = &stored{
		uuid: fmt.Sprint("uuid-", c.made), settings: settings, mappings: in["mappings"].(map[string]any),
		docs: make(map[string]map[string]any), seen: make(map[string]map[string]any),
	}
	reply(w, 200, map[string]any{"acknowledged": true, "shards_acknowledged": true, "index": name})
}

// bulk creates documents and returns the result of each.
func (c *cluster) bulk(x *stored, body []byte) []any {
	var results []any
	lines := bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	for i := 0; i+1 < len(lines); i += 2 {
		id := decode(lines[i])["create"].(map[string]any)["_id"].(string)
		result := map[string]any{"status": 201}
		switch status := c.refusal(id); {
		case status == 429:
			result = map[string]any{"status": status, "error": cause("rejected_execution_exception", "rejected execution of coordinating operation")}
		case status != 0:
			result = map[string]any{"status": status, "error": cause("mapper_parsing_exception", "failed to parse")}
		case x.docs[id] != nil:
			result = map[string]any{"status": 409, "error": cause("version_conflict_engine_exception", "["+id+"]: version conflict, document already exists (current version [1])")}
		default:
			x.docs[id] = decode(lines[i+1])
		}
		results = append(results, map[string]any{"create": result})
	}
	return results
}

func (c *cluster) refusal(id string) int {
	if c.refuse == nil {
		return 0
	}
	return c.refuse(id)
}

// called returns how many calls began so.
func (c *cluster) called(prefix string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, call := range c.calls {
		if strings.HasPrefix(call, prefix) {
			n++
		}
	}
	return n
}

// texts returns settings as they are answered: leaves are strings, null removes.
func texts(in map[string]any) map[string]any {
	out := make(map[string]any)
	for key, v := range in {
		switch v := v.(type) {
		case map[string]any:
			out[key] = texts(v)
		case float64:
			out[key] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			out[key] = v
		}
	}
	return out
}

func decode(data []byte) map[string]any {
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(fmt.Sprintf("the package sent no JSON: %v: %.200s", err, data))
	}
	return out
}

func cause(kind, reason string) map[string]any {
	return map[string]any{"type": kind, "reason": reason}
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func failure(w http.ResponseWriter, status int, kind, reason string) {
	err := cause(kind, reason)
	err["root_cause"] = []any{cause(kind, reason)}
	reply(w, status, map[string]any{"error": err, "status": status})
}

func missing(w http.ResponseWriter, name string) {
	failure(w, 404, "index_not_found_exception", "no such index ["+name+"]")
}
