package index_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"trawl/search"
	"trawl/search/index"
)

// TestSumOf writes what is hashed by hand.
func TestSumOf(t *testing.T) {
	long := strings.Repeat("owl", 5000)
	zeros := strings.Repeat("\x00", 7)
	tests := []struct {
		doc  search.Document
		want string // hashed
	}{
		{search.Document{}, strings.Repeat("\x00", 32)},
		{search.Document{ID: "a", Title: "bc", URL: "é", Text: "def"}, zeros + "\x01a" + zeros + "\x02bc" + zeros + "\x02é" + zeros + "\x03def"},
		{search.Document{ID: "a", Title: long, Text: long}, zeros + "\x01a" + zeros[1:] + "\x3a\x98" + long + zeros + "\x00" + zeros[1:] + "\x3a\x98" + long}, // 15000
	}
	for _, tt := range tests {
		if got := index.SumOf(tt.doc); got != sha256.Sum256([]byte(tt.want)) {
			t.Errorf("SumOf a document with id %q is %v", tt.doc.ID, got)
		}
	}
}

func TestContents(t *testing.T) {
	a, b := index.SumOf(search.Document{ID: "a"}), index.SumOf(search.Document{ID: "b"})
	var c index.Contents
	c.Toggle(a)
	c.Toggle(b)
	if c == a || c == b || c[0] != a[0]^b[0] {
		t.Errorf("contents of two documents are %v", c)
	}
	c.Toggle(a)
	if c != b {
		t.Errorf("after one is taken out they are %v, want %v", c, b)
	}
	if got, want := (index.Contents{0: 0x0f, 31: 0xa0}).String(), "0f"+strings.Repeat("0", 60)+"a0"; got != want {
		t.Errorf("String = %s, want %s", got, want)
	}
}
