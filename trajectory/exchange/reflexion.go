package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"trawl/internal/text"
)

// Reflexion's logs of ReAct trials, as text:
//
//	BEGIN TRIAL 1
//	Trial summary: Correct: 1, Incorrect: 0, Halted: 0
//	------------- BEGIN CORRECT AGENTS -------------
//
//	Question: …
//	Thought 1: …
//	Action 1: Search[…]
//	Observation 1: …
//	Action 2: Finish[…]
//	Observation 2: Answer is CORRECT
//	Correct answer: …
var (
	trialMark   = regexp.MustCompile(`^BEGIN TRIAL ([0-9]{1,9})\s*$`)
	summaryMark = regexp.MustCompile(`^Trial summary: Correct: ([0-9]{1,9}), Incorrect: ([0-9]{1,9}), Halted: ([0-9]{1,9})\s*$`)
	sectionMark = regexp.MustCompile(`^-+ BEGIN (CORRECT|INCORRECT|HALTED) AGENTS -+\s*$`)
	agentLine   = regexp.MustCompile(`^(Question|Thought [0-9]+|Action [0-9]+|Observation [0-9]+|Correct answer):[ \t]?(.*)$`)
	action      = regexp.MustCompile(`(?s)^([A-Za-z]+)\[(.*)\]\s*$`)
)

// trials yields the agents of a log, each from its question to its gold answer; or
// the lines of a file that is no log but of JSON.
func trials(r *bufio.Reader) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		if first, err := firstByte(r); err == nil && first == '{' {
			jsonLines(r)(yield)
			return
		}
		l := trialLog{yield: yield, seen: map[string]bool{}, listed: map[string]int{}}
		for line, err := range lines(r) {
			l.n++
			if err == nil {
				err = l.add(line)
			}
			if err != nil {
				l.fail(l.n, err)
				return
			}
			if l.stopped {
				return
			}
		}
		if l.now.line != 0 {
			l.fail(l.now.line, errors.New("the log is cut off: the question has no correct answer"))
			return
		}
		l.endTrial()
		l.flush()
	}
}

// A trialLog is a log under way. It holds an agent back until the next one has
// begun: the log lists one that was stopped in its last step under two headings,
// and the second time is counted and not an agent.
type trialLog struct {
	yield   func(part, error) bool
	n       int
	now     part // that is being read; its line is 0 between agents
	held    part // that was read last; its line is 0 if there is none
	seen    map[string]bool
	summary []int          // what the trial says of itself: correct, incorrect, halted; nil if nothing
	listed  map[string]int // agents of the trial, by section, without those that stand twice
	lost    map[string]int // what is to be told of with the next agent
	stopped bool
}

// sections are the headings of a trial, in the order of its summary.
var sections = []string{"correct", "incorrect", "halted"}

// endTrial holds a trial against its summary. A log lists an agent that was stopped
// in its last step as halted too, where the summary does not count it.
func (l *trialLog) endTrial() {
	for i, n := range l.summary {
		switch listed := l.listed[sections[i]]; {
		case listed < n:
			l.loses(fmt.Sprintf("agents of trial %s that its summary counts as %s and the log does not list", l.now.name(), sections[i]), n-listed)
		case listed > n && sections[i] != "halted":
			l.loses(fmt.Sprintf("agents of trial %s beyond those that its summary counts as %s", l.now.name(), sections[i]), listed-n)
		}
	}
	l.summary = nil
	clear(l.listed)
	clear(l.seen)
}

// loses counts something beside the agents, with the agent that was read last.
func (l *trialLog) loses(name string, n int) {
	into := &l.lost
	if l.held.line != 0 {
		into = &l.held.lost
	}
	if *into == nil {
		*into = map[string]int{}
	}
	(*into)[name] += n
}

// name is the number of the trial that a part is of.
func (p part) name() string {
	if p.trial == nil {
		return "?"
	}
	return strconv.Itoa(*p.trial)
}

// add takes in a line.
func (l *trialLog) add(line []byte) error {
	if m := trialMark.FindSubmatch(line); m != nil {
		l.endTrial()
		k, err := strconv.Atoi(string(m[1]))
		l.now.trial = &k
		return err
	}
	if m := summaryMark.FindSubmatch(line); m != nil && l.now.line == 0 {
		for _, digits := range m[1:] {
			n, err := strconv.Atoi(string(digits))
			if err != nil {
				return err
			}
			l.summary = append(l.summary, n)
		}
		l.summary = l.summary[max(0, len(l.summary)-len(sections)):]
		return nil
	}
	if m := sectionMark.FindSubmatch(line); m != nil {
		l.now.section = strings.ToLower(string(m[1]))
		return nil
	}
	name := ""
	if m := agentLine.FindSubmatch(line); m != nil {
		name = string(m[1])
	}
	switch {
	case name == "Question" && l.now.line != 0:
		return errors.New("a question before the correct answer of the one before it")
	case name == "Question":
		l.now.line, l.now.text = l.n, bytes.Clone(line)
	case l.now.line != 0:
		l.now.text = append(append(l.now.text, '\n'), line...)
		if name == "Correct answer" {
			l.end()
		}
	case len(bytes.Trim(line, "# \t\r")) > 0:
		l.loses("lines outside the agents", 1)
	}
	return nil
}

// end ends an agent.
func (l *trialLog) end() {
	if key := string(l.now.text); l.seen[key] {
		l.loses("agent listed again", 1)
	} else {
		l.seen[key] = true
		l.listed[l.now.section]++
		l.flush()
		l.held = l.now
		l.held.lost, l.lost = l.lost, nil
	}
	l.now.line, l.now.text = 0, nil
}

// flush yields the agent that is held back.
func (l *trialLog) flush() {
	if l.held.line != 0 && !l.stopped {
		l.stopped = !l.yield(l.held, nil)
	}
	l.held = part{}
}

func (l *trialLog) fail(line int, err error) {
	if l.flush(); !l.stopped {
		l.yield(part{line: line}, err)
	}
}

// parseReflexion reads an agent of a log, or a line of messages made of one.
func parseReflexion(data []byte, f file) (*Record, error) {
	if bytes.HasPrefix(data, []byte("{")) {
		return parseReflexionLine(data, f)
	}
	a := agentLog{draft: draft{object: object{}, rec: Record{Lost: map[string]int{}, Number: f.part.trial, Judge: judgeOfTrials}}}
	for _, field := range fieldsOf(string(data)) {
		a.add(field.name, strings.TrimSpace(field.value))
	}
	a.word = f.part.section
	for name, n := range f.part.lost {
		a.rec.Lost[name] += n
	}
	mark := a.mark
	if mark == "" && f.part.section != "halted" {
		mark = f.part.section
	}
	if a.answer != "" {
		verdict, err := verdictOf("observation", mark)
		if err != nil {
			return nil, err
		}
		a.rec.Verdict = verdict
	}
	if len(a.messages) == 1 {
		return nil, errors.New("the question has no thought and no action")
	}
	return a.record()
}

// judgeOfTrials is the name of the judge whose marks the logs hold: exact match
// after normalization, by Reflexion's own code.
const judgeOfTrials = "reflexion"

// parseReflexionLine reads a line of messages made of a log: the form messages,
// with the mark under source_status.
func parseReflexionLine(data []byte, f file) (*Record, error) {
	rec, err := parseMessages(data, f)
	if err != nil || f.Verdict != "" {
		return rec, err
	}
	o, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	var status string
	if err := o.scalar("source_status", &status); err != nil {
		return nil, err
	}
	delete(rec.Lost, "source_status")
	rec.Judge = judgeOfTrials
	switch {
	case status != "halted":
		rec.Verdict, err = verdictOf("source_status", status)
	case rec.Trajectory.Answer != "": // it finished with its last step, and was wrong
		no := false
		rec.Verdict = &no
	}
	return rec, err
}

// A logField is a labelled text of a log.
type logField struct{ name, value string }

// fieldsOf splits the text of an agent at its labels.
func fieldsOf(log string) []logField {
	var out []logField
	for _, line := range strings.Split(log, "\n") {
		if m := agentLine.FindStringSubmatch(line); m != nil {
			name, _, _ := strings.Cut(m[1], " ")
			out = append(out, logField{name, m[2]})
		} else if len(out) > 0 {
			out[len(out)-1].value += "\n" + line
		}
	}
	return out
}

// An agentLog makes messages of the fields of an agent.
type agentLog struct {
	draft
	thought string
	calls   int
	open    bool   // a call waits for its observation
	mark    string // what the log says of the answer: correct or incorrect
}

// add takes in a field.
func (a *agentLog) add(name, value string) {
	switch name {
	case "Question":
		a.question = value
		a.messages = append(a.messages, said("user", value))
	case "Thought":
		a.speak("", nil)
		a.thought = value
	case "Action":
		a.act(value)
	case "Observation":
		a.observe(value)
	case "Correct":
		a.speak("", nil)
		a.rec.Golds = []string{value}
	}
}

// act adds a call, or the answer. An action of another kind is a reply without
// either.
func (a *agentLog) act(value string) {
	m := action.FindStringSubmatch(value)
	switch {
	case m != nil && m[1] == "Finish":
		a.answer = m[2]
		a.speak(value, nil)
	case m != nil && (m[1] == "Search" || m[1] == "Lookup"):
		a.calls++
		var call wireToolCall
		call.ID, call.Function.Name = fmt.Sprintf("call_%d", a.calls), strings.ToLower(m[1])
		quoted, err := text.JSON(map[string]string{"query": m[2]})
		if err != nil {
			panic("exchange: a string has no JSON form")
		}
		call.Function.Arguments = quoted
		a.speak("", []wireToolCall{call})
		a.open = true
	default:
		a.speak(value, nil)
	}
}

// speak adds a reply of the thought that waits and of this, if there is any.
func (a *agentLog) speak(content string, calls []wireToolCall) {
	if a.thought == "" && content == "" && calls == nil {
		return
	}
	m := said("assistant", content)
	m.Reasoning, m.ToolCalls = a.thought, calls
	a.messages = append(a.messages, m)
	a.thought, a.open = "", false
}

// observe adds what came back, or takes the mark of an answer. What the program
// said of an action that it could not read is a message of the user.
func (a *agentLog) observe(value string) {
	switch low := strings.ToLower(value); {
	case low == "answer is correct" || low == "answer is incorrect":
		a.mark = strings.TrimPrefix(low, "answer is ")
		return
	case a.open:
		m := said("tool", value)
		m.ToolCallID = fmt.Sprintf("call_%d", a.calls)
		a.messages = append(a.messages, m)
		a.open = false
		return
	}
	a.messages = append(a.messages, said("user", value))
}
