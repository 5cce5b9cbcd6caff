package exchange_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// tableOf is a Parquet file of these rows, so many to a group.
func tableOf[T any](t testing.TB, group int, rows []T, o ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, o...)
	for i := range rows {
		if _, err := w.Write(rows[i : i+1]); err != nil {
			t.Fatal(err)
		}
		if (i+1)%group == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readTable reads a table of a form; an error ends it.
func readTable(form string, file []byte) (records []*exchange.Record, err error) {
	for rec, err := range exchange.ReadTable(form, bytes.NewReader(file), int64(len(file)), "f.parquet", exchange.Options{}) {
		if err != nil {
			return records, err
		}
		records = append(records, rec)
	}
	return records, nil
}

// An aggRow is a row of AggAgent's published tables.
type aggRow struct {
	Question   string  `parquet:"question"`
	Prediction *string `parquet:"prediction,optional"`
	Metadata   string  `parquet:"metadata"`
	Instance   string  `parquet:"instance"`
	Cost       string  `parquet:"cost"`
	Messages   string  `parquet:"messages"`
	Debug      string  `parquet:"debug_data"`
	Judge      string  `parquet:"auto_judge"`
}

func aggRows(n int) []aggRow {
	var rows []aggRow
	for i := range n {
		said := fmt.Sprintf("So.\nExact Answer: A%d", i)
		rows = append(rows, aggRow{
			Question: fmt.Sprintf("Q%d?", i/2), Metadata: `{"model":"m"}`, Instance: fmt.Sprintf(`{"id":"i%d","question":"Q%d?","answer":"A"}`, i/2, i/2), Cost: `{"rollout":1}`,
			Messages: `[{"role":"assistant","content":"","reasoning":"hm","tool_calls":[{"id":"c","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}}]},` +
				`{"role":"tool","tool_call_id":"c","content":"\"Doc 1(Title: T) t\""},{"role":"assistant","content":` + fmt.Sprintf("%q", said) + `}]`,
			Debug: `{"token_lengths_each_step":[{"iteration":1,"input_tokens":10,"output_tokens":1},{"iteration":2,"input_tokens":20,"output_tokens":2}]}`,
			Judge: `{"correctness":"correct","confidence":80}`,
		})
	}
	return rows
}

// AggAgent's tables, in every compression and with several groups of rows: rows of
// a question are its rollouts as they come, the question may be that of the
// instance, and the prediction the last reply.
func TestAggAgentTable(t *testing.T) {
	codecs := map[string]compress.Codec{"none": &parquet.Uncompressed, "zstd": &parquet.Zstd, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			rows := aggRows(5)
			given := "<answer>B</answer>"
			rows[1].Prediction, rows[2].Question = &given, ""
			records, err := readTable("aggagent", tableOf(t, 2, rows, parquet.Compression(codec)))
			if err != nil {
				t.Fatal(err)
			}
			r := exchange.NewRoster(nil)
			for _, rec := range records {
				if err := r.Add(rec); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, rec := range records {
				if err := r.Settle(rec); err != nil {
					t.Fatal(err)
				}
				tr := rec.Trajectory
				got = append(got, fmt.Sprintf("%v %s/%d %s %q %v %v %v %d+%d", rec.Place, tr.QuestionID, tr.Rollout, tr.Answer, rec.Golds, *rec.Verdict, *tr.Confidence, tr.Steps[0].Results[0].Title,
					tr.Steps[1].Usage.Prompt, tr.Usage.Prompt))
			}
			want := []string{
				`f.parquet: row 1 i0/0 A0 ["A"] true 0.8 T 20+30`, `f.parquet: row 2 i0/1 B ["A"] true 0.8 T 20+30`,
				`f.parquet: row 3 i1/0 A2 ["A"] true 0.8 T 20+30`, `f.parquet: row 4 i1/1 A3 ["A"] true 0.8 T 20+30`, `f.parquet: row 5 i2/0 A4 ["A"] true 0.8 T 20+30`,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rollouts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]exchange.Loss{{Key: "cost", Count: 5}, {Key: "metadata", Count: 5}}, r.Lost()); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
		})
	}
}

// A chatRow is a row as data sets of conversations have it.
type chatRow struct {
	ID         int64             `parquet:"id"`
	Question   string            `parquet:"question"`
	Answer     []string          `parquet:"answer,list"`
	Prediction *string           `parquet:"prediction,optional"`
	Confidence *float64          `parquet:"confidence,optional"`
	Messages   []chatMessage     `parquet:"messages,list"`
	Extra      map[string]string `parquet:"extra"`
	Raw        []byte            `parquet:"raw,optional"`
	Good       bool              `parquet:"good"`
}

type chatMessage struct {
	Role    string     `parquet:"role"`
	Content *string    `parquet:"content,optional"`
	Calls   []chatCall `parquet:"tool_calls,list"`
}

type chatCall struct {
	ID       string `parquet:"id"`
	Function struct {
		Name      string `parquet:"name"`
		Arguments string `parquet:"arguments"`
	} `parquet:"function"`
}

func chatRows() []chatRow {
	text := func(s string) *string { return &s }
	half := 0.5
	call := chatCall{ID: "c"}
	call.Function.Name, call.Function.Arguments = "search", `{"query":"x"}`
	row := chatRow{
		ID: 7, Question: "Who?", Answer: []string{"Ada", "Lovelace"}, Prediction: text("Ada"), Confidence: &half, Extra: map[string]string{"k": "v"}, Raw: []byte{0xff, 0xfe}, Good: true,
		Messages: []chatMessage{
			{Role: "user", Content: text("Who?")}, {Role: "assistant", Calls: []chatCall{call}},
			{Role: "tool", Content: text("Doc 1(Title: T) t")}, {Role: "assistant", Content: text("<answer>Ada</answer>")},
		},
	}
	other := row
	other.ID, other.Question, other.Answer, other.Prediction, other.Confidence = 8, "When?", nil, nil, nil
	return []chatRow{row, other}
}

// Lists of structures are messages, and a line of JSON with the same keys is the
// same record.
func TestStructuredTable(t *testing.T) {
	records, err := readTable("messages", tableOf(t, 1, chatRows()))
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, error %v", len(records), err)
	}
	line := `{"id":%d,"question":%q,"answer":%s,"prediction":%s,"confidence":%s,"messages":[{"role":"user","content":"Who?"},` +
		`{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"search","arguments":"{\"query\":\"x\"}"}}]},` +
		`{"role":"tool","content":"Doc 1(Title: T) t"},{"role":"assistant","content":"<answer>Ada</answer>"}],"extra":{"k":"v"},"raw":"x","good":true}` + "\n"
	want, err := read(fmt.Sprintf(line, 7, "Who?", `["Ada","Lovelace"]`, `"Ada"`, "0.5")+fmt.Sprintf(line, 8, "When?", "[]", "null", "null"), exchange.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i].Place = exchange.Place{File: "f.parquet", Line: i + 1, Row: true}
	}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("records (-of lines +of rows):\n%s", diff)
	}
}

func TestTableErrors(t *testing.T) {
	bad := func(change func(*aggRow)) []byte {
		rows := aggRows(3)
		change(&rows[2])
		return tableOf(t, 2, rows)
	}
	good := bad(func(*aggRow) {})
	type foreign struct {
		Text  string `parquet:"text"`
		Label int32  `parquet:"label"`
	}
	own := table(t, searched(trajectory.Answered, "Ada"))
	long := bytes.Clone(good)
	copy(long[len(long)-8:], "\xff\xff\xff\x7f")
	tests := []struct {
		name, form string
		file       []byte
		want       string
	}{
		{"nothing", "aggagent", nil, "exchange: f.parquet: is empty"},
		{"text", "aggagent", []byte("version https://git-lfs"), `exchange: f.parquet: is not Parquet: it begins with "vers"`},
		{"a few bytes", "aggagent", []byte("PA"), `exchange: f.parquet: is not Parquet: it begins with "PA"`},
		{"a head alone", "aggagent", []byte("PAR1"), "exchange: f.parquet: is cut off"},
		{"half", "aggagent", good[:len(good)/2], "exchange: f.parquet: is cut off"},
		{"encrypted", "aggagent", []byte("PARE12345678"), "exchange: f.parquet: is encrypted"},
		{"a footer beyond the file", "aggagent", long, "exchange: f.parquet: is damaged: its footer would have 2147483647 bytes"},
		{"messages that are cut off", "aggagent", bad(func(r *aggRow) { r.Messages = r.Messages[:40] }), "exchange: f.parquet: row 3: column messages: not JSON: it is cut off"},
		{"messages that are no JSON", "aggagent", bad(func(r *aggRow) { r.Messages = "hello" }), "exchange: f.parquet: row 3: column messages: not JSON at byte 1"},
		{"metadata that is no JSON", "aggagent", bad(func(r *aggRow) { r.Metadata = "{'a': 1}" }), "exchange: f.parquet: row 3: column metadata: not JSON at byte 2"},
		{"a judge that is a word", "aggagent", bad(func(r *aggRow) { r.Judge = "yes" }), "exchange: f.parquet: row 3: key auto_judge: want an object, found a string"},
		{"no messages", "aggagent", bad(func(r *aggRow) { r.Messages = "" }), "exchange: f.parquet: row 3: key messages: missing or empty (the columns are question, prediction, metadata,"},
		{"another table", "messages", tableOf(t, 9, []foreign{{"a", 1}}), "exchange: f.parquet: row 1: key question: missing or empty (the columns are text, label)"},
		{"a table of trawl's", "messages", own, "exchange: f.parquet: row 1: key prediction: missing or empty (the columns are question_id, "},
		{"none of trawl's", "parquet", good, "exchange: f.parquet: row 1: key answer_source: missing or empty: it is no table of trawl export, and trawl import messages reads others (the"},
		{"no such form", "csv", good, `exchange: unknown form "csv"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readTable(tt.form, tt.file); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// A table of which no row is is read as one of no rollouts.
func TestTableWithoutRows(t *testing.T) {
	if records, err := readTable("aggagent", tableOf(t, 1, []aggRow{})); err != nil || len(records) != 0 {
		t.Errorf("%d records, error %v", len(records), err)
	}
}

// No byte that is wrong ends in anything but records or an error with a place.
func FuzzReadTable(f *testing.F) {
	good := tableOf(f, 1, chatRows())
	for at := 0; at < len(good); at += 7 {
		f.Add(at, byte(0xff), len(good))
	}
	f.Add(0, byte(0), len(good)/2)
	f.Fuzz(func(t *testing.T, at int, flip byte, size int) {
		file := bytes.Clone(good[:min(max(size, 0), len(good))])
		if at >= 0 && at < len(file) {
			file[at] ^= flip
		}
		records, err := readTable("messages", file)
		if err != nil && !strings.HasPrefix(err.Error(), "exchange: f.parquet: ") {
			t.Errorf("error without a place: %v", err)
		}
		if err == nil && len(file) == len(good) && len(records) > 2 {
			t.Errorf("%d records of 2 rows", len(records))
		}
	})
}

// table is the table of one rollout that trawl writes.
func table(t testing.TB, tr *trajectory.Trajectory) []byte {
	t.Helper()
	p, err := outForm(t, "parquet").Render(exchange.Item{Trajectory: tr, Golds: []string{"Ada"}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Data
}
