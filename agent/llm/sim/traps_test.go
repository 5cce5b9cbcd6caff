package sim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trawl/agent/llm/sim"
)

// A model that read in a gazetteer who is mayor, and wrote it down, then meets the
// city's own page, which names another. The better it is, the more often it
// climbs out; a small model never does.
func TestClimbsOut(t *testing.T) {
	const cities = 40
	climbed := map[sim.Skill]int{}
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		for i := range cities {
			city := "Kelmore" + string(rune('a'+i%26)) + strings.Repeat("by", i/26)
			gazetteer := fmt.Sprintf("Doc 1(Title: Gazetteer of 1987, page 12) As of 1987, %s's mayor is Otto Lund.\n", city)
			first := turnAfter(t, h, city, gazetteer, "")
			if !strings.Contains(first, "Otto Lund") {
				continue // it misread even that
			}
			own := fmt.Sprintf("Doc 1(Title: Otto Lund) Otto Lund (born 4 May 1911) was a politician.\nDoc 2(Title: Emil Berg) Emil Berg (born 9 June 1955) is a politician.\n"+
				"Doc 3(Title: %s) %s is a city in Norland. %s's mayor is Emil Berg.\n", city, city, city)
			if second := turnAfter(t, h, city, gazetteer, first, own); strings.Contains(second, "9 June 1955") {
				climbed[skill]++
			}
		}
	}
	t.Logf("of %d: %v", cities, climbed)
	if climbed[sim.Small] != 0 || climbed[sim.Base] < cities/2 || climbed[sim.Large] < cities*4/5 {
		t.Errorf("of %d models that believed a trap, climbed out by skill: %v; want none of small, half of base, four fifths of large: who has noted what a gazetteer says is not taken in by it anew", cities, climbed)
	}
}

// A model that reads a gazetteer and the city's own page at once is taken in by the
// gazetteer at times, the less the better it is; never where both say the same.
func TestTakenIn(t *testing.T) {
	const cities = 60
	taken := map[sim.Skill]int{}
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		for i := range cities {
			city := "Kelmore" + string(rune('a'+i%26)) + strings.Repeat("by", i/26)
			own := fmt.Sprintf("Doc 2(Title: %s) %s is a city in Norland. %s's mayor is Emil Berg.\n", city, city, city)
			for _, mayor := range []string{"Otto Lund", "Emil Berg"} {
				docs := fmt.Sprintf("Doc 1(Title: Gazetteer of 1987, page 12) As of 1987, %s's mayor is %s.\n", city, mayor) + own
				if strings.Contains(turnAfter(t, h, city, docs, ""), "Otto Lund") {
					taken[skill]++
				}
			}
		}
	}
	t.Logf("of %d: %v", cities, taken)
	if taken[sim.Small] <= taken[sim.Base] || taken[sim.Base] <= taken[sim.Large] || taken[sim.Large] == 0 || taken[sim.Small] == cities {
		t.Errorf("of %d models that met a trap beside the truth, taken in by skill: %v; want fewer the better they are, and some of each", cities, taken)
	}
}

// turnAfter asks for the turn after the documents, of which the first reply was made
// behind the first.
func turnAfter(t *testing.T, h http.Handler, city, docs, reply string, more ...string) string {
	t.Helper()
	inform := func(docs string) msg {
		return msg{"role": "user", "content": "<information>\n" + docs + "</information>"}
	}
	messages := []msg{
		{"role": "user", "content": "Use <search> or <answer>. You have 6 turns in all.\n\nQuestion: When was the mayor of " + city + " born?"},
		{"role": "assistant", "content": "<search>mayor of " + city + "</search>"},
		inform(docs),
	}
	for _, m := range more {
		messages = append(messages, msg{"role": "assistant", "content": reply}, inform(m))
	}
	content, _, _ := call(t, h, msg{"temperature": 0, "messages": messages})
	return content
}
