package aggregate

import (
	"regexp"
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
)

// said returns what a reply says outside its thinking. If that is nothing, it is
// the answer that the server took for reasoning.
func said(resp *llm.Response) string {
	r := reply.Parse(resp, reply.Native)
	switch {
	case r.Full != "":
		return r.Full
	case r.Tagged:
		return "<answer>" + r.Answer + "</answer>"
	}
	return r.Answer
}

var sections = map[string]*regexp.Regexp{"answer": section("answer"), "explanation": section("explanation")}

// section matches what stands between the opening and the closing tag of a name.
func section(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)<\s*` + name + `\s*>(.*?)<\s*\\?/\s*` + name + `\s*>`)
}

// tagged returns the contents of the complete tags of a name, in order; of tags
// inside each other that of the innermost.
func tagged(s, name string) []string {
	var out []string
	for _, m := range sections[name].FindAllStringSubmatch(s, -1) {
		body := m[1]
		if i := lastOpen(body, name); i >= 0 {
			body = body[i:]
		}
		out = append(out, strings.TrimSpace(body))
	}
	return out
}

var openTags = map[string]*regexp.Regexp{"answer": openTag("answer"), "explanation": openTag("explanation")}

func openTag(name string) *regexp.Regexp { return regexp.MustCompile(`(?i)<\s*` + name + `\s*>`) }

// lastOpen returns where the last opening tag of a name in s ends, -1 if there
// is none.
func lastOpen(s, name string) int {
	all := openTags[name].FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][1]
}

// taggedAnswer returns the content of the first complete answer tag that is an
// answer, "" if there is none. (SEL A.2, SolAgg)
func taggedAnswer(s string) string {
	for _, body := range tagged(s, "answer") {
		if a := clean(body); a != "" {
			return a
		}
	}
	return ""
}

// answerOpenings begin a line that states the answer.
var answerOpenings = []string{"the correct answer is:", "the answer is:", "final answer:", "answer:"}

// statedAnswer returns the tagged answer or, without one, what the first line
// states that begins with one of answerOpenings, without Markdown's bold and a
// full stop at its end. (SEL A.2, SummAgg)
func statedAnswer(s string) string {
	if a := taggedAnswer(s); a != "" {
		return a
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "**", ""))
		i := slices.IndexFunc(answerOpenings, func(o string) bool {
			return len(line) >= len(o) && strings.EqualFold(line[:len(o)], o)
		})
		if i < 0 {
			continue
		}
		if a := clean(strings.TrimSuffix(strings.TrimSpace(line[len(answerOpenings[i]):]), ".")); a != "" {
			return a
		}
	}
	return ""
}

// clean returns an answer as it is recorded, "" for one that is none, as the
// prompt's example is.
func clean(s string) string {
	if a := reply.Clean(s); !strings.EqualFold(a, words("placeholder", nil)) {
		return a
	}
	return ""
}

var (
	reportTag = regexp.MustCompile(`(?i)<\s*report\s*>`)
	reportEnd = regexp.MustCompile(`(?i)<\s*\\?/\s*report\s*>`)
)

// reportOf returns the report of a reply: what its tags hold, to the end if they
// are not closed, or the whole text if there are none.
func reportOf(s string) string {
	if open := reportTag.FindStringIndex(s); open != nil {
		s = s[open[1]:]
	}
	if end := reportEnd.FindStringIndex(s); end != nil {
		s = s[:end[0]]
	}
	return strings.TrimSpace(s)
}

// solutionLines match the sections of a solution that has no tags.
var solutionLines = regexp.MustCompile(`(?im)^[\s*#_>-]*(explanation|exact answer|confidence)[\s*_]*:[*_]*`)

// A solution is what AggAgent finishes with.
type solution struct {
	explanation string
	answer      string
	verbatim    string
}

// solutionOf reads a solution: its sections in tags, or in lines that begin with
// "Explanation:" and "Exact Answer:". ok is false if either is empty.
func solutionOf(s string) (sol solution, ok bool) {
	explanation, answer := lineSections(s)
	sol = solution{
		explanation: firstText(append(tagged(s, "explanation"), explanation)),
		answer:      firstText(append(tagged(s, "answer"), answer)),
		verbatim:    s,
	}
	return sol, sol.explanation != "" && sol.answer != "" && !strings.EqualFold(sol.answer, words("placeholder", nil))
}

// lineSections returns what follows the lines, each up to the next of them.
func lineSections(s string) (explanation, answer string) {
	all := solutionLines.FindAllStringSubmatchIndex(s, -1)
	for i, m := range all {
		end := len(s)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		body := strings.TrimSpace(s[m[1]:end])
		switch name := strings.ToLower(s[m[2]:m[3]]); {
		case name == "explanation" && explanation == "":
			explanation = body
		case name == "exact answer" && answer == "":
			answer = body
		}
	}
	return explanation, answer
}

func firstText(texts []string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// text returns the answer that a solution states: the first line of its answer
// that says something, else the solution as it is. (SEL A.2, AggAgent)
func (s solution) text() string {
	for line := range strings.Lines(s.answer) {
		if a := clean(line); a != "" {
			return a
		}
	}
	return clean(s.verbatim)
}
