package reply

import "strings"

// MaxCalls is how many calls of one reply package agent runs. It bounds what one
// reply can cost; nothing is known to need more.
const MaxCalls = 8

// MaxRead is how many calls of one reply are read; those beyond are forgotten,
// those beyond [MaxCalls] are answered but not run.
const MaxRead = 4 * MaxCalls

// A Call is a tool call as it was read. Its arguments may not be what the tool
// asks for; the key "" holds an argument without a name.
type Call struct {
	Name string
	Args map[string]any
}

// The tool that <search> stands for, and its argument: those of the package
// trawl/agent/tool, which is not imported so that replies can be read where
// there are no tools. A test of package agent holds them together.
const (
	searchName  = "search"
	searchQuery = "query"
)

// A callReader collects the calls of one reply, and what had to be mended.
type callReader struct {
	calls   []Call
	repairs []string
}

func (r *callReader) note(repair string) { r.repairs = append(r.repairs, repair) }

// add cleans the arguments and keeps the call.
func (r *callReader) add(c Call, j jsonReader) {
	if len(r.calls) == MaxRead {
		r.note(CallsCut)
		return
	}
	if j.mended {
		r.note(repairJSON)
	}
	if j.decoded {
		r.note(repairEntities)
	}
	c.Args, _ = cleanValue(c.Args, j.decoded, &r.repairs).(map[string]any)
	c.Name = strings.TrimSpace(c.Name)
	r.calls = append(r.calls, c)
}

// addValue keeps the call that a JSON value describes, or those of a list.
// Models write {"name", "arguments"}, {"name", "parameters"}, {"function":
// {"name", "arguments"}}, or the arguments beside the name.
func (r *callReader) addValue(v any, j jsonReader) bool {
	if list, ok := v.([]any); ok {
		added := false
		for _, v := range list {
			added = r.addValue(v, j) || added
		}
		return added
	}
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	if f, ok := m["function"].(map[string]any); ok {
		m = f
	}
	name, key := pick(m, "name", "function", "tool", "tool_name")
	text, ok := name.(string)
	if !ok || text == "" {
		return false
	}
	raw, argsKey := pick(m, "arguments", "parameters", "args", "input")
	if argsKey == "" {
		rest := make(map[string]any, len(m))
		for k, v := range m {
			if k != key && k != "id" && k != "type" {
				rest[k] = v
			}
		}
		raw = rest
	}
	args, encoded := j.object(raw)
	if encoded {
		r.note(repairEncoded)
	}
	r.add(Call{Name: text, Args: args}, j)
	return true
}

// pick returns the value of the first key that m has.
func pick(m map[string]any, keys ...string) (v any, key string) {
	for _, k := range keys {
		if v, ok := m[k]; ok {
			return v, k
		}
	}
	return nil, ""
}

// markup reads the calls in tags from ts[0] on, which opens the first one, up
// to markup that is no call. It returns false if there is no call in it.
func (r *callReader) markup(s string, ts []tag) bool {
	for i := 0; i < len(ts) && len(r.calls) < MaxRead; {
		t := ts[i]
		switch {
		case t.close && t.name == "tool_call":
			if t.escaped {
				r.note(repairCloser)
			}
			i++
		case t.close:
			i++
		case t.name == "tool_call":
			i = r.block(s, ts, i)
		case t.name == "function":
			i = r.function(s, ts, i)
		default:
			return len(r.calls) > 0
		}
	}
	return len(r.calls) > 0
}

// block reads what <tool_call> at ts[i] opens and returns the tag to go on with.
func (r *callReader) block(s string, ts []tag, i int) int {
	body := s[ts[i].end:]
	trimmed := strings.TrimLeft(body, " \t\r\n`")
	switch {
	case strings.HasPrefix(trimmed, "{"), strings.HasPrefix(trimmed, "["), strings.HasPrefix(trimmed, "&quot;"), strings.HasPrefix(trimmed, `\`):
		return r.hermes(s, ts, i)
	case i+1 < len(ts) && ts[i+1].name == "function" && strings.TrimSpace(s[ts[i].end:ts[i+1].start]) == "":
		return i + 1
	}
	return r.argKeys(s, ts, i)
}

// hermes reads a stream of JSON values. Values that are JSON may hold any
// text, tags included; broken ones end at the next tag of a block. (A2, A3)
func (r *callReader) hermes(s string, ts []tag, i int) int {
	at := ts[i].end
	for len(r.calls) < MaxRead {
		rest := strings.TrimLeft(s[at:], " \t\r\n,;")
		if !strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, "[") {
			break
		}
		v, after, err := firstValue(rest)
		if err != nil {
			break
		}
		at = len(s) - len(after)
		if r.addValue(v, jsonReader{}) {
			r.note(repairHermes)
		}
	}
	next := nextAfter(ts, i+1, at)
	end := len(s)
	for next < len(ts) && !blockEdge(ts[next]) {
		next++
	}
	if next < len(ts) {
		end = ts[next].start
	}
	if broken := strings.TrimSpace(s[at:max(at, end)]); strings.ContainsAny(broken, "{[") || strings.Contains(broken, "&quot;") {
		var j jsonReader
		if v, err := j.value(broken); err == nil && r.addValue(v, j) {
			r.note(repairHermes)
		}
	}
	return next
}

// nextAfter returns the index of the first of ts[from:] that begins at or after at.
func nextAfter(ts []tag, from, at int) int {
	for from < len(ts) && ts[from].start < at {
		from++
	}
	return from
}

// blockEdge reports whether t ends a block of calls, closed or not.
func blockEdge(t tag) bool {
	switch t.name {
	case "tool_call", "tool_response", "information", "function":
		return true
	}
	return false
}

// function reads <function=NAME><parameter=KEY>VALUE</parameter>…</function>.
func (r *callReader) function(s string, ts []tag, i int) int {
	c := Call{Name: ts[i].arg, Args: map[string]any{}}
	i++
	for i < len(ts) {
		t := ts[i]
		if t.name != "parameter" {
			break
		}
		i++
		if t.close {
			continue
		}
		c.Args[t.arg] = strings.TrimSpace(s[t.end:startOf(s, ts, i)])
	}
	if i < len(ts) && ts[i].close && ts[i].name == "function" {
		i++
	}
	if c.Name != "" {
		r.add(c, jsonReader{})
		r.note(repairFunction)
	}
	return i
}

// argKeys reads NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>… and,
// without any key, a call in Python.
func (r *callReader) argKeys(s string, ts []tag, i int) int {
	head := strings.TrimSpace(s[ts[i].end:startOf(s, ts, i+1)])
	i++
	name, _, _ := strings.Cut(head, "\n")
	c := Call{Name: name, Args: map[string]any{}}
	key := ""
	for ; i < len(ts) && (ts[i].name == "arg_key" || ts[i].name == "arg_value"); i++ {
		if ts[i].close {
			continue
		}
		value := strings.TrimSpace(s[ts[i].end:startOf(s, ts, i+1)])
		if ts[i].name == "arg_key" {
			key = value
			continue
		}
		c.Args[key] = value
	}
	switch {
	case len(c.Args) > 0 && c.Name != "":
		r.add(c, jsonReader{})
		r.note(repairArgKey)
	case r.python(head):
		r.note(repairHermes)
	}
	return i
}

// startOf returns where ts[i] starts, or the end of s if there is none.
func startOf(s string, ts []tag, i int) int {
	if i < len(ts) {
		return ts[i].start
	}
	return len(s)
}

// fences are the info strings of fenced blocks that hold a call; one that may
// hold anything else counts only if it holds a call and nothing else.
var fences = []string{"```tool_code", "```tool_call", "```json"}

// findFence returns where the first fenced block with a call opens, and its
// body; -1 if there is none. (A8)
func findFence(s string) (start int, body string) {
	start = -1
	for _, f := range fences {
		if i := strings.Index(s, f); i >= 0 && (start < 0 || i < start) {
			start = i
			body, _, _ = strings.Cut(s[i+len(f):], "```")
		}
	}
	return start, strings.TrimSpace(body)
}

// fence reads the body of a fenced block.
func (r *callReader) fence(body string) bool {
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[{") {
		var j jsonReader
		v, err := j.value(body)
		if err != nil || !r.addValue(v, j) {
			return false
		}
	} else if !r.python(body) {
		return false
	}
	r.note(repairFence)
	return true
}

// bareJSON reads a text that is one JSON object with a name and arguments, and
// nothing else.
func (r *callReader) bareJSON(s string) bool {
	if !strings.HasPrefix(s, "{") || !strings.Contains(s, "name") {
		return false
	}
	var j jsonReader
	v, err := j.value(s)
	if err != nil || !r.addValue(v, j) {
		return false
	}
	r.note(repairBareJSON)
	return true
}

// searchTag keeps the call that <search>query</search> stands for.
func (r *callReader) searchTag(query string) {
	r.add(Call{Name: searchName, Args: map[string]any{searchQuery: strings.TrimSpace(query)}}, jsonReader{})
}
