package text_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"trawl/internal/text"
)

func TestJSONError(t *testing.T) {
	type inner struct {
		Cost float64 `json:"cost"`
	}
	type record struct {
		Answer string         `json:"answer"`
		Count  int            `json:"count"`
		List   []string       `json:"list"`
		Usage  inner          `json:"usage"`
		Map    map[string]int `json:"map"`
		On     bool           `json:"on"`
		When   time.Time      `json:"when"`
	}
	tests := []struct{ json, want string }{
		{`{"answer":5}`, "key answer: want a string, found a number"},
		{`{"answer":["x"]}`, "key answer: want a string, found a list"},
		{`{"answer":true}`, "key answer: want a string, found true or false"},
		{`{"count":"x"}`, "key count: want a whole number, found a string"},
		{`{"count":1.5}`, "key count: want a whole number, found the number 1.5"},
		{`{"list":{}}`, "key list: want a list, found an object"},
		{`{"usage":{"cost":"x"}}`, "key usage.cost: want a number, found a string"},
		{`{"map":3}`, "key map: want an object, found a number"},
		{`{"on":3}`, "key on: want true or false, found a number"},
		{`[]`, "want an object, found a list"},
		{`{"answer":`, "not JSON: it is cut off"},
		{``, "not JSON: it is cut off"},
		{`{"answer":"a"x}`, "not JSON at byte 14"},
		{`{"when":"today"}`, "want a time such as 2006-01-02T15:04:05Z, found today"},
	}
	for _, tt := range tests {
		var r record
		if err := text.JSONError(json.Unmarshal([]byte(tt.json), &r)); err == nil || err.Error() != tt.want {
			t.Errorf("JSONError of %s = %v, want %s", tt.json, err, tt.want)
		}
	}
	var r record
	if err := text.JSONError(json.NewDecoder(strings.NewReader(`{"answer":`)).Decode(&r)); err == nil || err.Error() != "not JSON: it is cut off" {
		t.Errorf("JSONError of a stream cut off = %v", err)
	}
	other := errors.New("other")
	if err := text.JSONError(other); err != other {
		t.Errorf("JSONError of another error = %v", err)
	}
	if err := text.JSONError(nil); err != nil {
		t.Errorf("JSONError of none = %v", err)
	}
}
