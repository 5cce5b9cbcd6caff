package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/seed"
)

// A Skill is how able a simulated model is.
type Skill string

// The skills. Each is served as the model of that name: sim-small, …
const (
	Small Skill = "small"
	Base  Skill = "base"
	Large Skill = "large"
	Load  Skill = "load" // reads nothing: another query each turn, until the last; for the load of what is around a model
)

const modelPrefix = "sim-"

// Skills lists the skills that read, the least able first.
func Skills() []Skill { return []Skill{Small, Base, Large} }

// ParseSkill reads the name of a skill.
func ParseSkill(s string) (Skill, error) {
	for _, skill := range append(Skills(), Load) {
		if s == string(skill) {
			return skill, nil
		}
	}
	return "", fmt.Errorf("sim: unknown skill %q: want small, base, large or load", s)
}

// Model returns the id under which the skill is served.
func (s Skill) Model() string { return modelPrefix + string(s) }

// Traits are the numbers behind a skill. They are choices, not measurements of
// any model.
type traits struct {
	grasp     float64 // mean margin of a reading, see (*model).holds
	tries     int     // queries for one hop before it gives up on it
	searches  int     // queries for a question that it has no plan for
	early     float64 // chance at temperature 1 to answer before the plan is done, in one turn
	repeat    float64 // chance at temperature 1 to send the last query again
	malformed float64 // chance at temperature 1 to break the format
	sloppy    float64 // chance that a pool is not written as asked
	checks    float64 // chance to check what was taken over, where it is told to, and to be careful
	gullible  float64 // chance to believe a compilation at first sight, see (*model).takenIn
	blind     bool    // see Load
	votes     bool    // weighs claims that contradict each other; else the first passage is believed
}

func (s Skill) traits() traits {
	switch s {
	case Load:
		return traits{blind: true}
	case Small:
		return traits{grasp: 1.4, tries: 2, searches: 2, early: 0.08, repeat: 0.08, malformed: 0.04, sloppy: 0.4, checks: 0.4, gullible: 0.6}
	case Large:
		return traits{grasp: 4.2, tries: 3, searches: 4, early: 0.01, repeat: 0.01, malformed: 0.004, sloppy: 0.08, checks: 0.9, gullible: 0.25, votes: true}
	}
	return traits{grasp: 2.6, tries: 3, searches: 3, early: 0.03, repeat: 0.03, malformed: 0.012, sloppy: 0.2, checks: 0.7, gullible: 0.4, votes: true}
}

// The margin of a reading varies with the question and with what was read
// first: a hard question stays hard for every rollout, and rollouts that begin
// with the same passage tend to fail together.
const (
	marginSpread  = 2.5
	questionShare = 0.7 // shares are of the standard deviation: 0.7² + 0.7² ≈ 1
	contextShare  = 0.7
)

// holds decides whether the model reads one thing right. The margin is
//
//	grasp + spread · (0.7 z(question, thing) + 0.7 z(question, thing, first passage))
//
// with z a standard normal value hashed from its arguments, so that one
// question is equally hard for all skills. At temperature 0 the reading is right
// if the margin is positive; at T with probability 1/(1 + exp(−margin/T)).
func (m *model) holds(c *conversation, thing string) bool { return m.manages(c, thing, 0) }

// manages is like holds for what is easier than reading, by so much margin.
func (m *model) manages(c *conversation, thing string, ease float64) bool {
	margin := m.margin(c, thing) + ease
	if m.temperature == 0 {
		return margin > 0
	}
	return m.chance("holds", thing) < 1/(1+math.Exp(-margin/m.temperature))
}

func (m *model) margin(c *conversation, thing string) float64 {
	z := questionShare*normal(c.question, thing) + contextShare*normal(c.question, thing, c.anchor)
	return m.traits.grasp + marginSpread*z
}

// recallEase is by how much it is easier to write down what was found out
// than to find it out.
const recallEase = 3

// confidence returns what the model says of its answer, in per cent. It does
// not know whether it erred, but feels how hard each reading was, with noise:
//
//	95 · Π 1/(1 + exp(−(margin + ε)/2)),  ε ~ N(0, 2²)
//
// over the facts of the answer, and a third of that for a guess.
func (m *model) confidence(c *conversation, facts []reader.Fact, guessed bool) int {
	p := 95.0
	r := m.rand("confidence")
	for _, f := range facts {
		p /= 1 + math.Exp(-(m.margin(c, thingOf(f.Goal))+2*r.NormFloat64())/2)
	}
	if guessed {
		p /= 3
	}
	return int(max(p, 5))
}

// thingOf names what is to be read for a goal.
func thingOf(g reader.Goal) string { return g.Rel.Name + "|" + g.Subject }

func normal(parts ...any) float64 { return seed.Rand(0, parts...).NormFloat64() }

// hazard reports whether something with probability p at temperature 1 happens;
// it never does at temperature 0.
func (m *model) hazard(p float64, what string) bool {
	return m.temperature > 0 && m.chance(what) < p*m.temperature
}

// chance returns a number in [0, 1) that depends on the request and the purpose.
func (m *model) chance(purpose ...any) float64 { return m.rand(purpose...).Float64() }

func (m *model) rand(purpose ...any) *rand.Rand { return seed.Rand(m.key, purpose...) }

// believe is the model's [reader.Believer]: what it noted down before stands,
// unless a careful reader finds it refuted; what it reads for the first time may
// take it in; else it takes the best claim, unless it errs.
func (m *model) believe(c *conversation) reader.Believer {
	return func(g reader.Goal, claims []reader.Claim) string {
		thing := thingOf(g)
		v, noted := reader.Noted(c.notes, g)
		if noted && !(c.shelf.Careful && c.shelf.Refuted(g, v)) {
			return v
		}
		if v, ok := c.shelf.Compiled(g); ok && !noted && m.takenIn(c, thing) {
			return v
		}
		best := m.weigh(claims)
		if m.holds(c, thing) {
			return best
		}
		others := c.shelf.Distractors(g, claims, best)
		if len(others) == 0 {
			return best
		}
		if m.temperature == 0 {
			return others[0]
		}
		// The nearest distractor is the likeliest: geometric with ½.
		i := 0
		for r := m.rand("distractor", thing); i+1 < len(others) && r.Float64() < 0.5; i++ {
		}
		return others[i]
	}
}

// careful reports whether the model sets what a page says of its own topic
// against what others say of it, and so climbs out of a false belief when it
// meets that page. One that weighs claims does as often as it checks, and keeps
// to it through a conversation.
func (m *model) careful(c *conversation) bool {
	return m.traits.votes && seed.Rand(0, "careful", c.question, c.anchor).Float64() < m.traits.checks
}

// takenIn reports whether the model believes what a compilation says when it
// first reads it, though the page of the thing itself says otherwise. Rollouts that
// began with the same passage are taken in together.
func (m *model) takenIn(c *conversation, thing string) bool {
	return seed.Rand(0, "taken in", c.question, thing, c.anchor).Float64() < m.traits.gullible
}

// weigh returns the value that the claims together say most strongly or, for a
// model that does not weigh, the one that it read first.
func (m *model) weigh(claims []reader.Claim) string {
	if !m.traits.votes {
		first := claims[0]
		for _, c := range claims {
			if c.Page < first.Page && c.Strength > claims[0].Strength-1 {
				first = c
			}
		}
		return first.Value
	}
	return reader.Strongest(claims)
}
