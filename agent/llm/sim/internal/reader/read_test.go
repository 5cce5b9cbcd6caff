package reader_test

import (
	"strings"
	"testing"

	"trawl/agent/llm/sim/internal/reader"
)

// solve answers a question from passages, "Title | text" each, believing the
// strongest claims.
func solve(question string, passages ...string) reader.Solution {
	q := reader.Understand(question)
	return q.Solve(shelf(passages...), func(_ reader.Goal, claims []reader.Claim) string { return reader.Strongest(claims) })
}

func shelf(passages ...string) *reader.Shelf {
	var list []reader.Passage
	for _, p := range passages {
		title, text, _ := strings.Cut(p, " | ")
		list = append(list, reader.Passage{Title: title, Text: text})
	}
	return reader.NewShelf(list)
}

func TestRelations(t *testing.T) {
	tests := []struct{ question, passage, want string }{
		{"Where was Anna Voss born?", "Anna Voss | Born in Kelmore, Anna Voss grew up in a family of teachers.", "Kelmore"},
		{"Where was Anna Voss born?", "Anna Voss | Anna Voss (born 12 March 1951 in Kelmore) is a novelist.", "Kelmore"},
		{"Where was Jack Binion born?", "Jack Binion | Jack Benny Binion (born February 21, 1937 in Dallas, Texas) is a businessman.", "Dallas"},
		{"When was Anna Voss born?", "Anna Voss | Anna Voss, born on 12 March 1951, is a novelist.", "12 March 1951"},
		{"In what year was Anna Voss born?", "Anna Voss | Anna Voss (born 12 March 1951) is a novelist.", "1951"},
		{"When did Hywel Edwards die?", "Hywel Edwards | Hywel Edwards( 15 October 1934 – 4 January 2010) was a Welsh academic.", "4 January 2010"},
		{"When was Hywel Edwards born?", "Hywel Edwards | Hywel Edwards( 15 October 1934 – 4 January 2010) was a Welsh academic.", "15 October 1934"},
		{"Where did Hans Salter die?", "Hans Salter | Hans Salter (January 14, 1896 in Lviv – July 23, 1994 in Studio City) composed.", "Studio City"},
		{"Who is married to Anna Voss?", "Anna Voss | Voss lives with her spouse, Emil Berg.", "Emil Berg"},
		{"Who is the spouse of Miguel Ramos?", "Miguel Ramos | He was married to Puerto Rican actress Mapy Cortés.", "Mapy Cortés"},
		{"Where did Anna Voss study?", "Anna Voss | A graduate of Norwald University, Voss took a degree.", "Norwald University"},
		{"Where did Anna Voss study?", "Norwald University | Norwald University's graduates include Anna Voss.", "Norwald University"},
		{"Who was the employer of Anna Voss?", "Anna Voss | She joined the staff of the Walbeck Museum of Toys at an early age.", "Walbeck Museum of Toys"},
		{"Who taught Anna Voss?", "Anna Voss | Voss learned the craft from Emil Berg.", "Emil Berg"},
		{"Who taught Anna Voss?", "Emil Berg | Berg's students include Anna Voss.", "Emil Berg"},
		{"What was the occupation of Anna Voss?", "Anna Voss | Anna Voss was a Danish film director from Kelmore.", "film director"},
		{"Who directed Winter Bell?", "Winter Bell | Winter Bell is a 1961 film. It was directed by the young Danish filmmaker Anna Berg.", "Anna Berg"},
		{"Who directed Winter Bell?", "Anna Berg | Anna Berg is a director. She directed Winter Bell from a script by a friend.", "Anna Berg"},
		{"Who directed Winter Bell?", "Anna Berg | Berg directed Winter Bell.", "Anna Berg"},
		{"Who composed the music for Winter Bell?", "Winter Bell | The soundtrack of Winter Bell was written by Anna Berg.", "Anna Berg"},
		{"On which novel is Winter Bell based?", "Winter Bell | The screenplay of Winter Bell follows the novel Return to the Pale Arrow.", "Return to the Pale Arrow"},
		{"Who wrote Pale Arrow?", "Pale Arrow | Pale Arrow is a 1951 novel by Emil Berg.", "Emil Berg"},
		{"Who recorded Blue Days?", "Blue Days | Blue Days is a studio album by Emil Berg.", "Emil Berg"},
		{"When was Winter Bell released?", "Winter Bell | Winter Bell is a 1961 drama film.", "1961"},
		{"When was Oak Motors founded?", "Oak Motors | Oak Motors has existed since 1928.", "1928"},
		{"Who founded Oak Motors?", "Oak Motors | Emil Berg founded the company with borrowed money.", "Emil Berg"},
		{"Where is Oak Motors headquartered?", "Kelmore | Kelmore is home to the headquarters of Oak Motors.", "Kelmore"},
		{"Which company owns Oak Motors?", "Oak Motors | Oak Motors is a subsidiary of Abey Paper.", "Abey Paper"},
		{"In which city is the Walbeck Museum located?", "Walbeck Museum | The museum stands in the centre of Kelmore.", "Kelmore"},
		{"In which country is Kelmore located?", "Kelmore | Kelmore is an old market city of Millora.", "Millora"},
		{"Who is the mayor of Kelmore?", "Kelmore | Anna Voss serves as mayor of the city.", "Anna Voss"},
		{"Which river flows through Kelmore?", "Kelmore | The city stands on the banks of the Elm River.", "Elm River"},
		{"What is the capital of Millora?", "Kelmore | Kelmore is the capital of Millora.", "Kelmore"},
		{"On which mountain does the Elm River rise?", "Elm River | It springs from the slopes of Mount Oakby.", "Mount Oakby"},
		{"How many kilometres long is the Elm River?", "Elm River | The Elm River is a river 1,297 kilometres long.", "1,297"},
		{"How many metres high is Mount Oakby?", "Mount Oakby | Mount Oakby rises to 2836 metres.", "2836"},
		{"Which city hosted the Elm Festival?", "Elm Festival | The festival took place in Kelmore.", "Kelmore"},
		{"When was the Elm Festival first held?", "Elm Festival | It was inaugurated in 1911.", "1911"},
		{"Which company organised the Elm Festival?", "Oak Motors | It organised the Elm Festival.", "Oak Motors"},
		{"Near which city was the Battle of Elm fought?", "Battle of Elm | The armies of the Battle of Elm met near Kelmore.", "Kelmore"},
		{"Who won the Battle of Elm?", "Battle of Elm | Emil Berg commanded the winning side of the battle.", "Emil Berg"},
		{"Which museum awards the Elm Prize for Music?", "Elm Prize for Music | The Elm Prize for Music is presented by the Walbeck Museum.", "Walbeck Museum"},
		{"Who first won the Elm Prize?", "Elm Prize | The Elm Prize's first winner was Emil Berg.", "Emil Berg"},
		{"What nationality is Emil Berg?", "Emil Berg | Emil Berg is a Danish composer.", "Danish"},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			s := solve(tt.question, tt.passage, "Otto Kern | Otto Kern (born 1 May 1900 in Lundby) directed Autumn Bell and founded Elk Motors in 1920.")
			if !s.Done || s.Answer != tt.want {
				t.Errorf("from %q: %q, done %v, open %v; want %q", tt.passage, s.Answer, s.Done, s.Open, tt.want)
			}
		})
	}
}

// world is a few articles that join up.
var world = []string{
	"Winter Bell | Winter Bell is a 1961 film. It was directed by Anna Berg.",
	"Summer Bell | Summer Bell is a 1955 film directed by Emil Voss.",
	"Anna Berg | Anna Berg (born 3 May 1920 in Kelmore) was a film director. She was employed by Oak Motors.",
	"Emil Voss | Emil Voss (born 4 June 1931) was born in Lundby. He studied at Norwald University.",
	"Oak Motors | Oak Motors is a company headquartered in Lundby. It was founded in 1900 by Rosa Lind.",
	"Kelmore | Kelmore is a city in Millora.",
	"Lundby | Lundby is a city in Arland.",
	"Ida Holm | Ida Holm was born in Kelmore. She studied at Norwald University.",
}

func TestPlans(t *testing.T) {
	tests := []struct{ question, want string }{
		{"Who founded the company that employed the director of Winter Bell?", "Rosa Lind"},
		{"In which country was the director of Winter Bell born?", "Millora"},
		{"In which country is Oak Motors located?", "Arland"},
		{"Which person born in Kelmore studied at Norwald University?", "Ida Holm"},
		{"Which film was directed by Anna Berg?", "Winter Bell"},
		{"Which film has the director born first, Winter Bell or Summer Bell?", "Winter Bell"},
		{"Which film was released first, Winter Bell or Summer Bell?", "Summer Bell"},
		{"Was Winter Bell released before Summer Bell?", "no"},
		{"Are Kelmore and Lundby located in the same country?", "no"},
		{"Were Anna Berg and Ida Holm born in the same city?", "yes"},
	}
	for _, tt := range tests {
		if s := solve(tt.question, world...); s.Answer != tt.want {
			t.Errorf("%s: %q (open %v, facts %v), want %q", tt.question, s.Answer, s.Open, s.Facts, tt.want)
		}
	}
}

func TestOpen(t *testing.T) {
	s := solve("Who founded the company that employed the director of Winter Bell?", world[0])
	if s.Done || len(s.Open) != 1 || s.Open[0].Rel.Name != "employer" || s.Open[0].Subject != "Anna Berg" {
		t.Errorf("open %v, want the employer of Anna Berg", s.Open)
	}
	for _, query := range s.Open[0].Queries() {
		if !strings.Contains(query, "Anna Berg") {
			t.Errorf("query %q does not name the subject", query)
		}
	}
}

func TestNoted(t *testing.T) {
	fact := solve("Who directed Winter Bell?", world...).Facts[0]
	notes := "x\n" + fact.Sentence() + "\ny"
	if got, ok := reader.Noted(notes, fact.Goal); !ok || got != "Anna Berg" {
		t.Errorf("Noted = %q, %v; want what Sentence wrote down", got, ok)
	}
	other := fact.Goal
	other.Subject = "Summer Bell"
	if got, ok := reader.Noted(notes, other); ok {
		t.Errorf("Noted found %q for another goal", got)
	}
}

func TestStrongest(t *testing.T) {
	claims := []reader.Claim{{Value: "A", Page: 0, Strength: 3}, {Value: "A", Page: 0, Strength: 3}, {Value: "B", Page: 1, Strength: 2}, {Value: "b", Page: 2, Strength: 2}}
	if got := reader.Strongest(claims); got != "B" {
		t.Errorf("Strongest = %q, want B: 2 + 2 on two pages against 3 on one", got)
	}
}

func TestDistractors(t *testing.T) {
	q := reader.Understand("Who directed Winter Bell?")
	s := shelf("Winter Bell | Winter Bell was directed by Anna Berg. Rosa Lind wrote the script.")
	goal := reader.Goal{Rel: q.Root.Rel, Subject: "Winter Bell"}
	got := s.Distractors(goal, s.Claims(goal), "Anna Berg")
	if len(got) != 1 || got[0] != "Rosa Lind" {
		t.Errorf("Distractors = %q, want the other person on the page", got)
	}
}

func TestGuess(t *testing.T) {
	q := reader.Understand("Which brewery is in Escondido, California?")
	got := q.Guess(shelf(
		"Beer Wars | Beer Wars is a documentary about beer. Breweries such as Stone Brewing take part.",
		"Stone Brewing | Stone Brewing is a brewery in Escondido, California.",
		"Paris | Paris is a city.",
	))
	if len(got) == 0 || got[0].Value != "Stone Brewing" {
		t.Errorf("Guess = %v, want Stone Brewing first", got)
	}
}

func TestChoose(t *testing.T) {
	pages := shelf("Medici | Medici is a board game about trade.", "Senet | Senet is an ancient board game.", "Otello | Otello is an opera.")
	tests := []struct{ question, want string }{
		{"Are Medici and Senet both board games?", "yes"},
		{"Are Medici and Otello both board games?", "no"},
		{"Which one is an opera, Medici or Otello?", "Otello"},
	}
	for _, tt := range tests {
		if got, ok := reader.Understand(tt.question).Choose(pages); !ok || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.question, got, ok, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Who directed Winter Bell?", "Winter Bell", `It was "directed" by Anna (born 3 May 1920`)
	f.Add("Are A and B of the same country?", "A (b", "A is a city in B. B is in A.")
	f.Add("Which X born in \xff was İ's 's?", "İ", "( – ) ’s “quoted, 1st")
	f.Add("In which country is A located?", "A", "A is located in A. A is a city in B, A.")
	f.Fuzz(func(t *testing.T, question, title, text string) {
		if len(question)+len(title)+len(text) > 4000 {
			t.Skip("longer than any prompt that matters")
		}
		q := reader.Understand(question)
		s := reader.NewShelf([]reader.Passage{{Title: title, Text: text}, {Title: question, Text: title + ". " + text}})
		sol := q.Solve(s, func(g reader.Goal, claims []reader.Claim) string {
			s.Distractors(g, claims, claims[0].Value)
			return claims[0].Value
		})
		for _, g := range sol.Open {
			s.Likely(g)
			g.Queries()
		}
		q.Guess(s)
		q.Choose(s)
		q.Angles()
		q.Anchor()
	})
}
