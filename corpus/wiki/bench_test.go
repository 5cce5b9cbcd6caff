package wiki

import (
	"fmt"
	"strings"
	"testing"
)

func passageLine(quotes bool) []byte {
	body := strings.Repeat("Some words of an ordinary passage, ", 17)
	title := "A title"
	if quotes {
		body = strings.Repeat(`Some words of a \"quoted\" passage \u00e9 `, 15)
	}
	return fmt.Appendf(nil, `{"id": "12345678", "contents": "\"%s\"\n%s"}`, title, body)
}

// BenchmarkPassage reads a line of Wiki18; escaped has quotes and accents in it.
func BenchmarkPassage(b *testing.B) {
	for _, name := range []string{"plain", "escaped"} {
		line := passageLine(name == "escaped")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := parsePassage(line, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzFlatPassage checks that the fast reader reads as encoding/json does.
func FuzzFlatPassage(f *testing.F) {
	for _, line := range []string{
		string(passageLine(false)), string(passageLine(true)), `{"id":"1","title":"t","text":"x","url":"u"}`,
		`{"id":"1","id":"2","contents":"a"}`, `{"ID":"1","contents":"a"}`, `{"id":"\u0031","contents":"\ud83d\ude00 \ud83d"}`,
		`{"id":"a\"b","contents":"\\"}`, `{"id":"1","contents":"a"} `, `{"id":"1","contents":"a"},`, `{"id":"1","contents":"a",}`,
		`{"id":"","contents":"a"}`, `{"id":"1","contents":"a\u00"}`, `{"id":"1","contents":"\u+123"}`, "{\"id\":\"1\",\"contents\":\"\xff\"}",
		`{"id":"1","url":"","url":"x","text":""}`, "{\"id\":\"\x01\",\"text\":\"\"}", `{"id":"1\q","text":""}`, `{}`, ` { "id" : "1" , "text" : "b" } `,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		p, ok := flatPassage(line)
		if !ok {
			return
		}
		want, _, wantErr := parseAnyPassage(line)
		got, _, gotErr := p.record()
		if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) || want != got {
			t.Errorf("%q is read as %+v, %v, want %+v, %v", line, got, gotErr, want, wantErr)
		}
	})
}
