package judge

import (
	"maps"
	"slices"
	"strings"
)

// A Style is a prompt and the form of its replies.
type Style string

// The styles; the package comment tells them apart.
const (
	BrowseComp Style = "browsecomp"
	HLE        Style = "hle"
	DivInit    Style = "divinit"
	Tongyi     Style = "tongyi"
	SimpleQA   Style = "simpleqa"
)

// Styles lists the styles, the default first.
func Styles() []Style { return []Style{BrowseComp, HLE, DivInit, Tongyi, SimpleQA} }

func styleList() string {
	names := make([]string, len(Styles()))
	for i, s := range Styles() {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// A form is how a style's replies are read, and the schema that they are asked in.
type form struct {
	read   func(said string) (Ruling, bool)
	schema map[string]any
}

var forms = map[Style]form{
	BrowseComp: {read: readLines},
	HLE:        {read: readObject, schema: objectSchema},
	DivInit:    {read: readLast},
	Tongyi:     {read: readWord(oneWord)},
	SimpleQA:   {read: readWord(grades)},
}

// schemaKeys are the keys of a request that ask for a form of reply.
var schemaKeys = []string{"response_format", "structured_outputs"}

// withSchema returns the extra keys of a request with the schema, unless they ask
// for a form themselves.
func (f form) withSchema(extra map[string]any) map[string]any {
	if f.schema == nil || slices.ContainsFunc(schemaKeys, func(k string) bool { return extra[k] != nil }) {
		return extra
	}
	out := map[string]any{"response_format": map[string]any{
		"type":        "json_schema",
		"json_schema": map[string]any{"name": "judgement", "strict": true, "schema": f.schema},
	}}
	maps.Copy(out, extra)
	return out
}

// objectSchema is that of an hle reply. (HLE, run_judge_results.py)
var objectSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		keyExtracted:  map[string]any{"type": "string"},
		keyReasoning:  map[string]any{"type": "string"},
		keyCorrect:    map[string]any{"type": "string", "enum": []string{"yes", "no"}},
		keyConfidence: map[string]any{"type": []string{"integer", "null"}},
	},
	"required":             []string{keyExtracted, keyReasoning, keyCorrect, keyConfidence},
	"additionalProperties": false,
}
