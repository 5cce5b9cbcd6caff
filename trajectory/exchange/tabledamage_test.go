package exchange_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// A byte that changed in a page of a table of trawl's, dictionaries included, is an
// error or changes nothing: pages state their checksums. What a footer says has none,
// but all columns have to be there by their names.
func TestTableChecksums(t *testing.T) {
	var b bytes.Buffer
	w := exchange.NewTable(&b)
	for i := range 2 {
		tr := searched(trajectory.Answered, "Ada")
		tr.Rollout = i
		if _, err := w.Add(exchange.Item{Trajectory: tr, Golds: []string{"Ada"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	good := b.Bytes()
	want, err := readTable("parquet", good)
	if err != nil {
		t.Fatal(err)
	}
	footer := len(good) - 8 - int(binary.LittleEndian.Uint32(good[len(good)-8:]))
	found := 0
	for at := 4; at < footer; at += 13 {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		got, err := readTable("parquet", bad)
		switch {
		case err != nil:
			found++
		case !cmp.Equal(want, got):
			t.Errorf("a changed byte %d goes unnoticed:\n%s", at, cmp.Diff(want, got))
		}
	}
	if found == 0 {
		t.Error("no changed byte is an error: the test does not test")
	}
	at := bytes.Index(good, []byte(`Who "wrote"`)) // in the dictionary, which is not compressed to another form
	if at < 0 {
		t.Fatal("the question is not in the file as it is")
	}
	bad := bytes.Clone(good)
	bad[at]++
	if _, err := readTable("parquet", bad); err == nil || err.Error() != "exchange: f.parquet: row 1: is damaged: the dictionary of column question has another checksum than it states" {
		t.Errorf("another question: error %v", err)
	}
	bad = bytes.Clone(good)
	for at := footer; at < len(bad); at++ {
		if bytes.HasPrefix(bad[at:], []byte("searches")) {
			bad[at]++
		}
	}
	if _, err := readTable("parquet", bad); err == nil || !strings.HasPrefix(err.Error(), "exchange: f.parquet: row 1: column searches is missing") {
		t.Errorf("another name: error %v", err)
	}
}

// Bytes that are no text are an error where a form reads them, or where the column
// says that they are text; else they are lost like another column.
func TestTableOfBytes(t *testing.T) {
	type row struct {
		Question   []byte  `parquet:"question"` // bytes, as old writers have texts
		Prediction string  `parquet:"prediction"`
		Messages   string  `parquet:"messages"`
		Note       *string `parquet:"note,optional"`
		Image      []byte  `parquet:"image,optional"`
	}
	bad := "\xff\xfe"
	rows := func(change func(*row)) []row {
		out := []row{}
		for i := range 2 {
			out = append(out, row{Question: []byte(fmt.Sprintf("Q%d?", i)), Prediction: "Ada", Messages: "[" + says + "]"})
		}
		change(&out[1])
		return out
	}
	tests := []struct {
		name   string
		change func(*row)
		want   string // the error; "" for none
	}{
		{"texts", func(*row) {}, ""},
		{"a question", func(r *row) { r.Question = []byte(bad) }, "exchange: f.parquet: row 2: column question: 2 bytes that are no UTF-8 text"},
		{"a column of texts", func(r *row) { r.Prediction = bad }, "exchange: f.parquet: row 2: column prediction: 2 bytes that are no UTF-8 text"},
		{"JSON", func(r *row) { r.Messages = `[{"role":"` + bad + `"}]` }, "exchange: f.parquet: row 2: column messages: 15 bytes that are no UTF-8 text"},
		{"a column of texts that nobody reads", func(r *row) { r.Note = &bad }, "exchange: f.parquet: row 2: column note: 2 bytes that are no UTF-8 text"},
		{"bytes that nobody reads", func(r *row) { r.Image = []byte(bad) }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, err := readTable("messages", tableOf(t, 9, rows(tt.change)))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
			if tt.want == "" && len(records) != 2 {
				t.Errorf("%d records, want 2", len(records))
			}
		})
	}
	records, err := readTable("messages", tableOf(t, 9, rows(func(r *row) { r.Image = []byte(bad) })))
	if err != nil || records[1].Lost["image"] != 1 {
		t.Errorf("error %v, records %+v; want the image counted", err, records)
	}
}

// A structure of lists, as Hugging Face keeps a Sequence, is a list of messages.
func TestTableOfSequences(t *testing.T) {
	type sequence struct {
		Role    []string `parquet:"role,list"`
		Content []string `parquet:"content,list"`
	}
	type row struct {
		Question   string   `parquet:"question"`
		Prediction string   `parquet:"prediction"`
		Messages   sequence `parquet:"messages"`
	}
	file := func(content ...string) []byte {
		return tableOf(t, 1, []row{{"Who?", "Ada", sequence{[]string{"user", "assistant"}, content}}})
	}
	records, err := readTable("messages", file("Who?", "<answer>Ada</answer>"))
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, error %v", len(records), err)
	}
	want := []trajectory.Message{{Role: "user", Content: "Who?"}, {Role: "assistant", Content: "<answer>Ada</answer>"}}
	if diff := cmp.Diff(want, records[0].Trajectory.Messages); diff != "" || len(records[0].Lost) > 0 {
		t.Errorf("lost %v, messages (-want +got):\n%s", records[0].Lost, diff)
	}
	if _, err := readTable("messages", file("Who?")); err == nil || !strings.HasSuffix(err.Error(), "row 1: key messages: lists of different lengths: content has 1, role has 2") {
		t.Errorf("a content that is missing: error %v", err)
	}
	line := `{"question":"Who?","prediction":"Ada","messages":{"role":["user","assistant"],"content":["Who?","<answer>Ada</answer>"],"name":null}}`
	if diff := cmp.Diff(want, one(t, line, exchange.Options{}).Trajectory.Messages); diff != "" {
		t.Errorf("messages of a line (-want +got):\n%s", diff)
	}
}

// What is nested too deep says so.
func TestTooDeep(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	const nested = "nested too deep: more than 10000 objects and lists in one another"
	for form, file := range map[string]string{
		"messages": `{"question":"Who?","prediction":"x","x":` + deep + `}`,
		"flashrag": `[{"question":"Who?","output":` + deep + `}]`,
		"aggagent": deep,
	} {
		if _, err := readAs(form, file, "f"); err == nil || !strings.HasPrefix(err.Error(), "exchange: f:1: ") || !strings.HasSuffix(err.Error(), nested) {
			t.Errorf("%s: error %v, want %s", form, err, nested)
		}
	}
	rows := aggRows(1)
	rows[0].Debug = deep
	if _, err := readTable("aggagent", tableOf(t, 1, rows)); err == nil || err.Error() != "exchange: f.parquet: row 1: column debug_data: "+nested {
		t.Errorf("a table: error %v, want %s", err, nested)
	}
}

// A file that is not of rollouts ends when a rollout would have more than the limit,
// wherever its end may be.
func TestTooLong(t *testing.T) {
	good := samples["messages"]
	for form, head := range map[string]string{"messages": good + "\n", "flashrag": samples["flashrag"][:len(samples["flashrag"])-1] + ",\n" + `{"question":"`, "aggagent": ""} {
		r := &endless{head: strings.NewReader(head)}
		var last error
		for _, err := range exchange.Read(form, r, "f", exchange.Options{}) {
			last = err
		}
		const want = "a rollout of more than 64 MiB, which is the limit: want one rollout a line, a file or a row"
		if last == nil || !strings.HasSuffix(last.Error(), want) || form != "aggagent" && !strings.HasPrefix(last.Error(), "exchange: f:2: ") {
			t.Errorf("%s: error %v, want %s", form, last, want)
		}
		if most := int64(65 << 20); r.read > most {
			t.Errorf("%s: %d bytes were read, want at most %d", form, r.read, most)
		}
	}
}

// An endless reader never ends a line, behind its head.
type endless struct {
	head *strings.Reader
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.head.Len() > 0 {
		return e.head.Read(p)
	}
	for i := range p {
		p[i] = 'x'
	}
	e.read += int64(len(p))
	return len(p), nil
}
