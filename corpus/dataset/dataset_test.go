package dataset_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

func q(id, text string) trajectory.Question { return trajectory.Question{ID: id, Text: text} }

const (
	edWood  = "Were Scott Derrickson and Ed Wood of the same nationality?"
	archer  = "What government position was held by the woman who portrayed Corliss Archer in the film Kiss and Tell?"
	lloyd   = "Which Lloyd Webber musical premiered in the US on 10th December 1993?"
	noSplit = "Which split has no answers?"
	asahd   = `As of Aug 3, 2024, the artist who released the album "Father of Asahd" went to the same high school as an Olympic diver. How many Olympic teams did this diver participate on?`
	wife    = "If my future wife has the same first name as the 15th first lady of the United States' mother and her surname is the same as the second assassinated president's mother's maiden name, what is my future wife's name?"
)

func TestLoad(t *testing.T) {
	derrickson := dataset.Example{Question: q("5a8b57f25542995d1e6f1371", edWood), Golds: []string{"yes"}, Titles: []string{"Scott Derrickson", "Ed Wood"},
		Source: "hotpotqa", Type: "comparison", Level: "hard", Hops: 2}
	temple := dataset.Example{Question: q("5a8c7595554299585d9e36b6", archer), Golds: []string{"Chief of Protocol"}, Titles: []string{"Kiss and Tell (1945 film)", "Shirley Temple"},
		Source: "hotpotqa", Type: "bridge", Level: "hard", Hops: 2}
	sunset := []dataset.Example{
		{Question: q("tc_33", lloyd), Golds: []string{"Sunset Boulevard", "Sunset Blvd", "West Sunset Boulevard", "Sunset Blvd.", "sunset boulevard", "west sunset boulevard", "sunset blvd"}, Source: "triviaqa", Hops: 1},
		{Question: q("tc_34", noSplit), Source: "triviaqa", Hops: 1},
	}
	ballou := dataset.Example{Question: q("0", wife), Golds: []string{"Jane Ballou"}, Source: "frames", Type: "Multiple constraints", Hops: 5,
		Titles: []string{"President of the United States", "James Buchanan", "Harriet Lane", "List of presidents of the United States who died in office", "James A. Garfield"}}
	diver := dataset.Example{Question: q("7", asahd), Golds: []string{"2"}, Source: "frames", Type: "Multiple constraints | Temporal reasoning", Hops: 4,
		Titles: []string{"Father of Asahd", "DJ Khaled", "Dr. Phillips High School", "Mark Ruiz"}}
	clean := []dataset.Example{ballou, diver}
	clean[0].ID, clean[1].ID = "frames-0", "frames-1"
	tests := []struct {
		name, spec string
		want       []dataset.Example // the first ones
		n          int
	}{
		{"hotpotqa release", "hotpotqa:testdata/hotpotqa.json", []dataset.Example{derrickson, temple, {
			Question: q("5a8a3e745542996c9b8d5e70", `What is the name for the adventure in "Tunnels and Trolls", a game designed by Ken St. Andre?`),
			Golds:    []string{"Arena of Khazan"}, Titles: []string{"Arena of Khazan", "Tunnels & Trolls"}, Source: "hotpotqa", Type: "bridge", Level: "hard", Hops: 2}}, 3},
		{"hotpotqa with columns of lists", "hotpotqa:testdata/hotpotqa_hub.jsonl", []dataset.Example{derrickson, temple}, 2},
		{"hotpotqa without answers", "hotpotqa:testdata/hotpotqa_test.json", []dataset.Example{
			{Question: derrickson.Question, Source: "hotpotqa", Hops: 2}, {Question: temple.Question, Source: "hotpotqa", Hops: 2}}, 2},
		{"musique with an unanswerable twin", "musique:testdata/musique.jsonl", []dataset.Example{
			{Question: q("2hop__150763_14904", "Who was the first president of the association which published Journal of Psychotherapy Integration?"),
				Golds: []string{"G. Stanley Hall", "Stanley Hall"}, Titles: []string{"Journal of Psychotherapy Integration", "Adolescence"}, Source: "musique", Type: "2hop", Hops: 2},
			{Question: q("3hop1__404363_705261_126049", "Who was in charge of the country where the composer of Aschenbrodel was a citizen?"),
				Golds: []string{"Karl Renner"}, Titles: []string{"Vienna Walzer Orchestra", "Aschenbrödel", "Austria"}, Source: "musique", Type: "3hop1", Hops: 3}}, 2},
		{"2wiki with aliases beside it", "2wiki:testdata/2wiki/dev.json", []dataset.Example{
			{Question: q("8813f87c0bdd11eba7f7acde48001122", "Who is the mother of the director of film Polish-Russian War (Film)?"), Golds: []string{"Małgorzata Braunek"},
				Titles: []string{"Polish-Russian War (film)", "Xawery Żuławski"}, Source: "2wikimultihopqa", Type: "compositional", Hops: 2},
			{Question: q("61a46987092f11ebbdaeac1f6bf848b6", "Do both directors of the films Alpha and Beta share the same nationality?"),
				Golds:  []string{"Lebanese", "Lebanese Republic", "LB", "Lebanon"},
				Titles: []string{"Alpha", "Ann Ex", "Beta", "Bob Why"}, Source: "2wikimultihopqa", Type: "bridge_comparison", Hops: 4}}, 2},
		{"bamboogle", "bamboogle:testdata/bamboogle.csv", []dataset.Example{
			{Question: q("bamboogle-0", "Who was president of the United States in the year that Citibank was founded?"), Golds: []string{"james madison"}, Source: "bamboogle", Hops: 2},
			{Question: q("bamboogle-1", "What rocket was the first spacecraft that ever approached Uranus launched on?"), Golds: []string{"Titan IIIE"}, Source: "bamboogle", Hops: 2},
			{Question: q("bamboogle-2", "When did the president who set the precedent of a two term limit enter office?"), Golds: []string{"April 30, 1789"}, Source: "bamboogle", Hops: 2},
			{Question: q("bamboogle-3", `When was the person who delivered the "Quit India" speech born?`), Golds: []string{"October 2, 1869"}, Source: "bamboogle", Hops: 2}}, 4},
		{"frames with an index", "frames:testdata/frames.tsv", []dataset.Example{ballou, diver}, 4},
		{"frames without an index", "frames:testdata/frames_clean.tsv", clean, 2},
		{"frames as JSON", "frames:testdata/frames.json", []dataset.Example{ballou}, 2},
		{"nq", "nq:testdata/nq.jsonl", []dataset.Example{
			{Question: q("nq-0", "who got the first nobel prize in physics"), Golds: []string{"Wilhelm Conrad Röntgen"}, Source: "nq", Hops: 1},
			{Question: q("nq-1", "which mode is used for short wave broadcast service"), Golds: []string{"Olivia", "MFSK"}, Source: "nq", Hops: 1},
			{Question: q("nq-2", "how many legs has a spider"), Golds: []string{"eight"}, Source: "nq", Hops: 1}}, 3},
		{"triviaqa release", "triviaqa:testdata/triviaqa.json", sunset, 2},
		{"triviaqa in snake case", "triviaqa:testdata/triviaqa_hub.jsonl", sunset, 2},
		{"popqa", "popqa:testdata/popqa.tsv", []dataset.Example{
			{Question: q("4222362", "What is George Rankin's occupation?"), Golds: []string{"politician", "political leader", "political figure", "polit.", "pol"}, Source: "popqa", Type: "occupation", Hops: 1},
			{Question: q("5", `What genre is "Heroes"?`), Golds: []string{"art rock", `progressive "rock"`}, Source: "popqa", Type: "genre", Hops: 1}}, 2},
		{"flashrag", "flashrag:testdata/flashrag.jsonl", []dataset.Example{
			{Question: q("test_0", "who got the first nobel prize in physics"), Golds: []string{"Wilhelm Conrad Röntgen"}, Source: "flashrag"},
			{Question: q("test_2", "which mode is used for short wave broadcast service"), Golds: []string{"Olivia", "MFSK"}, Source: "flashrag"},
			{Question: q("hotpotqa_5a832c3455429954d2e2ec41", `Who was once considered the best kick boxer in the world, however he has been involved in a number of controversies relating to his "unsportsmanlike conducts" in the sport and crimes of violence outside of the ring.`),
				Golds: []string{"Badr Hari"}, Supporting: []string{"4", "6"}, Source: "hotpotqa", Type: "bridge", Level: "easy"},
			{Question: q("musique_2hop__150763_14904", "Who was the first president of the association which published Journal of Psychotherapy Integration?"),
				Golds: []string{"G. Stanley Hall", "Stanley Hall"}, Supporting: []string{"3950", "3954"}, Source: "musique", Hops: 2},
			{Question: q("dev_0", edWood), Golds: []string{"yes"}, Titles: []string{"Scott Derrickson", "Ed Wood"}, Source: "flashrag", Type: "comparison", Level: "hard"}}, 5},
		{"flashrag multiple choice", "flashrag:testdata/choices.jsonl", []dataset.Example{
			{Question: q("test_0", "Which of these is a river? Options: (A) Rhine (B) Alps (C) Berlin"), Golds: []string{"Rhine"}, Source: "flashrag"},
			{Question: q("test_1", "Which are cities? Options: (A) Oder (B) Paris (C) Lyon"), Golds: []string{"Paris", "Lyon"}, Source: "flashrag"},
			{Question: q("test_2", "What is the capital of France?"), Golds: []string{"Paris"}, Source: "flashrag"}}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := dataset.Load(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != tt.n {
				t.Fatalf("Load(%s) has %d examples, want %d", tt.spec, len(got), tt.n)
			}
			if diff := cmp.Diff(tt.want, got[:len(tt.want)]); diff != "" {
				t.Errorf("examples mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFramesLinks(t *testing.T) {
	examples, err := dataset.Load("frames:testdata/frames.tsv")
	if err != nil {
		t.Fatal(err)
	}
	// One link of this record is fifteen, joined by commas.
	if got := examples[2].Titles; len(got) != 23 || got[11] != "WrestleMania X8" || got[22] != "WrestleMania 29" {
		t.Errorf("titles of joined links = %q", got)
	}
	want := []string{"Bowling at the 2011 Pan American Games – Women's individual", "Bowling at the 2017 World Games"}
	if diff := cmp.Diff(want, examples[3].Titles); diff != "" {
		t.Errorf("titles with a quote (-want +got):\n%s", diff)
	}
}

// FlashRAG fixes no types in its metadata, and some data sets number their ids.
func TestFlashRAGMetadata(t *testing.T) {
	path := write(t, "q.jsonl", `{"id":7,"question":" x ","golden_answers":"y","metadata":{"source":["a"],"type":1,"level":null,"hops":"3hop1","supporting_docids":[4,"5"]}}
{"id":"8","question":"x","golden_answers":[true, " ", "y", "y"],"metadata":null}
`)
	got, err := dataset.Load("flashrag:" + path)
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Example{
		{Question: q("7", "x"), Golds: []string{"y"}, Supporting: []string{"4", "5"}, Source: "flashrag", Hops: 3},
		{Question: q("8", "x"), Golds: []string{"true", "y"}, Source: "flashrag"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("examples mismatch (-want +got):\n%s", diff)
	}
}

func TestOpen(t *testing.T) {
	raw, err := os.ReadFile("testdata/musique.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(raw)
	set, err := dataset.Open("musique:testdata/musique.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	set.Examples = nil
	want := &dataset.Set{Name: "musique", Path: "testdata/musique.jsonl", SHA256: hex.EncodeToString(sum[:]), LeftOut: 1}
	if diff := cmp.Diff(want, set); diff != "" {
		t.Errorf("set mismatch (-want +got):\n%s", diff)
	}
}

// write puts content into a file of the given name and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestForms(t *testing.T) {
	raw, err := os.ReadFile("testdata/nq.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(raw)
	z.Close()
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(raw), "\n\n", "\n")), "\n")
	tests := []struct{ name, file, content string }{
		{"gzip", "nq.jsonl.gz", zipped.String()},
		{"gzip by another name", "nq.jsonl", zipped.String()},
		{"byte order mark", "nq.jsonl", "\ufeff" + string(raw)},
		{"carriage returns", "nq.jsonl", strings.ReplaceAll(string(raw), "\n", "\r\n")},
		{"no last line end", "nq.jsonl", strings.TrimSpace(string(raw))},
		{"list", "nq.json", " [" + strings.Join(lines, ",\n") + "]"},
	}
	want, err := dataset.Load("nq:testdata/nq.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set, err := dataset.Open("nq:" + write(t, tt.file, tt.content))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, set.Examples); diff != "" {
				t.Errorf("examples mismatch (-want +got):\n%s", diff)
			}
			// The sum is of the file as it lies there, compressed or not.
			sum := sha256.Sum256([]byte(tt.content))
			if set.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("SHA256 = %s, want that of the file", set.SHA256)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, loader, file, content string
		want                        []string // parts of the message
	}{
		{"bad JSON line", "flashrag", "q.jsonl", "{\"id\":\"a\",\"question\":\"x\"}\n\n{\"id\":\"b\",\n", []string{"q.jsonl: line 3: not JSON: it is cut off"}},
		{"wrong type of a key", "musique", "q.jsonl", `{"id":"2hop__1","question":["x"]}`, []string{`line 1: key "question": is a JSON array`}},
		{"no object", "nq", "q.json", `[3]`, []string{"record 1: is a JSON number, not an object"}},
		{"missing question", "hotpotqa", "d.json", `[{"_id":"1","question":"x"},{"_id":"2"}]`, []string{`d.json: record 2: key "question": missing or empty`}},
		{"missing id", "hotpotqa", "d.json", `[{"question":"x"}]`, []string{`record 1: key "_id": missing or empty`}},
		{"same id on two lines", "flashrag", "q.jsonl", "{\"id\":\"a\",\"question\":\"x\"}\n{\"id\":\"b\",\"question\":\"y\"}\n{\"id\":\"a\",\"question\":\"z\"}\n", []string{`line 3: id "a" stands at line 1 already`}},
		{"same id in a list", "2wiki", "d.json", `[{"_id":"1","question":"x"},{"_id":"1","question":"y"}]`, []string{`record 2: id "1" stands at record 1 already`}},
		{"list cut short", "hotpotqa", "d.json", `[{"_id":"1","question":"x"}`, []string{"after record 1: not JSON: it is cut off"}},
		{"record cut short", "hotpotqa", "d.json", `[{"_id":"1","question":"x"},{"_id":`, []string{"record 2: not JSON: it is cut off"}},
		{"odd supporting facts", "hotpotqa", "d.json", `[{"_id":"1","question":"x","supporting_facts":[["a"],[2]]}]`, []string{`record 1: key "supporting_facts": a pair without a title`}},
		{"odd answer", "nq", "q.jsonl", `{"question":"x","answer":{"a":1}}`, []string{`line 1: key "answer": {"a":1} is not a string`}},
		{"choice out of range", "flashrag", "q.jsonl", `{"id":"a","question":"x","choices":["y"],"golden_answers":[1]}`, []string{`line 1: key "golden_answers": "1" is not the index of one of 1 choices`}},
		{"regular expressions by file", "flashrag", "curatedtrec.jsonl", `{"id":"a","question":"x","golden_answers":["19\\d\\d"]}`, []string{"curatedtrec.jsonl", "regular expressions"}},
		{"regular expressions by record", "woven", "q.jsonl", `{"id":"a","question":"x","metadata":{"source":"curatedtrec"}}`, []string{"line 1", "regular expressions"}},
		{"too few fields", "bamboogle", "t.csv", "Question,Answer\nx,y\nz\n", []string{"t.csv: record on line 3: wrong number of fields"}},
		{"a quote that takes in lines", "bamboogle", "t.csv", "Question,Answer\nu,v\n\"Heroes\" is by whom?,Bowie\n\"x\",y\n", []string{`line 3: key "question": a quote that does not end on its line`}},
		{"no such column", "bamboogle", "t.csv", "Frage,Answer\nx,y\n", []string{`line 2: key "Question": missing or empty`}},
		{"answers that are no list", "popqa", "t.tsv", "id\tquestion\tpossible_answers\n1\tx\tParis\n", []string{`line 2: key "possible_answers": "Paris" is not a JSON list`}},
		{"links that are no list", "frames", "t.tsv", "Prompt\tAnswer\twiki_links\nx\ty\t['a' 'b']\n", []string{`line 2: key "wiki_links": "'b']" where a comma`}},
		{"JSON where a table is due", "popqa", "t.tsv", `{"id":1}`, []string{"t.tsv: is JSON, not a table"}},
		{"a table where JSON is due", "musique", "t.tsv", "id\tquestion\n", []string{"t.tsv: is not JSON"}},
		{"an object without Data", "triviaqa", "t.json", `{"Version":1.0,"Split":"dev"}`, []string{`no key "Data"`}},
		{"empty", "frames", "t.tsv", "", []string{"t.tsv is empty; expected a TSV file with the columns Prompt and Answer"}},
		{"blanks", "musique", "q.jsonl", " \n\n", []string{"q.jsonl is empty; expected JSON lines as in musique_ans_v1.0_dev.jsonl"}},
		{"UTF-16", "flashrag", "q.jsonl", "\xff\xfe{\x00", []string{"q.jsonl is UTF-16: save it as UTF-8"}},
		{"no JSON", "flashrag", "q.jsonl", `{"id":"a"x}`, []string{"q.jsonl: line 1: not JSON at byte 10"}},
		{"only a header", "frames", "t.tsv", "Prompt\tAnswer\n", []string{"no questions"}},
		{"damaged gzip", "nq", "q.gz", "\x1f\x8bnope", []string{"q.gz", "gzip"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := dataset.Load(tt.loader + ":" + write(t, tt.file, tt.content))
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range append(tt.want, "dataset: "+tt.loader+": ") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

func TestSpecErrors(t *testing.T) {
	const names = "2wiki, bamboogle, flashrag, frames, hotpotqa, musique, nq, popqa, triviaqa, woven"
	if got := strings.Join(dataset.Names(), ", "); got != names {
		t.Errorf("Names() = %s, want %s", got, names)
	}
	tests := []struct{ spec, want string }{
		{"questions.jsonl", `dataset: "questions.jsonl" is not NAME:PATH; NAME is one of ` + names},
		{"hotpotqa:", `dataset: "hotpotqa:" is not NAME:PATH; NAME is one of ` + names},
		{"squad:dev.json", `dataset: unknown data set "squad"; known are ` + names},
		{"hotpotqa:testdata/none.json", "dataset: hotpotqa: open testdata/none.json: no such file or directory; expected a JSON list as in hotpot_dev_distractor_v1.json"},
	}
	for _, tt := range tests {
		if _, err := dataset.Load(tt.spec); err == nil || err.Error() != tt.want {
			t.Errorf("Load(%q) error = %v, want %s", tt.spec, err, tt.want)
		}
	}
}

func TestAliasFileErrors(t *testing.T) {
	path := write(t, "dev.json", `[{"_id":"1","question":"x","answer":"y"}]`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "id_aliases.json"), []byte("{\"Q_id\":\"Q1\"}\n{\"Q_id\":2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Load("2wiki:" + path); err == nil || !strings.Contains(err.Error(), `id_aliases.json: line 2: key "Q_id": is a JSON number`) {
		t.Errorf("error = %v, want one that names the line of the alias file", err)
	}
}

// The whole files that may lie beside the checkout.
func TestSharedData(t *testing.T) {
	tests := []struct {
		name, loader, file string
		n, golds, support  int // examples; those with answers; those with supporting documents
	}{
		{"multihop", "flashrag", "multihop_601/questions.jsonl", 601, 601, 601},
		{"multihop as woven", "woven", "multihop_601/questions.jsonl", 601, 601, 601},
		{"frames TSV", "frames", "frames/frames.derived.tsv", 824, 824, 824},
		{"frames JSON", "frames", "frames/frames.json", 824, 824, 824},
		{"bamboogle", "bamboogle", "bamboogle/test.csv", 125, 125, 0},
		{"bamboogle in FlashRAG's form", "flashrag", "bamboogle/test.flashrag.jsonl", 125, 125, 0},
		{"musique", "musique", "hipporag/musique_train.json", 100, 100, 100},
		{"hotpotqa easy", "hotpotqa", "hotpotqa_distractor_300/hotpot_easy_100.json", 100, 100, 100},
		{"hotpotqa medium", "hotpotqa", "hotpotqa_distractor_300/hotpot_medium_100.json", 100, 100, 100},
		{"hotpotqa hard", "hotpotqa", "hotpotqa_distractor_300/hotpot_hard_100.json", 100, 100, 100},
		{"hotpotqa dev", "hotpotqa", "hotpotqa_distractor_300/hotpot_dev_distractor_v1.first53.json", 53, 53, 53},
		{"flashrag nq", "flashrag", "search_r1_example/flashrag_nq_test_sample.jsonl", 17, 17, 0},
		{"questions of rollouts", "flashrag", "r1_searcher_rollouts/hotpotqa_questions.jsonl", 500, 500, 0},
		{"musique as question and answers", "nq", "web_search_cache/eval_musique.jsonl", 200, 200, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			examples, err := dataset.Load(tt.loader + ":" + testutil.Shared(t, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			golds, support := 0, 0
			for _, e := range examples {
				golds += min(len(e.Golds), 1)
				support += min(len(e.Supporting)+len(e.Titles), 1)
			}
			if len(examples) != tt.n || golds != tt.golds || support != tt.support {
				t.Errorf("%d examples, %d with answers, %d with documents; want %d, %d, %d", len(examples), golds, support, tt.n, tt.golds, tt.support)
			}
		})
	}
}

// Both forms of a data set tell the same.
func TestSharedFormsAgree(t *testing.T) {
	table, err := dataset.Load("frames:" + testutil.Shared(t, "frames/frames.derived.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := dataset.Load("frames:" + testutil.Shared(t, "frames/frames.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(table, list); diff != "" {
		t.Errorf("FRAMES as a table and as a list differ (-table +list):\n%s", diff)
	}
}

// checkLoaded checks what must hold for whatever a file held.
func checkLoaded(t *testing.T, examples []dataset.Example, err error) {
	if (err == nil) != (len(examples) > 0) {
		t.Fatalf("%d examples with error %v", len(examples), err)
	}
	seen := make(map[string]bool)
	for _, e := range examples {
		if e.ID == "" || strings.TrimSpace(e.Text) == "" || seen[e.ID] {
			t.Fatalf("bad or repeated question %+v", e.Question)
		}
		seen[e.ID] = true
		for _, g := range e.Golds {
			if strings.TrimSpace(g) == "" {
				t.Fatalf("blank answer in %q", e.Golds)
			}
		}
	}
}

func fuzz(f *testing.F, loader string, seeds ...string) {
	for _, name := range seeds {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	f.Add("{")
	f.Add("\x1f\x8b")
	f.Fuzz(func(t *testing.T, content string) {
		examples, err := dataset.Load(loader + ":" + write(t, "fuzz", content))
		checkLoaded(t, examples, err)
	})
}

func FuzzFlashRAG(f *testing.F) { fuzz(f, "flashrag", "flashrag.jsonl", "choices.jsonl") }

func FuzzHotpotQA(f *testing.F) { fuzz(f, "hotpotqa", "hotpotqa.json", "hotpotqa_hub.jsonl") }

func FuzzFrames(f *testing.F) { fuzz(f, "frames", "frames.tsv", "frames_clean.tsv", "frames.json") }
