package divinit_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/rollout/divinit"
)

func TestParse(t *testing.T) {
	two := []string{"Titanic film director", "James Cameron born"}
	tests := []struct {
		name  string
		reply string
		want  []string
	}{
		{"number and point", "1. Titanic film director\n2. James Cameron born", two},
		{"number and bracket", "1) Titanic film director\n2) James Cameron born", two},
		{"number in brackets", "(1) Titanic film director\n[2] James Cameron born", two},
		{"number and colon", "1: Titanic film director\n2: James Cameron born", two},
		{"number and dash", "1 - Titanic film director\n2 – James Cameron born", two},
		{"no blank behind the number", "1.Titanic film director\n2)James Cameron born", two},
		{"label", "Query 1: Titanic film director\nSearch query #2: James Cameron born", two},
		{"bullets", "- Titanic film director\n* James Cameron born", two},
		{"round bullets", "• Titanic film director\n•James Cameron born", two},
		{"plain", "Titanic film director\nJames Cameron born", two},
		{"CRLF and blank lines", "1. Titanic film director\r\n\r\n\r\n2. James   Cameron\tborn\r\n", two},
		{"straight quotes", "1. \"Titanic film director\"\n2. 'James Cameron born'", two},
		{"curly quotes", "1. “Titanic film director”\n2. ‘James Cameron born’", two},
		{"other quotes", "1. «Titanic film director»\n2. `James Cameron born`", two},
		{"quote without a partner", "1. \"Titanic film director\n2. James Cameron born\"", two},
		{"bold", "**1.** Titanic film director\n2. **James Cameron born**", two},
		{"bold number and query", "**1. Titanic film director**\n**2. James Cameron born**", two},
		{"bold label", "1. **The film:** Titanic film director\n2. **The man**: \"James Cameron born\"", two},
		{"reasons", "1. \"Titanic film director\" - finds the film\n2. **James Cameron born** (his birth)", two},
		{"search tags", "1. <search>Titanic film director</search>\n<search>James Cameron born</search>", two[:1]},
		{"preamble and closing", "Sure! Here are 2 search queries:\n\n1. Titanic film director\n2. James Cameron born\n\nLet me know if you need more.", two},
		{"talk around a plain list", "Here are the queries you asked for.\nTitanic film director\nJames Cameron born\nI hope this helps!", two},
		{"heading", "## Search queries\n**Queries:**\nTitanic film director\nJames Cameron born", two},
		{"explanations under numbers", "1. Titanic film director\n   - finds the film\n2. James Cameron born\n   - finds the man\n3. 70th Academy Awards", append(two[:2:2], "70th Academy Awards")},
		{"thinking", "<think>\n1. I should not be read\n</think>\n1. Titanic film director\n2. James Cameron born", two},
		{"thinking that was opened by the template", "maybe this one\n</think>\n1. Titanic film director\n2. James Cameron born", two},
		{"thinking without end", "<think>\n1. never a query\n2. nor this", nil},
		{"JSON list", `["Titanic film director", "James Cameron born"]`, two},
		{"JSON in a fence", "```json\n[\n  \"Titanic film director\",\n  \"James Cameron born\"\n]\n```", two},
		{"JSON objects", `{"queries": [{"query": "Titanic film director"}, {"query": "James Cameron born"}]}`, two},
		{"JSON that breaks off", `["Titanic film director", "James Cameron born", "Academy Aw`, two},
		{"JSON lines of another tongue", "\"Titanic film director\",\n\"James Cameron born\",", two},
		{"year is no number", "1. 1998 Best Picture winner\n2. 2001: A Space Odyssey director", []string{"1998 Best Picture winner", "2001: A Space Odyssey director"}},
		{"names that look numbered", "3:10 to Yuma director\n7-Eleven founder\n2.5 mm jack\n2. Bundesliga champion 1995\nAC/DC singer", []string{"3:10 to Yuma director", "7-Eleven founder", "2.5 mm jack", "2. Bundesliga champion 1995", "AC/DC singer"}},
		{"quotes inside", "1. \"Titanic\" film director\n2. \"Avatar\" or \"Aliens\"", []string{`"Titanic" film director`, `"Avatar" or "Aliens"`}},
		{"apostrophe", "1. James Cameron's wives\n2. the Beatles' drummer", []string{"James Cameron's wives", "the Beatles' drummer"}},
		{"too short", "1. abc\n2. abcd\n3. ?????\n4.\n5. 東京\n6. 東京都知事", []string{"abcd", "東京都知事"}},
		{"too long", "1. " + strings.Repeat("word ", 80) + "\n2. James Cameron born", two[1:]},
		{"Chinese", "1. 泰坦尼克号导演\n2. 「詹姆斯卡梅隆」", []string{"泰坦尼克号导演", "詹姆斯卡梅隆"}},
		{"bracketed year", "1. Titanic [1997] cast\n2. [1997] best picture", []string{"Titanic [1997] cast", "[1997] best picture"}},
		{"a tool call's marks", "<tool_call>\nTitanic film director\nJames Cameron born\n</tool_call>", two},
		{"nothing", "", nil},
		{"refusal is a line like any other", "I cannot search.", []string{"I cannot search."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := divinit.Parse(tt.reply, 16)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseStopsAtN(t *testing.T) {
	got := divinit.Parse("1. first query\n2. ab\n3. third query\n4. fourth query", 2)
	if diff := cmp.Diff([]string{"first query", "third query"}, got); diff != "" {
		t.Errorf("Parse mismatch (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"1. a query\n2) other \"query\"", `{"queries":["a b c", 1, {"q":"x y z"}`, "<think>x</think>- **a**: b c d", "\xff1. \x00abcd", "[[[[", "**", "``````", "1.\n\n1.",
	} {
		f.Add(s, 4)
	}
	f.Fuzz(func(t *testing.T, reply string, n int) {
		got := divinit.Parse(reply, n)
		if len(got) > max(n, 0) {
			t.Errorf("%d queries, want at most %d", len(got), n)
		}
		for _, q := range got {
			if utf8.RuneCountInString(q) < 4 || strings.ContainsAny(q, "\n\r") || strings.TrimSpace(q) != q {
				t.Errorf("Parse(%q) has %q", reply, q)
			}
		}
	})
}
