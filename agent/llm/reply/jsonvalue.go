package reply

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// maxMend is the length of text that is mended. The time of jsonrepair grows
// with the square of its input: 8 KB of the worst kinds take some 15 ms.
const maxMend = 8 << 10

var errNoJSON = errors.New("not JSON")

// A jsonReader reads JSON as models write it. Numbers stay as they are written
// ([json.Number]), so that none loses a digit, and texts stay texts.
type jsonReader struct {
	mended  bool // the text was not JSON
	decoded bool // its entities were decoded, so its texts must not be decoded again
}

// value reads the value that s is, mending it if need be. (A1)
func (r *jsonReader) value(s string) (any, error) {
	s = strings.TrimSpace(s)
	v, rest, err := firstValue(s)
	if err == nil {
		r.mended = r.mended || strings.TrimSpace(rest) != ""
		return v, nil
	}
	if len(s) > maxMend || s == "" {
		return nil, errNoJSON
	}
	r.mended = true
	if strings.Contains(s, "&quot;") && !r.decoded {
		r.decoded = true
		return r.value(entities.Replace(s))
	}
	fixed, err := jsonrepair.Repair(s)
	if err != nil {
		return nil, errNoJSON
	}
	v, _, err = firstValue(fixed)
	return v, err
}

// firstValue reads the first JSON value of s strictly and returns what follows it.
func firstValue(s string) (v any, rest string, err error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, s, err
	}
	return v, s[dec.InputOffset():], nil
}

// object reads the arguments of a call: an object, an object in a text, or a
// value that stands for the only argument, which then has the name "".
func (r *jsonReader) object(v any) (args map[string]any, encoded bool) {
	switch v := v.(type) {
	case nil:
		return map[string]any{}, false
	case map[string]any:
		return v, false
	case string:
		if t := strings.TrimSpace(v); strings.HasPrefix(t, "{") {
			if inner, err := r.value(t); err == nil {
				if m, ok := inner.(map[string]any); ok {
					return m, true
				}
			}
		}
	}
	return map[string]any{"": v}, false
}

// entities decodes what models escape, in one pass, so that nothing is decoded
// twice (A14). Names without a semicolon stay: "&copy=1" is part of an address.
var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#34;", `"`,
	"&apos;", "'", "&#39;", "'", "&#x27;", "'", "&#x2F;", "/", "&nbsp;", " ")

// cleanValue decodes the texts inside v: entities once, and escapes that were
// escaped once more (A13). It adds what it did to repairs.
func cleanValue(v any, decoded bool, repairs *[]string) any {
	switch v := v.(type) {
	case string:
		if d := entities.Replace(v); d != v && !decoded {
			*repairs = append(*repairs, repairEntities)
			v = d
		}
		if u, ok := unescape(v); ok {
			*repairs = append(*repairs, repairEscaped)
			v = u
		}
		return v
	case []any:
		for i := range v {
			v[i] = cleanValue(v[i], decoded, repairs)
		}
	case map[string]any:
		for k := range v {
			v[k] = cleanValue(v[k], decoded, repairs)
		}
	}
	return v
}

// unescape undoes one level of escapes if s is the inside of a JSON text with
// at least one of \n, \t, \r and \"; other texts with backslashes are what they are.
func unescape(s string) (string, bool) {
	if !strings.Contains(s, `\n`) && !strings.Contains(s, `\"`) && !strings.Contains(s, `\t`) && !strings.Contains(s, `\r`) {
		return s, false
	}
	var out string
	if err := json.Unmarshal([]byte(`"`+s+`"`), &out); err != nil {
		return s, false
	}
	return out, true
}
