package figures_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/figures"
	"trawl/internal/testutil"
)

var source = figures.Source{
	N: "3 questions × 2 rollouts", Interval: "95 % bootstrap over questions", Command: "trawl report RUN --out DIR", Note: "one rollout failed",
	Settings: []string{"sha256:0123456789abcdef0123456789abcdef", "sha256:ff"},
}

func value(v float64) *float64 { return &v }

// small has one of all that a page can have.
func small() figures.Page {
	return figures.Page{
		Title: "A small page",
		Notes: []string{"SIMULATED MODEL: no figure says anything about a language model."},
		Sections: []figures.Section{{
			ID: "answers", Title: "Answers", Text: []string{"What was answered."},
			Plots: []figures.Plot{{
				ID: "pass-at-k", Title: "pass@k", Source: source,
				X: figures.Axis{Label: "k", Log2: true}, Y: figures.Axis{Label: "chance", Unit: true},
				Series: []figures.Series{
					{Name: "pass@k", Points: []figures.Point{{X: 1, Y: 0.25, Interval: &[2]float64{0.125, 0.5}}, {X: 2, Y: 0.5, Interval: &[2]float64{0.25, 0.75}}}},
					{Name: "plain", Dashed: true, Shape: figures.Bars, Points: []figures.Point{{X: 2, Y: 0.75, Interval: &[2]float64{0.5, 1}}}},
					{Name: "paper", Shape: figures.Points, Points: []figures.Point{{X: 1, Y: 0.5}, {X: 2, Y: math.NaN()}}},
				},
			}},
			Tables: []figures.Table{{
				ID: "scores", Title: "Scores", Source: source, Columns: []string{"run", "accuracy", "tokens", "note"},
				Rows: [][]figures.Cell{
					{{Text: "plain"}, {Value: value(1.0 / 3), Interval: &[2]float64{0, 2.0 / 3}, N: 3}, {Text: "1234.5", Value: value(1234.5), Interval: &[2]float64{1000, 1500.25}, N: 6}, {Text: "=1+1"}},
					{{Text: "-5"}, {Value: value(-0.0001), Interval: &[2]float64{-0.1, math.NaN()}, N: 3}, {Text: "unscored"}, {Text: "-x"}},
					{{Text: "@c"}, {Value: value(math.NaN()), N: 3}, {Value: value(12), N: 5}, {Text: "+1.5e3"}},
				},
			}},
		}},
	}
}

func TestGolden(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "report")
	if err := figures.Write(dir, small()); err != nil {
		t.Fatal(err)
	}
	files := testutil.Files(t, dir)
	want := []string{"index.html", "pass-at-k.png", "pass-at-k.svg", "scores.csv"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files mismatch (-want +got):\n%s", diff)
	}
	for _, name := range []string{"index.html", "pass-at-k.svg", "scores.csv"} {
		testutil.Golden(t, name, files[name])
	}
	if !strings.Contains(files["index.html"], reportOf("pass-at-k.svg pass-at-k.png scores.csv")) {
		t.Error("the page does not say which files are its own")
	}
	var page bytes.Buffer
	if err := figures.Render(&page, small()); err != nil || page.String() != files["index.html"] {
		t.Errorf("Render differs from index.html, error %v", err)
	}
	img, err := png.DecodeConfig(strings.NewReader(files["pass-at-k.png"]))
	// 400 points of 1/72 inch at 216 dots an inch.
	if err != nil || img.Width != 1200 || img.Height < 600 {
		t.Errorf("PNG of %d × %d, error %v, want 1200 across", img.Width, img.Height, err)
	}
}

func TestSameBytes(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b, a} { // the last replaces what is there
		if err := figures.Write(dir, small()); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(testutil.Files(t, a), testutil.Files(t, b)); diff != "" {
		t.Errorf("two writes of one page differ:\n%s", diff)
	}
}

// TestPolicy makes sure that the page runs its script, and no other.
func TestPolicy(t *testing.T) {
	var b strings.Builder
	if err := figures.Render(&b, small()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 1 {
		t.Fatalf("%d scripts, want 1", len(scripts))
	}
	sum := sha256.Sum256([]byte(scripts[0][1]))
	policy := regexp.MustCompile(`Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if hash := "sha256-" + base64.StdEncoding.EncodeToString(sum[:]); policy == nil || !strings.Contains(strings.ReplaceAll(policy[1], "&#43;", "+"), hash) {
		t.Errorf("the policy %q does not allow the script, %s", policy, hash)
	}
	if loads := regexp.MustCompile(`https?://|url\(|@import|<img|\bsrc=`).FindAllString(page, -1); loads != nil {
		t.Errorf("the page loads: %q", loads)
	}
}

// hostile is a page all of whose texts are s.
func hostile(s string) figures.Page {
	source := figures.Source{N: s, Interval: s, Settings: []string{s}, Command: s, Note: s}
	return figures.Page{Title: s, Notes: []string{s}, Sections: []figures.Section{{
		ID: "section", Title: s, Text: []string{s},
		Plots: []figures.Plot{{ID: "plot", Title: s, X: figures.Axis{Label: s, Names: []string{s, s}}, Y: figures.Axis{Label: s}, Source: source,
			Series: []figures.Series{{Name: s, Shape: figures.Bars, Points: []figures.Point{{X: 0, Y: 1}}}, {Name: s, Points: []figures.Point{{X: 1, Y: 2}}}}}},
		Tables: []figures.Table{{ID: "table", Title: s, Columns: []string{s, s}, Rows: [][]figures.Cell{{{Text: s}, {Text: s, Value: value(1)}}}, Source: source}},
	}}}
}

var attacks = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "' onload='x", "]]>", "<!--", "</style></title>", "{{.}}", "a\x00b", "\xff\xfe", "\uFFFE\u0001\u0085",
	"line\r\nline\ttab", `style="fill:#0072B2"`, "=cmd()", "\u202Eabc", "日本語", strings.Repeat("long ", 20_000), " ", "",
}

func TestHostileTexts(t *testing.T) {
	render := func(s string) string {
		var b strings.Builder
		if err := figures.Render(&b, hostile(s)); err != nil {
			t.Fatalf("%.40q: %v", s, err)
		}
		return b.String()
	}
	want := tags(render("x"))
	for _, s := range attacks {
		page := render(s)
		if diff := cmp.Diff(want, tags(page)); diff != "" && strings.TrimSpace(s) != "" {
			t.Errorf("%.40q: tags mismatch (-want +got):\n%s", s, diff)
		}
		isText(t, page)
		for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
			isXML(t, svg)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	page := hostile(strings.Join(attacks[:len(attacks)-3], " "))
	for i, s := range attacks {
		table := hostile(s).Sections[0].Tables[0]
		table.ID += string(rune('a' + i))
		page.Sections[0].Tables = append(page.Sections[0].Tables, table)
	}
	dir := t.TempDir()
	if err := figures.Write(dir, page); err != nil {
		t.Fatal(err)
	}
	for name, content := range testutil.Files(t, dir) {
		switch filepath.Ext(name) {
		case ".svg":
			isXML(t, content)
			isText(t, content)
		case ".csv":
			isText(t, content)
			records, err := csv.NewReader(strings.NewReader(content)).ReadAll()
			if err != nil || len(records) != 2 || len(records[1]) != 2 {
				t.Errorf("%s: %.100q, error %v, want 2 rows of 2", name, records, err)
			}
		}
	}
}

func isText(t *testing.T, s string) {
	t.Helper()
	if strings.ToValidUTF8(s, "") != s {
		t.Errorf("no UTF-8: %.100q", s)
	}
	if at := strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }); at >= 0 {
		t.Errorf("a control character: %.100q", s[at:])
	}
}

// tags returns what begins and ends elements in a page, other than those that
// depend on the length of a text in a plot.
func tags(page string) []string {
	all := regexp.MustCompile(`<[a-zA-Z/!?][^ >]*`).FindAllString(page, -1)
	return slices.DeleteFunc(all, func(tag string) bool { return slices.Contains([]string{"<text", "</text", "<g", "</g"}, tag) })
}

func isXML(t *testing.T, s string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("no XML: %v\n%.500s", err, s)
		}
	}
}

// TestOddNumbers draws every shape on every axis with numbers that break
// divisions, and looks for what they would leave behind.
func TestOddNumbers(t *testing.T) {
	odd := []float64{0, 1, -1, 3, 1e-9, 1e16, 1e16 + 2, 1e300, -1e300, math.MaxFloat64, 5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	axes := []figures.Axis{{}, {Log2: true}, {Unit: true}, {Names: []string{"a", "b"}}}
	broken := regexp.MustCompile(`[ ,"MLA(>](NaN|[+-]?Inf)`)
	for _, shape := range []figures.Shape{figures.Line, figures.Bars, figures.Points} {
		for i, x := range axes {
			for j, y := range axes {
				var plots []figures.Plot
				for k, v := range odd {
					w := odd[(k*5+i+j)%len(odd)]
					plots = append(plots, figures.Plot{ID: "p" + string(rune('a'+k)), X: x, Y: y, Series: []figures.Series{
						{Shape: shape, Points: []figures.Point{{X: v, Y: w, Interval: &[2]float64{w, v}}, {X: w, Y: v, Interval: &[2]float64{v, 1}}}},
						{Shape: shape, Points: []figures.Point{{X: v, Y: v}}},
					}})
				}
				var b strings.Builder
				if err := figures.Render(&b, figures.Page{Sections: []figures.Section{{ID: "s", Plots: plots}}}); err != nil {
					t.Fatal(err)
				}
				drawn, _, _ := strings.Cut(b.String(), "<script>")
				if at := broken.FindStringIndex(drawn); at != nil {
					t.Errorf("%s on %+v and %+v: %q", shape, x, y, drawn[max(0, at[0]-200):at[1]])
				}
			}
		}
	}
}

func TestNoData(t *testing.T) {
	page := func(y float64) string {
		p := figures.Plot{ID: "p", Series: []figures.Series{{Name: "a", Points: []figures.Point{{X: 1, Y: y}}}}}
		var b strings.Builder
		if err := figures.Render(&b, figures.Page{Sections: []figures.Section{{ID: "s", Plots: []figures.Plot{p}}}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if !strings.Contains(page(math.NaN()), ">no data<") || strings.Contains(page(1), ">no data<") {
		t.Error("a plot says that it has no data if, and only if, it has none")
	}
}

func TestRefusedPages(t *testing.T) {
	section := func(s figures.Section) figures.Page { return figures.Page{Sections: []figures.Section{s}} }
	tests := []struct {
		name string
		page figures.Page
		want string
	}{
		{"no id", section(figures.Section{}), `figures: section id "" is not of letters, digits and '-'`},
		{"path", section(figures.Section{ID: "s", Tables: []figures.Table{{ID: "../x", Columns: []string{"a"}}}}), `figures: table id "../x" is not of letters, digits and '-'`},
		{"twice", section(figures.Section{ID: "s", Plots: []figures.Plot{{ID: "S"}}}), `figures: plot id "S" stands twice in the page: there is a section of that id`},
		{"short row", section(figures.Section{ID: "s", Tables: []figures.Table{{ID: "t", Columns: []string{"a", "b"}, Rows: [][]figures.Cell{{{}, {}}, {{}}}}}}),
			`figures: table "t": row 2 has 1 cells for 2 columns`},
		{"no columns", section(figures.Section{ID: "s", Tables: []figures.Table{{ID: "t"}}}), `figures: table "t" has no columns`},
		{"nowhere", section(figures.Section{ID: "s", Tables: []figures.Table{{ID: "t", Columns: []string{"a"}, All: "x"}}}), `figures: table "t" leads to folder "x", which the page does not have`},
		{"deep", figures.Page{Below: []figures.Below{{Folder: "x", Page: figures.Page{Below: []figures.Below{{Folder: "y"}}}}}}, `figures: the page in folder "x" has pages below it`},
		{"out", figures.Page{Below: []figures.Below{{Folder: ".."}}}, `figures: folder id ".." is not of letters, digits and '-'`},
		{"shape", section(figures.Section{ID: "s", Plots: []figures.Plot{{ID: "p", Series: []figures.Series{{Name: "a", Shape: "pie"}}}}}),
			`figures: plot "p": series "a": shape "pie" is none of line, bars and points`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "report")
			for _, err := range []error{figures.Write(dir, tt.page), figures.Render(io.Discard, tt.page)} {
				if err == nil || err.Error() != tt.want {
					t.Errorf("error %v, want %s", err, tt.want)
				}
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("the folder was made")
			}
		})
	}
}

func TestEarlierReport(t *testing.T) {
	dir := folder(t, map[string]string{"gone.svg": "", "gone.png": "", "scores.csv": "", "index.html": reportOf("gone.svg gone.png scores.csv")})
	if err := os.WriteFile(filepath.Join(dir, "mine.csv"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	next := figures.Page{Title: "next", Sections: []figures.Section{{ID: "s", Tables: []figures.Table{{ID: "other", Columns: []string{"a"}}}}}}
	if err := figures.Write(dir, next); err != nil {
		t.Fatal(err)
	}
	want := []string{"index.html", "mine.csv", "other.csv"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(testutil.Files(t, dir)))); diff != "" {
		t.Errorf("files mismatch (-want +got):\n%s", diff)
	}
}

// TestForeignFolder makes sure that nothing of others is overwritten, and that a
// list of files which somebody changed names nothing elsewhere.
func TestForeignFolder(t *testing.T) {
	for _, content := range []map[string]string{
		{"notes.txt": "mine"},
		{"index.html": `<title>mine</title> <!-- trawl report -->`, "scores.csv": "mine"},
	} {
		dir := folder(t, content)
		err := figures.Write(dir, small())
		if want := "figures: " + dir + " holds files and is no report of trawl"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s…", err, want)
		}
		if diff := cmp.Diff(content, testutil.Files(t, dir)); diff != "" {
			t.Errorf("files mismatch (-want +got):\n%s", diff)
		}
	}
	dir := folder(t, map[string]string{"notes.txt": "mine", "index.html": reportOf("notes.txt .. scores.csv gone.svg")})
	if err := figures.Write(dir, figures.Page{}); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(testutil.Files(t, dir))); !slices.Equal(got, []string{"index.html", "notes.txt"}) {
		t.Errorf("files %q, want index.html and notes.txt", got)
	}
}

// TestCutShort cuts the writing before every file, over nothing and over another
// report, and as a process that is killed in it: with half of the file under a name of
// its own. Whatever is there then says that it is being written, and the next Write
// makes the folder what it would have been.
func TestCutShort(t *testing.T) {
	next := marked()
	want := t.TempDir()
	if err := figures.Write(want, next); err != nil {
		t.Fatal(err)
	}
	files := len(figures.Files(next)) + 1 // the page twice
	for _, before := range []*figures.Page{nil, {Title: "before", Sections: []figures.Section{{ID: "s", Tables: []figures.Table{{ID: "gone", Columns: []string{"a"}}}}}}} {
		for n := range files {
			dir := filepath.Join(t.TempDir(), "report")
			if before != nil {
				if err := figures.Write(dir, *before); err != nil {
					t.Fatal(err)
				}
			}
			if err := figures.WriteCut(dir, next, n); err == nil {
				t.Fatalf("nothing was cut before file %d of %d", n, files)
			}
			page, err := os.ReadFile(filepath.Join(dir, "index.html"))
			if n > 0 && (err != nil || !strings.Contains(string(page), "This report is being written")) {
				t.Errorf("cut before file %d: the page is %.200q, %v", n, page, err)
			}
			if err := figures.CheckFolder(dir); err != nil {
				t.Errorf("cut before file %d: %v", n, err)
			}
			if err := figures.Write(dir, next); err != nil {
				t.Errorf("cut before file %d, then written: %v", n, err)
			}
			if diff := cmp.Diff(testutil.Files(t, want), testutil.Files(t, dir)); diff != "" {
				t.Errorf("cut before file %d, then written (-want +got):\n%s", n, diff)
			}
		}
	}
}

// marked is a page with marks, a table of which not all is shown, and a page below
// that shows all of it.
func marked() figures.Page {
	p := small()
	s := &p.Sections[0]
	s.Plots[0].Mark, s.Tables[0].Mark, s.Tables[0].Most, s.Tables[0].All = "simulated model", "simulated model", 2, "whole"
	p.Below = []figures.Below{{Folder: "whole", Page: figures.Page{Title: "The whole", Sections: []figures.Section{{ID: "answers", Tables: []figures.Table{{ID: "scores", Columns: []string{"a"}, Rows: [][]figures.Cell{{{Text: "x"}}}}}}}}}}
	return p
}

func TestPageBelow(t *testing.T) {
	dir := t.TempDir()
	if err := figures.Write(dir, marked()); err != nil {
		t.Fatal(err)
	}
	files := testutil.Files(t, dir)
	want := []string{"index.html", "pass-at-k.png", "pass-at-k.svg", "scores.csv", "whole/index.html", "whole/scores.csv"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(figures.Files(marked())))); diff != "" {
		t.Errorf("Files (-want +got):\n%s", diff)
	}
	for _, want := range []string{`1 more rows are in the <a href="scores.csv">`, `<a href="whole/index.html#scores">`} {
		if !strings.Contains(files["index.html"], want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if n := strings.Count(files["index.html"], "<tr>"); n != 3 {
		t.Errorf("%d rows in the page, want the header and 2", n)
	}
	records, err := csv.NewReader(strings.NewReader(files["scores.csv"])).ReadAll()
	if err != nil || len(records) != 4 || records[0][len(records[0])-1] != "note" || records[3][len(records[3])-1] != "simulated model" {
		t.Errorf("scores.csv %q, %v: want all 3 rows, each with its mark", records, err)
	}
	if !strings.Contains(files["pass-at-k.svg"], ">simulated model<") {
		t.Error("the picture does not say what model it is of")
	}
	if err := figures.Write(dir, small()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		t.Error("the page below is still there, and the next report has none")
	}
}

// What Write would refuse in the end is refused before, and nothing is left behind.
func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                            " holds files and is no report of trawl",
		file:                           "file",
		filepath.Join(file, "report"):  "file",
		filepath.Join(dir, "new", "x"): "",
	} {
		err := figures.CheckFolder(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("CheckFolder(%s): %v, want %q", path, err, want)
		}
		if refused := figures.Write(path, small()); (err == nil) != (refused == nil) {
			t.Errorf("CheckFolder(%s): %v, and Write: %v", path, err, refused)
		}
	}
	if got := slices.Sorted(maps.Keys(testutil.Files(t, dir)))[0]; got != "file" {
		t.Errorf("left behind: %s", got)
	}
}

func TestWriteEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := filepath.Join(t.TempDir(), "report")
	if err := figures.WriteContext(ctx, dir, small()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made")
	}
}

// reportOf is as much of a page as says that it is a report, and of which files.
// [TestGolden] holds the page to it.
func reportOf(files string) string {
	return `<meta name="generator" content="trawl report">` + "\n" + `<meta name="files" content="` + files + `">`
}

func folder(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
