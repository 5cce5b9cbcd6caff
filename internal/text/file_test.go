package text_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"trawl/internal/text"
)

func TestJSON(t *testing.T) {
	tests := []struct {
		v    any
		want string
	}{
		{map[string]any{"b": "<a> & \"b\"\n", "a": 1}, `{"a":1,"b":"<a> & \"b\"\n"}`},
		{"\n", `"\n"`},
		{nil, "null"},
	}
	for _, tt := range tests {
		if got, err := text.JSON(tt.v); err != nil || string(got) != tt.want {
			t.Errorf("JSON(%v) = %s, %v, want %s", tt.v, got, err, tt.want)
		}
	}
	if got, err := text.JSON(make(chan int)); err == nil || got != nil {
		t.Errorf("JSON of a channel = %s, %v", got, err)
	}
}

func TestNewReader(t *testing.T) {
	zipped := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, s)
		z.Close()
		return b.String()
	}
	tests := []struct{ name, file, want string }{
		{"plain", "a\nb\n", "a\nb\n"},
		{"empty", "", ""},
		{"with a byte order mark", "\ufeffa", "a"},
		{"only the first mark goes", "\ufeff\ufeffa\ufeff", "\ufeffa\ufeff"},
		{"a part of a mark", "\xef\xbb", "\xef\xbb"},
		{"compressed", zipped("a\nb\n"), "a\nb\n"},
		{"both", zipped("\ufeffa"), "a"},
		{"in two pieces", zipped("\ufeffa") + zipped("b"), "ab"},
		{"long", zipped(strings.Repeat("line\n", 50_000)), strings.Repeat("line\n", 50_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := text.NewReader(iotest.OneByteReader(strings.NewReader(tt.file)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != tt.want {
				t.Errorf("read %.80q, %v, want %.80q", got, err, tt.want)
			}
		})
	}
	if _, err := text.NewReader(strings.NewReader("\x1f\x8bnot gzip at all")); err == nil {
		t.Error("a file that only begins like gzip is no error")
	}
	for _, file := range []string{"\xff\xfea\x00", "\xfe\xff\x00a", zipped("\xff\xfea\x00")} {
		if _, err := text.NewReader(strings.NewReader(file)); err != text.ErrUTF16 {
			t.Errorf("of %q: error %v, want %v", file, err, text.ErrUTF16)
		}
	}
	whole := zipped(strings.Repeat("line\n", 1000))
	r, err := text.NewReader(strings.NewReader(whole[:len(whole)-9]))
	if err == nil {
		_, err = io.ReadAll(r)
	}
	if err != io.ErrUnexpectedEOF {
		t.Errorf("of a file cut off: error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}
