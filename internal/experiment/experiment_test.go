package experiment_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/experiment"
	"trawl/internal/testutil"
)

// head is what every experiment needs.
const head = "title: T\nasks: Which?\n"

func parse(t *testing.T, text string) *experiment.Experiment {
	t.Helper()
	x, err := experiment.Parse("some/dir/x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// place drops where settings stand, which TestPlaces looks at.
func place(s experiment.Settings) []string {
	var out []string
	for _, one := range s {
		out = append(out, one.String())
	}
	return out
}

func TestSettingsAsOverrides(t *testing.T) {
	x := parse(t, head+`
settings:
  models:
    agent: {temperature: 0.5, name: "a b", endpoints: ["http://h:1/v1", sim], extra: {chat: {thinking: false}}}
  agent:
    turns: 8
arms:
  - name: a
    settings: {rollout: {first-query: divinit}}
  - name: b
`)
	want := []string{
		"models.agent.temperature=0.5", `models.agent.name="a b"`, `models.agent.endpoints=["http://h:1/v1","sim"]`,
		`models.agent.extra={"chat":{"thinking":false}}`, "agent.turns=8",
	}
	if diff := cmp.Diff(want, place(x.Settings)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"rollout.first-query=divinit"}, place(x.Arms[0].Settings)); diff != "" {
		t.Errorf("settings of the arm (-want +got):\n%s", diff)
	}
	if x.Baseline != "a" || x.Name != "x" {
		t.Errorf("baseline %q, name %q; want a, x", x.Baseline, x.Name)
	}
}

func TestPlaces(t *testing.T) {
	x := parse(t, head+"arms:\n  - name: a\n    settings: {rollout: {count: 3}}\n")
	want := experiment.Settings{{Key: "rollout.count", Value: "3", Line: 5, Column: 33}}
	if diff := cmp.Diff(want, x.Arms[0].Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestVaryAddsArms(t *testing.T) {
	x := parse(t, head+`
arms:
  - name: a
    settings: {rollout: {count: 3, divinit: {lambda: 0}}}
  - name: b
vary: {key: rollout.divinit.lambda, values: [0.25, 1], of: [a]}
baseline: a-lambda-1
`)
	got := map[string][]string{}
	var names []string
	for _, a := range x.Arms {
		names = append(names, a.Name)
		got[a.Name] = place(a.Settings)
	}
	if diff := cmp.Diff([]string{"a", "b", "a-lambda-0.25", "a-lambda-1"}, names); diff != "" {
		t.Errorf("arms (-want +got):\n%s", diff)
	}
	want := map[string][]string{
		"a": {"rollout.count=3", "rollout.divinit.lambda=0"}, "b": nil,
		"a-lambda-0.25": {"rollout.count=3", "rollout.divinit.lambda=0.25"}, "a-lambda-1": {"rollout.count=3", "rollout.divinit.lambda=1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings by arm (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	const arms = "arms:\n  - name: a\n"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"x.yaml", "it is empty"}},
		{"two documents", head + arms + "---\ntitle: U\n", []string{"one YAML document"}},
		{"not YAML", "arms: [\n", []string{"[1:"}},
		{"no title", "asks: Which?\n" + arms, []string{"title is missing"}},
		{"no question", "title: T\n" + arms, []string{"asks is missing"}},
		{"no arms", head, []string{"arms is missing"}},
		{"unknown key", head + arms + "armz: 3\n", []string{"[5:1]", `unknown field "armz"`}},
		{"unknown key of an arm", head + "arms:\n  - name: a\n    setting: {}\n", []string{"[5:5]", `unknown field "setting"`}},
		{"repeated key", head + arms + "title: U\n", []string{"[5:1]", "already defined"}},
		{"wrong type", head + "arms: many\n", []string{"[3:7]", "many"}},
		{"settings that are none", head + "arms:\n  - name: a\n    settings: 3\n", []string{"[5:15]", "want keys with values"}},
		{"unnamed arm", head + "arms:\n  - settings: {}\n", []string{"the 1. has no name"}},
		{"a name that leaves the folder", head + "arms:\n  - name: ../a\n", []string{`"../a"`, "names a folder"}},
		{"a name with dots", head + "arms:\n  - name: a..b\n", []string{`"a..b"`}},
		{"a name with a blank", head + "arms:\n  - name: a b\n", []string{`"a b"`}},
		{"the folder of the report", head + "arms:\n  - name: report\n", []string{"report", "something else"}},
		{"two of one name", head + "arms:\n  - name: a\n  - name: a\n", []string{"two are called a"}},
		{"an arm that vary makes again", head + "arms:\n  - name: a\n  - name: a-k-1\nvary: {key: x.k, values: [1], of: [a]}\n", []string{"two are called a-k-1"}},
		{"vary of no arm", head + arms + "vary: {key: x.k, values: [1], of: [z]}\n", []string{"no arm z"}},
		{"vary of nothing", head + arms + "vary: {key: x.k}\n", []string{"want a key and values"}},
		{"a value that is no name", head + arms + "vary: {key: x.k, values: [a b]}\n", []string{`"a-k-a b"`}},
		{"baseline that is no arm", head + arms + "baseline: z\n", []string{"baseline: there is no arm z"}},
		{"select without selectors", head + arms + "select: {at: [1]}\n", []string{"select.selectors is missing"}},
		{"select at a fraction", head + arms + "select: {selectors: [first], at: [1.5]}\n", []string{"[5:35]", "a whole number", "1.5"}},
		{"select at zero", head + arms + "select: {selectors: [first], at: [0]}\n", []string{"[5:35]", "from 1"}},
		{"select of strange subsets", head + arms + "select: {selectors: [first], subsets: some}\n", []string{"want all", "some"}},
		{"select without arms", head + "simulate: {classes: [[1, 0]], at: [1]}\nselect: {selectors: [first]}\n", []string{"select: there are no arms"}},
		{"one fold", head + arms + "crossvalidate: {folds: 1}\n", []string{"folds: 1: want 2"}},
		{"ablated twice", head + arms + "crossvalidate: {ablate: [none, none]}\n", []string{"none is there twice"}},
		{"cross-validated on no arm", head + arms + "crossvalidate: {arm: z}\n", []string{`no arm "z"`}},
		{"classes that do not add up", head + "simulate: {classes: [[0.2, 0.5]], at: [1]}\n", []string{"[3:22]", "[0.2 0.5] add up to 0.7: want 1"}},
		{"classes that add up to more", head + "simulate:\n  at: [1]\n  classes:\n    - [1, 0]\n    - [0.8, 0.5]\n", []string{"[7:7]", "add up to 1.3"}},
		{"no chance", head + "simulate: {classes: [[1.5, 0]], at: [1]}\n", []string{"[3:23]", "1.5 is no chance"}},
		{"a chance below none", head + "simulate: {classes: [[0.5, -0.5]], at: [1]}\n", []string{"[3:28]", "is no chance"}},
		{"a chance that is no number", head + "simulate: {classes: [[.nan, 1]], at: [1]}\n", []string{"[3:23]", "is no chance"}},
		{"one chance", head + "simulate: {classes: [[1]], at: [1]}\n", []string{"[3:22]", "1 chances: want those of 2 to 16"}},
		{"a class that is none", head + "simulate: {classes: [0.5], at: [1]}\n", []string{"[3:22]", "want a list of chances"}},
		{"too many classes", head + "simulate: {classes: [" + strings.Repeat("[1, 0],", 17) + "], at: [1]}\n", []string{"simulate.classes: 17 are too many"}},
		{"too many answers", head + "simulate: {classes: [[1" + strings.Repeat(", 0", 16) + "]], at: [1]}\n", []string{"17 chances"}},
		{"too many votes", head + "simulate: {classes: [[1, 0]], at: [1, 4097]}\n", []string{"[3:39]", "4097 votes are too many: want 4096"}},
		{"a name that is no folder's", head + arms, []string{"call it something"}},
		{"pairs of one arm", head + arms + "pairs: [[em, em]]\n", []string{"pairs: there is no arm"}},
		{"a pair of one", head + arms + "  - name: b\npairs: [[em]]\n", []string{"[6:9]", "want two figures"}},
		{"a pair of no figure", head + arms + "  - name: b\npairs: [[majority, em]]\n", []string{"[6:9]", `no metric "majority"`}},
		{"a pair of unlike figures", head + arms + "  - name: b\npairs: [[tokens, em]]\n", []string{"[6:9]", "different units"}},
		{"select at some", head + arms + "select: {selectors: [first], at: some}\n", []string{"[5:34]", "or the word all"}},
		{"the folder of choices", head + "arms: [{name: choices}]\n", []string{"something else"}},
		{"simulated at nothing", head + "simulate: {classes: [[1, 0]]}\n", []string{"numbers of votes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := "x.yaml"
			if tt.name == "a name that is no folder's" {
				file = "dir/...yaml"
			}
			_, err := experiment.Parse(file, []byte(tt.text))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestHasAboveAndBelow(t *testing.T) {
	s, err := experiment.Leaves([]byte("rollout: {divinit: {pool: 3}}\nseed: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{
		"rollout.divinit.pool": true, "rollout.divinit": true, "rollout": true, "rollout.divinit.pool.x": true,
		"rollout.divinit.poo": false, "rollout.count": false, "see": false, "seed": true,
	} {
		if got := s.Has(key); got != want {
			t.Errorf("Has(%s) = %t, want %t", key, got, want)
		}
	}
}

// TestAddresses: an address with a port is one, also in the brackets of an arm.
func TestAddresses(t *testing.T) {
	x := parse(t, head+"arms:\n  - name: a\n    settings: {models: {agent: {endpoints: [http://127.0.0.1:8000/v1, http://h:2/v1], name: m}}}\n")
	want := []string{`models.agent.endpoints=["http://127.0.0.1:8000/v1","http://h:2/v1"]`, "models.agent.name=m"}
	if diff := cmp.Diff(want, place(x.Arms[0].Settings)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// TestAt: numbers are in order and each there once; all is however many there are.
func TestAt(t *testing.T) {
	for text, want := range map[string][]int{"": nil, ", at: all": {6}, ", at: [4, 1, 4]": {1, 4}} {
		x := parse(t, head+"arms: [{name: a}]\nselect: {selectors: [first]"+text+"}\n")
		if diff := cmp.Diff(want, []int(x.Select.At.Of(6))); diff != "" {
			t.Errorf("%q of 6 (-want +got):\n%s", text, diff)
		}
	}
}

// TestExample reads the file that configs/README.md shows.
func TestExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	x := parse(t, string(text))
	var names []string
	for _, a := range x.Arms {
		names = append(names, a.Name)
	}
	if diff := cmp.Diff([]string{"independent", "rounds", "independent-temperature-0.5"}, names); diff != "" {
		t.Errorf("arms (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]experiment.Pair{{Baseline: "majority@4", Arm: "em"}, {Baseline: "pass@4", Arm: "em"}}, x.Pairs); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	if x.Select == nil || x.CrossValidate == nil || x.Simulate == nil {
		t.Errorf("the example lacks a part: %+v", x)
	}
	shown, err := os.ReadFile(filepath.Join(testutil.Root(t), "configs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(shown), "```yaml\n"+string(text)+"```") {
		t.Error("configs/README.md shows something else")
	}
}

// TestBuiltIn reads all experiments that are built in: those that are known, and no
// others.
func TestBuiltIn(t *testing.T) {
	want := []string{
		"ablations", "cost", "divinit-lambda", "divinit-pool", "divinit-subset", "divinit-temperature", "divinit-turns", "overlap",
		"retrac", "selectors", "voting-gap",
	}
	if diff := cmp.Diff(want, experiment.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, name := range experiment.Names() {
		x, err := experiment.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if x.Name != name || !strings.Contains(x.Asks, "paper") && !strings.Contains(x.Asks, "reports") {
			t.Errorf("%s is called %s and says of its source: %q", name, x.Name, x.Asks)
		}
	}
}

// A file wins over one that is built in, and a folder of that name does not.
func TestOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("retrac", []byte(head+"arms: [{name: mine}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("cost", 0o700); err != nil {
		t.Fatal(err)
	}
	x, err := experiment.Open("retrac")
	if err != nil || x.Arms[0].Name != "mine" {
		t.Errorf("retrac is %+v, %v; want that of the file", x, err)
	}
	if x, err := experiment.Open("cost"); err != nil || x.Select == nil {
		t.Errorf("cost is %+v, %v; want the one that is built in", x, err)
	}
	_, err = experiment.Open(filepath.Join("no", "where.yaml"))
	if err == nil || !strings.Contains(err.Error(), "divinit-lambda") {
		t.Errorf("error %v, want the names that there are", err)
	}
}

// FuzzParse: an experiment is read or refused, and one that is read has arms of
// distinct names, or simulates.
func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "arms:\n  - name: a\n    settings: {a: [1, {b: c}]}\nvary: {key: a.b, values: [x, 1]}\n"))
	f.Add([]byte(head + "simulate: {classes: [[0.5, 0.5]], at: [1]}\n"))
	f.Add([]byte("title: &a T\nasks: *a\narms: [{name: a, settings: {<<: {b: 1}}}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := experiment.Parse("x.yaml", text)
		if err != nil {
			return
		}
		var names []string
		for _, a := range x.Arms {
			names = append(names, a.Name)
		}
		slices.Sort(names)
		if len(slices.Compact(names)) != len(x.Arms) || len(x.Arms) == 0 && x.Simulate == nil {
			t.Errorf("arms %v of %+v", names, x)
		}
	})
}
