package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"trawl/internal/seed"
)

// A Rule makes some replies go wrong. In a file, rules stand as a JSON list or
// one a line:
//
//	{"match": {"turn": 3, "every": 10, "request": 7, "question": "(?i)harbor", "asks": "summary"},
//	 "fault": "a1-missing-brace", "rate": 0.1, "seed": 1, "times": 1}
//
// All conditions that are given must hold. The first rule that applies to a
// request acts. The names of faults are those of [FaultNames].
type Rule struct {
	Match Match   `json:"match"`
	Fault string  `json:"fault"`
	Rate  float64 `json:"rate"`  // share of the requests that match; default all. Drawn by a hash of the request and of how often it came before
	Seed  int64   `json:"seed"`  // of the draws
	Times int     `json:"times"` // how often it may hit the same request; default without limit. 1 lets a retry succeed
}

// A Match says which chat requests a rule is for. The zero value is for all.
type Match struct {
	Turn     int    `json:"turn"`     // replies that are this turn of their conversation, from 1
	Every    int    `json:"every"`    // each n-th chat request of the server; depends on order
	Request  int    `json:"request"`  // this chat request of the server, from 1; depends on order
	Question string `json:"question"` // a regular expression for the question
	Asks     string `json:"asks"`     // requests that ask for this: act, final, pool, summary, report, integrate, aggregate, confidence, judge, entails, claims, keypoint, call or chat
}

// ReadFaults reads rules from a file. It fails with the file's name and the
// number of the rule at the first that is not understood.
func ReadFaults(path string) ([]Rule, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	rules, err := parseFaults(data)
	if err != nil {
		return nil, fmt.Errorf("sim: %s: %w", path, err)
	}
	return rules, nil
}

func parseFaults(data []byte) ([]Rule, error) {
	var rules []Rule
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if err := dec.Decode(&rules); err != nil {
			return nil, err
		}
		if _, err := dec.Token(); !errors.Is(err, io.EOF) {
			return nil, errors.New("text after the list of rules")
		}
	} else {
		for {
			var r Rule
			err := dec.Decode(&r)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("rule %d: %w", len(rules)+1, err)
			}
			rules = append(rules, r)
		}
	}
	for i := range rules {
		if err := rules[i].Validate(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	return rules, nil
}

// Validate reports what is wrong with the rule.
func (r *Rule) Validate() error {
	if _, ok := faultKinds[r.Fault]; !ok {
		return fmt.Errorf("unknown fault %q: want one of %s", r.Fault, strings.Join(FaultNames(), ", "))
	}
	if !(r.Rate >= 0 && r.Rate <= 1) {
		return fmt.Errorf("rate %v: want a number from 0 to 1", r.Rate)
	}
	if r.Times < 0 || r.Match.Turn < 0 || r.Match.Every < 0 || r.Match.Request < 0 {
		return errors.New("times, turn, every and request must not be negative")
	}
	if r.Match.Asks != "" && !slices.Contains(intentNames[:], r.Match.Asks) {
		return fmt.Errorf("asks: unknown %q: want one of %s", r.Match.Asks, strings.Join(intentNames[:], ", "))
	}
	if _, err := regexp.Compile(r.Match.Question); err != nil {
		return fmt.Errorf("question: %w", err)
	}
	return nil
}

// FaultNames lists the faults, sorted.
func FaultNames() []string {
	names := make([]string, 0, len(faultKinds))
	for name := range faultKinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// FaultHelp describes the fault of that name in one line; it is empty for an
// unknown one.
func FaultHelp(name string) string { return faultKinds[name].help }

// An injector applies rules. It counts requests, under its lock.
type injector struct {
	rules []compiledRule

	mu    sync.Mutex
	count int           // chat requests so far
	seen  map[int64]int // how often each request came, by hash
}

type compiledRule struct {
	Rule
	question *regexp.Regexp
	kind     fault
}

// newInjector compiles rules; those that do not validate never apply.
func newInjector(rules []Rule) *injector {
	inj := &injector{seen: map[int64]int{}}
	for _, r := range rules {
		if r.Validate() != nil {
			continue
		}
		c := compiledRule{Rule: r, kind: faultKinds[r.Fault]}
		if r.Match.Question != "" {
			c.question = regexp.MustCompile(r.Match.Question)
		}
		inj.rules = append(inj.rules, c)
	}
	return inj
}

// next counts a request and returns the fault that it meets; the zero fault is
// none.
func (inj *injector) next(c *conversation, key int64) fault {
	if len(inj.rules) == 0 {
		return fault{}
	}
	inj.mu.Lock()
	inj.count++
	number, before := inj.count, inj.seen[key]
	inj.seen[key]++
	inj.mu.Unlock()
	for i := range inj.rules {
		r := &inj.rules[i]
		if r.applies(c, key, number, before) {
			return r.kind
		}
	}
	return fault{}
}

func (r *compiledRule) applies(c *conversation, key int64, number, before int) bool {
	m := r.Match
	switch {
	case m.Turn > 0 && c.turn != m.Turn,
		m.Every > 0 && number%m.Every != 0,
		m.Request > 0 && number != m.Request,
		r.question != nil && !r.question.MatchString(c.question),
		m.Asks != "" && m.Asks != c.intent().String(),
		r.Times > 0 && before >= r.Times:
		return false
	}
	return r.Rate == 0 || seed.Rand(r.Seed, r.Fault, key, before).Float64() < r.Rate
}

func ptr(s string) *string { return &s }
