package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reportWorld weaves and indexes a small world and returns the flags of a run on it.
func reportWorld(t *testing.T, questions int) []string {
	t.Helper()
	dir := t.TempDir()
	capture(t, "weave", "--out", filepath.Join(dir, "world"), "--entities", "2000", "--questions", fmt.Sprint(questions))
	capture(t, "index", filepath.Join(dir, "world", "corpus.jsonl"), "--out", filepath.Join(dir, "index"), "--quiet")
	return []string{"--dataset", "woven:" + filepath.Join(dir, "world", "questions.jsonl"), "--index", filepath.Join(dir, "index"), "--endpoint", "sim", "--quiet"}
}

// TestReportSize makes sure that the page of 600 questions × 4 rollouts, with plots
// and the table of all questions in it, can be sent by mail.
func TestReportSize(t *testing.T) {
	withoutRaceDetector(t)
	run, out := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "page")
	capture(t, append([]string{"run", "-k", "4", "--out", run}, reportWorld(t, 600)...)...)
	page, _ := paged(t, out, run)
	if rows := strings.Count(page, "woven_"); rows < 600 {
		t.Errorf("the page names %d questions, want 600", rows)
	}
	if len(page) >= 3<<20 {
		t.Errorf("the page has %d bytes, want fewer than 3 MiB", len(page))
	}
	t.Logf("%d bytes", len(page))
}

// ownRequest is what the browser asks for on its own account.
var ownRequest = regexp.MustCompile(`^https?://[a-z0-9.-]*(?:google|gvt1|googleapis)\.com/`)

// clicked is put behind a copy of the page: it sorts each table by each column of numbers
// and counts the columns, and those that are out of order then.
const clicked = `<script>
var sorted = 0, wrong = 0;
document.querySelectorAll("table").forEach(function (table) {
  if (table.tBodies[0].rows.length < 2) return;
  Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
    head.querySelector("button").click();
    var values = Array.from(table.tBodies[0].rows).map(function (row) { return row.cells[column]; })
      .filter(function (cell) { return cell.hasAttribute("data-sort"); }).map(function (cell) { return Number(cell.dataset.sort); });
    if (values.length < 2) return;
    sorted++;
    if (values.some(function (v, i) { return i > 0 && values[i - 1] > v; })) wrong++;
  });
});
document.body.setAttribute("data-clicked", sorted + " sorted, " + wrong + " wrong");
</script>`

// A headless is a browser that opens pages.
type headless struct{ path, dir string }

// open returns the page as it is once its scripts have run, what the console said, and
// what the browser asked the network for.
func (b headless) open(t *testing.T, page string) (dom string, said, asked []string) {
	t.Helper()
	log := filepath.Join(b.dir, "net.json")
	cmd := exec.CommandContext(t.Context(), b.path, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
		"--disable-background-networking", "--disable-component-update", "--no-first-run", "--user-data-dir="+filepath.Join(b.dir, "profile"),
		"--log-net-log="+log, "--dump-dom", "file://"+page)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	for line := range strings.SplitSeq(stderr.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			said = append(said, line)
		}
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var net struct {
		Events []struct {
			Params struct {
				URL string `json:"url"`
			} `json:"params"`
		} `json:"events"`
	}
	if err := json.Unmarshal(data, &net); err != nil {
		t.Fatal(err)
	}
	for _, e := range net.Events {
		if u := e.Params.URL; strings.HasPrefix(u, "http") && !ownRequest.MatchString(u) {
			asked = append(asked, u)
		}
	}
	return string(out), said, asked
}

// TestReportInBrowser opens a report in the browser that TRAWL_TEST_BROWSER names, a
// Chromium: its script ran, its plots are drawn, its tables can be sorted, it asked for
// nothing and said nothing.
func TestReportInBrowser(t *testing.T) {
	browser := os.Getenv("TRAWL_TEST_BROWSER")
	if browser == "" {
		t.Skip("TRAWL_TEST_BROWSER does not name a Chromium")
	}
	flags := reportWorld(t, 20)
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "page")
	for _, first := range []string{"divinit", "standard"} {
		capture(t, append([]string{"run", "-k", "4", "--first-query", first, "--out", filepath.Join(dir, first)}, flags...)...)
	}
	page, _ := paged(t, out, filepath.Join(dir, "divinit"), filepath.Join(dir, "standard"))
	b := headless{browser, dir}
	dom, said, asked := b.open(t, filepath.Join(out, "index.html"))
	if len(said) > 0 || len(asked) > 0 {
		t.Errorf("the console says %q; it asked for %q", said, asked)
	}
	if n, drawn := strings.Count(page, "<svg"), len(regexp.MustCompile(`(?s)<svg.*?<(?:path|polyline|rect).*?</svg>`).FindAllString(dom, -1)); n < 5 || drawn != n {
		t.Errorf("%d of %d plots are drawn", drawn, n)
	}
	if !strings.Contains(page, "disabled") || regexp.MustCompile(`<button[^>]*disabled`).MatchString(dom) {
		t.Error("the script did not run: the heads of tables are no buttons")
	}
	open := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(page, "") // which would not run another script
	copied := filepath.Join(out, "clicked.html")
	if err := os.WriteFile(copied, []byte(strings.Replace(open, "</body>", clicked+"</body>", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	dom, _, _ = b.open(t, copied)
	var sorted, wrong int
	at := regexp.MustCompile(`data-clicked="[^"]*"`).FindString(dom)
	if n, _ := fmt.Sscanf(at, `data-clicked="%d sorted, %d wrong"`, &sorted, &wrong); n != 2 || sorted < 20 || wrong > 0 {
		t.Errorf("columns clicked: %q", at)
	}
}
