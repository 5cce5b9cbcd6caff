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

// TestReportInBrowser opens a report in the browser that TRAWL_TEST_BROWSER names, a
// Chromium: its script ran, its plots are drawn, it asked for nothing and said nothing.
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

	log := filepath.Join(dir, "net.json")
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
		"--disable-background-networking", "--disable-component-update", "--no-first-run", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--log-net-log="+log, "--dump-dom", "file://"+filepath.Join(out, "index.html"))
	var said strings.Builder
	cmd.Stderr = &said
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	for line := range strings.SplitSeq(said.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the console says %s", line)
		}
	}
	if n, drawn := strings.Count(page, "<svg"), len(regexp.MustCompile(`(?s)<svg.*?<(?:path|polyline|rect).*?</svg>`).FindAllString(string(dom), -1)); n < 5 || drawn != n {
		t.Errorf("%d of %d plots are drawn", drawn, n)
	}
	if !strings.Contains(page, "disabled") || regexp.MustCompile(`<button[^>]*disabled`).Match(dom) {
		t.Error("the script did not run: the heads of tables are no buttons")
	}
	asked, err := os.ReadFile(log)
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
	if err := json.Unmarshal(asked, &net); err != nil {
		t.Fatal(err)
	}
	for _, e := range net.Events {
		if u := e.Params.URL; strings.HasPrefix(u, "http") && !ownRequest.MatchString(u) {
			t.Errorf("it asked for %s", u)
		}
	}
}
