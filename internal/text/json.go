package text

import (
	"bytes"
	"encoding/json"
)

// JSON returns v as JSON without the escapes that make it safe inside HTML:
// prompts and replies are full of tags, which they would lengthen.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
