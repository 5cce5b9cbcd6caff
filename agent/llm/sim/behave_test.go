package sim_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"trawl/agent/llm/sim"
	"trawl/internal/seed"
	"trawl/internal/testutil"
	"trawl/internal/text"
)

// articles are a small world by hand, with near neighbours for every name.
var articles = [][2]string{
	{"The Silent Harbor", "The Silent Harbor is a 1951 drama film. The Silent Harbor was directed by Anna Berg. Rosa Lind wrote the script."},
	{"The Silent Garden", "The Silent Garden is a 1948 film directed by Otto Kern."},
	{"Winter Bell", "Winter Bell is a 1961 film. It was directed by Emil Voss. Winter Bell is based on the novel The Long Ferry."},
	{"The Long Ferry", "The Long Ferry is a novel by Ida Holm, published in 1940. Otto Kern illustrated it."},
	{"Anna Berg", "Anna Berg (born 12 March 1920 in Kelmore) was a film director. Berg was employed by Nordlicht Films. She admired Otto Kern."},
	{"Anna Berger", "Anna Berger (born 1 May 1931 in Lundby) was a botanist. She worked for Oak Motors."},
	{"Emil Voss", "Emil Voss (born 4 June 1931) was a film director. He was born and raised in Lundby. He studied at Norwald University."},
	{"Otto Kern", "Otto Kern (born 9 July 1900 in Stanlea) was a painter. Kern was employed by Oak Motors."},
	{"Ida Holm", "Ida Holm (born 2 May 1911) was a novelist. Born in Kelmore, Holm grew up in a family of teachers. She studied at Norwald University."},
	{"Rosa Lind", "Rosa Lind (born 7 April 1899) was an industrialist. She founded Nordlicht Films. Lind was born in Lundby."},
	{"Nordlicht Films", "Nordlicht Films is a company headquartered in Lundby. It was founded by Rosa Lind in 1925. Karl Dahl was its first clerk."},
	{"Oak Motors", "Oak Motors is a company founded in 1928 by Karl Dahl. Its head office is in Stanlea."},
	{"Norwald University", "Norwald University is a university located in Stanlea. It was founded in 1846."},
	{"Kelmore", "Kelmore is a city in Millora. The city stands on the banks of the Elm River."},
	{"Lundby", "Lundby is an old market city of Arland. Karl Dahl serves as mayor of Lundby."},
	{"Stanlea", "Stanlea is a city in Millora. Ada Ulberg was elected mayor of the city."},
	{"Elm River", "The Elm River is a river 812 kilometres long. It springs from the slopes of Mount Oakby."},
}

var quiz = []struct{ question, answer string }{
	{"Who founded the company that employed the director of The Silent Harbor?", "Rosa Lind"},
	{"In which country was the author of the novel on which Winter Bell is based born?", "Millora"},
	{"Who is the mayor of the city where the director of Winter Bell was born?", "Karl Dahl"},
	{"How many kilometres long is the river that flows through the birthplace of Anna Berg?", "812"},
	{"Which person born in Kelmore studied at Norwald University?", "Ida Holm"},
	{"Which film was released first, The Silent Harbor or The Silent Garden?", "The Silent Garden"},
	{"Were Anna Berg and Ida Holm born in the same city?", "yes"},
	{"When was the director of The Silent Harbor born?", "12 March 1920"},
}

func smallWorld() *index {
	var titles, texts []string
	for _, a := range articles {
		titles, texts = append(titles, a[0]), append(texts, a[1])
	}
	return newIndex(titles, texts)
}

// TestSkillOrder plays the quiz with every skill: the more able, the more often
// right, and more rollouts find more answers.
func TestSkillOrder(t *testing.T) {
	world := smallWorld()
	const rollouts = 25 // by eight questions: 200 seeds
	var mean, pass []float64
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		right, covered := 0, 0
		for _, q := range quiz {
			got := 0
			for k := range rollouts {
				answer, _, _ := rollout(t, h, world, q.question, "", seed.Derive(42, q.question, k), 1, 8)
				if text.Answer(answer) == text.Answer(q.answer) {
					got++
				}
			}
			right += got
			if got > 0 {
				covered++
			}
		}
		mean = append(mean, float64(right)/float64(rollouts*len(quiz)))
		pass = append(pass, float64(covered)/float64(len(quiz)))
	}
	t.Logf("right: small %.3f, base %.3f, large %.3f; within %d rollouts %.2f, %.2f, %.2f", mean[0], mean[1], mean[2], rollouts, pass[0], pass[1], pass[2])
	if !(mean[0] < mean[1] && mean[1] < mean[2]) {
		t.Errorf("right by skill %v, want rising", mean)
	}
	for i := range pass {
		if pass[i] <= mean[i] {
			t.Errorf("skill %d: %v of the questions within %d rollouts, no more than %v in one", i, pass[i], rollouts, mean[i])
		}
	}
}

// TestGreedy checks that at temperature 0 only the wording of the first query
// depends on the seed, and that an able model then reads a short chain right.
func TestGreedy(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large})
	world := smallWorld()
	question := quiz[7].question
	first, _, _ := rollout(t, h, world, question, "The Silent Harbor director", 1, 0, 8)
	for s := range int64(20) {
		if answer, _, _ := rollout(t, h, world, question, "The Silent Harbor director", s, 0, 8); answer != first {
			t.Errorf("seed %d: %q at temperature 0, seed 1 gave %q", s, answer, first)
		}
	}
}

// TestAnswersAreShown checks that answers to chains are made of words of the
// conversation, whatever goes wrong.
func TestAnswersAreShown(t *testing.T) {
	world := smallWorld()
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		for _, q := range quiz[:5] {
			for k := range 20 {
				answer, _, messages := rollout(t, h, world, q.question, "", seed.Derive(7, q.question, k), 1.5, 6)
				shown := ""
				for _, m := range messages[:len(messages)-1] {
					shown += m["content"].(string) + "\n"
				}
				if answer != "" && !strings.Contains(shown, answer) {
					t.Errorf("%s, %s: answer %q stands in no message", skill, q.question, answer)
				}
			}
		}
	}
}

// TestDeterminism sends the same requests from many goroutines: a reply depends
// on its request alone.
func TestDeterminism(t *testing.T) {
	h := sim.New(sim.Options{})
	body := func(i int) msg {
		docs := smallWorld().show(quiz[i%len(quiz)].question, 10)
		return msg{"seed": i / 4, "messages": []msg{
			{"role": "user", "content": "Question: " + quiz[i%len(quiz)].question},
			{"role": "assistant", "content": "<search>x</search>"}, {"role": "user", "content": docs}}}
	}
	want := make([]string, 50)
	for i := range want {
		want[i] = post(t, h, "/v1/chat/completions", body(i)).Body.String()
	}
	other := sim.New(sim.Options{})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if got := post(t, other, "/v1/chat/completions", body(i%50)).Body.String(); got != want[i%50] {
				t.Errorf("request %d: %s\nthen %s", i%50, want[i%50], got)
			}
		})
	}
	wg.Wait()
}

// distance returns the mean pairwise Jaccard distance of queries.
func distance(queries []string) float64 {
	sum, n := 0.0, 0
	for i := range queries {
		for j := range i {
			sum += text.Tokens(queries[i]).Distance(text.Tokens(queries[j]))
			n++
		}
	}
	return sum / float64(n)
}

// farthest picks k of the queries by max-min distance.
func farthest(queries []string, k int) []string {
	d := func(a, b string) float64 { return text.Tokens(a).Distance(text.Tokens(b)) }
	var picked []string
	best := -1.0
	for i, a := range queries {
		for _, b := range queries[:i] {
			if d(a, b) > best {
				best, picked = d(a, b), []string{a, b}
			}
		}
	}
	for len(picked) < k {
		next, far := "", -1.0
		for _, c := range queries {
			near := 2.0
			for _, p := range picked {
				near = min(near, d(c, p))
			}
			if near > far {
				next, far = c, near
			}
		}
		picked = append(picked, next)
	}
	return picked
}

// questions of the quiz and of the kinds that data sets have.
func manyQuestions() []string {
	out := []string{
		"What is the place of birth of the performer of song Changed It?",
		"In what political party was the man who officially opened the Royal Spa Centre in 1972?",
		"Which museum was established first, Museum Of Croatian Archaeological Monuments or Bayernhof Music Museum?",
		"When was the company founded for which Kathi-Anne Reinstein resigned to be a lobbyist?",
	}
	for _, q := range quiz {
		out = append(out, q.question)
	}
	return out
}

// TestAnchorCollapse checks the distances of first queries that rollouts choose
// for themselves: near-identical, and further apart the higher the temperature.
func TestAnchorCollapse(t *testing.T) {
	h := sim.New(sim.Options{})
	at := func(temperature float64) float64 {
		sum := 0.0
		for _, q := range manyQuestions() {
			var queries []string
			for s := range 16 {
				content, _, _ := call(t, h, msg{"seed": s, "temperature": temperature, "messages": []msg{{"role": "user", "content": "Question: " + q}}})
				if query, ok := between(content, "<search>", "</search>"); ok {
					queries = append(queries, query)
				}
			}
			sum += distance(queries)
		}
		return sum / float64(len(manyQuestions()))
	}
	cold, warm, hot := at(0), at(1), at(2)
	t.Logf("mean distance %.3f at 0, %.3f at 1, %.3f at 2", cold, warm, hot)
	if !(cold < warm && warm < hot) {
		t.Errorf("distances %v, %v, %v, want rising", cold, warm, hot)
	}
	if cold < 0.09 || cold > 0.17 || warm < 0.15 || warm > 0.25 {
		t.Errorf("distances %.3f and %.3f, want about 0.13 and 0.20", cold, warm)
	}
}

// unquote takes the quotes off a query.
var unquote = strings.NewReplacer("\"", "")

// pool asks for n queries and reads the list.
func pool(t testing.TB, content string) []string {
	t.Helper()
	var out []string
	for line := range strings.SplitSeq(content, "\n") {
		query := strings.TrimLeft(strings.TrimSpace(line), "0123456789.)- ")
		if query = unquote.Replace(query); query != "" && !strings.HasPrefix(query, "Here are") {
			out = append(out, query)
		}
	}
	return out
}

func TestPool(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large})
	ask := func(q string, n, s int, more string) []string {
		content, _, _ := call(t, h, msg{"seed": s, "messages": []msg{{"role": "user", "content": fmt.Sprintf("Write exactly %d search queries for it.%s\n\nQuestion: %s\n\nReply with %d lines.", n, more, q, n)}}})
		return pool(t, content)
	}
	sum := 0.0
	for _, q := range manyQuestions() {
		queries := ask(q, 16, 2, "")
		if len(queries) < 8 || len(queries) > 16 {
			t.Errorf("%s: %d queries", q, len(queries))
		}
		sum += distance(farthest(queries, 4))
		have := "\n\nAlready have:\n- " + strings.Join(queries[:3], "\n- ")
		for _, more := range ask(q, 4, 2, have) {
			for _, old := range queries[:3] {
				if text.Tokens(more).Distance(text.Tokens(old)) == 0 {
					t.Errorf("%s: %q again", q, more)
				}
			}
		}
	}
	mean := sum / float64(len(manyQuestions()))
	t.Logf("mean distance of four picked queries %.3f", mean)
	if mean < 0.78 || mean > 0.95 {
		t.Errorf("mean distance of four picked queries %.3f, want about 0.85", mean)
	}
}

// TestPoolForms checks that models miss the form of the list, the less able
// more often.
func TestPoolForms(t *testing.T) {
	var missed []int
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		n := 0
		for s := range 100 {
			content, _, _ := call(t, h, msg{"seed": s, "messages": []msg{{"role": "user", "content": "Write exactly 6 search queries.\n\n" + harborQuestion}}})
			for i, line := range strings.Split(content, "\n") {
				if i >= 6 || !strings.HasPrefix(line, fmt.Sprintf("%d. ", i+1)) {
					n++
					break
				}
			}
		}
		missed = append(missed, n)
	}
	if !(missed[0] > missed[1] && missed[1] > missed[2] && missed[2] > 0) {
		t.Errorf("lists of 100 that miss the form, by skill: %v, want falling", missed)
	}
}

// TestMultihop shows the paragraphs that support each of 601 real questions,
// among neighbours, and asks for the final answer. It is a floor for the rules,
// not a result.
func TestMultihop(t *testing.T) {
	corpus := map[string]string{}
	eachLine(t, "multihop_601/corpus.jsonl", func(line []byte) {
		var d struct{ ID, Contents string }
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		title, body, _ := strings.Cut(d.Contents, "\n")
		corpus[d.ID] = "(Title: " + strings.Trim(title, `"`) + ") " + text.Collapse(body)
	})
	h := sim.New(sim.Options{})
	n, right := 0, 0
	eachLine(t, "multihop_601/questions.jsonl", func(line []byte) {
		var q struct {
			Question string
			Golds    []string `json:"golden_answers"`
			Metadata struct {
				Supporting []string `json:"supporting_docids"`
			}
		}
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		n++
		if contains(q.Golds, finalAnswer(t, h, q.Question, neighbours(corpus, q.Metadata.Supporting))) {
			right++
		}
	})
	em := float64(right) / float64(n)
	t.Logf("exact match %.3f over %d questions", em, n)
	if em < 0.10 || em > 0.5 {
		t.Errorf("exact match %.3f, want at least 0.10", em)
	}
}

func contains(golds []string, answer string) bool {
	for _, g := range golds {
		if text.Answer(g) == text.Answer(answer) {
			return true
		}
	}
	return false
}

// neighbours returns the documents with those around them in the corpus, which
// are the distractors of the same question.
func neighbours(corpus map[string]string, ids []string) []string {
	var docs []string
	seen := map[string]bool{}
	for _, id := range ids {
		var n int
		fmt.Sscan(id, &n)
		for i := n - 2; i <= n+2; i++ {
			near := fmt.Sprint(i)
			if doc, ok := corpus[near]; ok && !seen[near] {
				seen[near] = true
				docs = append(docs, fmt.Sprintf("Doc %d%s", len(docs)+1, doc))
			}
		}
	}
	return docs
}

func finalAnswer(t *testing.T, h http.Handler, question string, docs []string) string {
	content, _, _ := call(t, h, msg{"seed": 1, "temperature": 0, "messages": []msg{
		{"role": "user", "content": "Question: " + text.Collapse(question)},
		{"role": "assistant", "content": "<search>x</search>"},
		{"role": "user", "content": "<information>\n" + strings.Join(docs, "\n") + "\n</information>\n\nGive your final answer in <answer> tags."}}})
	answer, _ := between(content, "<answer>", "</answer>")
	return answer
}

func eachLine(t *testing.T, name string, f func(line []byte)) {
	t.Helper()
	file, err := os.Open(testutil.Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestLoad checks that the skill for load makes every turn that it has, each
// with a query of its own.
func TestLoad(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Load})
	answer, queries, _ := rollout(t, h, smallWorld(), quiz[0].question, "", 1, 1, 6)
	slices.Sort(queries)
	if distinct := len(slices.Compact(queries)); distinct != 5 || answer == "" {
		t.Errorf("%d distinct queries and the answer %q, want 5 and one", distinct, answer)
	}
}
