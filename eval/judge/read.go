package judge

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"trawl/internal/text"
)

// The fields of a reply in lines, and the keys of one in JSON.
const (
	keyExtracted  = "extracted_final_answer"
	keyReasoning  = "reasoning"
	keyCorrect    = "correct"
	keyConfidence = "confidence"
)

// ornaments are what Markdown and careful writers put around a word.
const ornaments = " \t\r\n*_`#>\"'“”‘’()[]{}|.,;:!-"

// fieldLine matches the beginning of a field, whatever Markdown is around its name.
var fieldLine = regexp.MustCompile(`(?im)^[\s*_#>"'\x60-]*(?:\d+[.)]\s*)?[\s*_"'\x60]*(extracted[_ ]final[_ ]answer|reasoning|correct|confidence)[\s*_"'\x60]*[:：]`)

// readLines reads a reply of four fields, or one that has the same fields in JSON.
// The verdict is the first word behind "correct:" at the beginning of a line.
func readLines(said string) (Ruling, bool) {
	if r, ok := readObject(said); ok {
		return r, true
	}
	var r Ruling
	verdicts := map[Verdict]bool{}
	all := fieldLine.FindAllStringSubmatchIndex(said, -1)
	for i, m := range all {
		end := len(said)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		body := said[m[1]:end]
		switch name := strings.ToLower(strings.ReplaceAll(said[m[2]:m[3]], " ", "_")); name {
		case keyExtracted:
			r.Extracted = bare(body)
		case keyReasoning:
			r.Reasoning = text.Collapse(body)
		case keyConfidence:
			r.Confidence = percent(body)
		case keyCorrect:
			verdicts[yesNo(body)] = true
		}
	}
	return decided(r, verdicts)
}

// decided gives r the verdict, if there is one and no other.
func decided(r Ruling, verdicts map[Verdict]bool) (Ruling, bool) {
	if len(verdicts) != 1 || verdicts[""] {
		return Ruling{}, false
	}
	r.Verdict = Incorrect
	if verdicts[Correct] {
		r.Verdict = Correct
	}
	return r, true
}

// word matches a whole word; a hyphen or an apostrophe goes on with it.
var word = regexp.MustCompile(`[\pL\pN]+(?:[-'’][\pL\pN]+)*`)

// yesNo reads the line of a verdict: its first word is yes or no, and the other
// of the two is not on the line.
func yesNo(body string) Verdict {
	line, _, _ := strings.Cut(strings.TrimLeft(body, " \t\r\n"), "\n")
	said := map[string]bool{}
	first := ""
	for _, w := range word.FindAllString(line, -1) {
		w = strings.ToLower(w)
		said[w] = true
		if first == "" {
			first = w
		}
	}
	switch {
	case said["yes"] && said["no"]:
		return ""
	case first == "yes":
		return Correct
	case first == "no":
		return Incorrect
	}
	return ""
}

// readObject reads a reply that is a JSON object, alone or in a Markdown fence.
func readObject(said string) (Ruling, bool) {
	var o struct {
		Extracted  any    `json:"extracted_final_answer"`
		Reasoning  any    `json:"reasoning"`
		Correct    string `json:"correct"`
		Confidence any    `json:"confidence"`
	}
	if json.Unmarshal([]byte(unfenced(said)), &o) != nil {
		return Ruling{}, false
	}
	r := Ruling{Extracted: bare(asText(o.Extracted)), Reasoning: text.Collapse(asText(o.Reasoning)), Confidence: percent(asText(o.Confidence))}
	switch strings.ToLower(strings.TrimSpace(o.Correct)) {
	case "yes":
		return decided(r, map[Verdict]bool{Correct: true})
	case "no":
		return decided(r, map[Verdict]bool{Incorrect: true})
	}
	return Ruling{}, false
}

// asText returns what a model wrote where a text was asked for.
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// fence matches a reply that is one fenced block.
var fence = regexp.MustCompile("(?s)^```[a-zA-Z]*\\s*\n(.*?)\n?\\s*```$")

func unfenced(said string) string {
	said = strings.TrimSpace(said)
	if m := fence.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return said
}

// readLast reads a reply whose last line is a verdict.
func readLast(said string) (Ruling, bool) {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := len(lines) - 1
	for last > 0 && strings.Trim(lines[last], ornaments) == "" { // the end of a fence
		last--
	}
	v, ok := oneWord[verdictOf(lines[last])]
	if !ok {
		return Ruling{}, false
	}
	return Ruling{Verdict: v.verdict, Reasoning: text.Collapse(strings.Join(lines[:last], " ")), Reason: v.reason}, true
}

// A meaning is what a word says of an answer.
type meaning struct {
	verdict Verdict
	reason  string
}

// The words that are verdicts, in lower case: nothing else is one.
var (
	oneWord = map[string]meaning{"correct": {verdict: Correct}, "incorrect": {verdict: Incorrect}}

	notAttempted = meaning{Incorrect, "the answer is not attempted"}
	grades       = map[string]meaning{
		"a": {verdict: Correct}, "a: correct": {verdict: Correct}, "correct": {verdict: Correct},
		"b": {verdict: Incorrect}, "b: incorrect": {verdict: Incorrect}, "incorrect": {verdict: Incorrect},
		"c": notAttempted, "c: not attempted": notAttempted, "not attempted": notAttempted,
	}
)

// readWord returns the reader of replies in which a line is one of the words.
// Several such lines have to say the same.
func readWord(set map[string]meaning) func(string) (Ruling, bool) {
	return func(said string) (Ruling, bool) {
		found := map[meaning]bool{}
		var last meaning
		for line := range strings.Lines(said) {
			if m, ok := set[verdictOf(line)]; ok {
				found[m], last = true, m
			}
		}
		if len(found) != 1 {
			return Ruling{}, false
		}
		return Ruling{Verdict: last.verdict, Reason: last.reason}, true
	}
}

// label matches what announces a verdict.
var label = regexp.MustCompile(`^(?:(?:the|my|final) )*(?:verdict|judge?ment|grade|answer|rating)(?: is)?[\s*_]*:[\s*_]*`)

// verdictOf returns a line in lower case, without what is around a verdict.
func verdictOf(line string) string {
	s := strings.ToLower(strings.Trim(line, ornaments))
	if rest := label.ReplaceAllString(s, ""); rest != s {
		s = strings.Trim(rest, ornaments)
	}
	return strings.ReplaceAll(text.Collapse(s), "_", " ")
}

// bare returns a field on one line, "" if it says that there is nothing.
func bare(body string) string {
	s := strings.Trim(text.Collapse(body), " *_`\"")
	if strings.EqualFold(strings.Trim(s, ornaments), "none") {
		return ""
	}
	return s
}

// number matches a confidence: a number and nothing else but Markdown.
var number = regexp.MustCompile(`^[\s*_"|]*([0-9]{1,3}(?:\.[0-9]+)?)\s*%?[\s*_".|]*$`)

// percent reads a confidence of 0 to 100, as a share; nil if there is none.
func percent(body string) *float64 {
	m := number.FindStringSubmatch(body)
	if m == nil {
		return nil
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || v > 100 {
		return nil
	}
	v /= 100
	return &v
}
