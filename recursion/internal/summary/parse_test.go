package summary_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trawl/internal/testutil"
	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// sections returns what Parse reads, as JSON without what it does not set.
func sections(t testing.TB, s trajectory.State) string {
	t.Helper()
	data, err := json.MarshalIndent(struct {
		CurrentAnswer *string
		Facts         []trajectory.Fact
		Conclusions   []trajectory.Conclusion
		Sources       []trajectory.Source
		Uncertainties []string
		Failed        []string
		Uncompleted   []string
		Discarded     []string
		Conflicts     []string `json:",omitempty"`
		Repairs       []string
	}{s.CurrentAnswer, s.Facts, s.Conclusions, s.Sources, s.Uncertainties, s.Failed, s.Uncompleted, s.Discarded, s.Conflicts, s.Repairs}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

// Summaries as models write them, and what is read of them.
func TestParseGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/states/*.txt")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d summaries (%v)", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			testutil.Golden(t, "states/"+name+".json", sections(t, summary.Parse(string(raw))))
		})
	}
}
