package exchange_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"trawl/trajectory/exchange"
)

// Bad files end in one error that names file and place, in every form; files that
// editors and other systems write do not.
func TestBadFiles(t *testing.T) {
	zip := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for form, good := range samples {
		tests := []struct {
			name, file string
			records    int
			want       string // a part of the error; "" for none
		}{
			{"as it is", good, 1, ""},
			{"a byte order mark", "\ufeff" + good, 1, ""},
			{"ends of lines of Windows", strings.ReplaceAll(good, "\n", "\r\n") + "\r\n\r\n", 1, ""},
			{"gzip", zip(good), 1, ""},
			{"gzip that is cut off", zip(good)[:len(zip(good))-12], -1, "f:"},
			{"half", good[:len(good)/2], 0, "f:"},
			{"UTF-16", "\xff\xfe{\x00", 0, "f: is UTF-16"},
			{"bytes", "\x7fELF\x02\x01\x01\x00\x00{}\x00", 0, "f:1: "},
			{"another schema", `{"text":"a","label":1}`, 0, "f:1: key "},
			{"a list", `["a"]`, 0, "f:1: "},
			{"a number", "7", 0, "f:1: "},
			{"null question", `{"type":"chatml","question":null,"prediction":"x","pred_ans":"x","output":{"pred":"x"},"gen_text_store":"x","messages":null,"rollout":null}`, 0, "f:1: key "},
		}
		for _, tt := range tests {
			t.Run(form+" "+tt.name, func(t *testing.T) {
				records, err := readAs(form, tt.file, "f")
				switch {
				case tt.want == "" && (err != nil || len(records) != tt.records):
					t.Errorf("%d records, error %v; want %d", len(records), err, tt.records)
				case tt.want == "":
				case form == "reflexion" && err == nil && len(records) == 0: // text without an agent, which whoever imports says
				case err == nil || !strings.HasPrefix(err.Error(), "exchange: "+tt.want):
					t.Errorf("%d records, error %v, want one with %q", len(records), err, tt.want)
				}
			})
		}
	}
}

// A line of many megabytes is a rollout like another.
func TestHugeLine(t *testing.T) {
	page := strings.Repeat("0123456789abcde ", 8<<20/16)
	line := lineWith(asks + "," + calls + `,{"role":"tool","content":"Doc 1(Title: A) ` + page + `"},` + says)
	rec := one(t, line, exchange.Options{})
	if got := len(rec.Trajectory.Steps[0].Results[0].Text); got != len(page)-1 {
		t.Errorf("a document of %d bytes, want %d", got, len(page)-1)
	}
}

// Null fields are none.
func TestNullFields(t *testing.T) {
	line := `{"question":"Who?","question_id":null,"answer":null,"golden_answers":null,"prediction":null,"rollout_id":null,"termination":null,"confidence":null,"error":null,"messages":[{"role":"user","content":null,"tool_calls":null,"reasoning":null}]}`
	for _, form := range []string{"messages", "tongyi", "websailor", "aggagent"} {
		records, err := readAs(form, line, "f")
		if err != nil || len(records) != 1 {
			t.Fatalf("%s: %d records, error %v", form, len(records), err)
		}
		rec := records[0]
		if got := fmt.Sprint(rec.Trajectory.Answer, rec.Golds, rec.Number, rec.Verdict, rec.Trajectory.Error, rec.Lost); got != "[] <nil> <nil>map[]" {
			t.Errorf("%s: %s", form, got)
		}
	}
}
