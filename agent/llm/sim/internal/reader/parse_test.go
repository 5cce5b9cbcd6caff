package reader_test

import (
	"strings"
	"testing"

	"trawl/agent/llm/sim/internal/reader"
)

// plan writes a plan in one line: relations around names, ~ on the way back.
func plan(n *reader.Node) string {
	if n == nil {
		return "none"
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = plan(a)
	}
	list := "(" + strings.Join(args, ", ") + ")"
	switch n.Op {
	case reader.Entity:
		return n.Name
	case reader.Follow:
		if n.Back {
			return "~" + n.Rel.Name + list
		}
		return n.Rel.Name + list
	case reader.Meet:
		return "meet" + list
	case reader.Same:
		return "same" + list
	}
	name := "least"
	if n.Greater {
		name = "greatest"
	}
	if n.YesNo {
		name += "?"
	}
	return name + list
}

func TestUnderstand(t *testing.T) {
	tests := []struct{ question, want string }{
		// chains
		{"Who directed The Silent Harbor?", "director(The Silent Harbor)"},
		{"Who founded the company that employed the director of The Silent Harbor?", "founder(employer(director(The Silent Harbor)))"},
		{"In which country was the author of the novel on which Winter Bell is based born?", "country(birthplace(author(basis(Winter Bell))))"},
		{"What is the date of birth of Henry I Of Ziębice's father?", "birthdate(father(Henry I Of Ziębice))"},
		{"When did Lothair Ii's mother die?", "deathdate(mother(Lothair Ii))"},
		{"Who is the father-in-law of Sisowath Kossamak?", "father(spouse(Sisowath Kossamak))"},
		{"Who is the child of the director of film An Event?", "child(director(An Event))"},
		{"Where was the performer of song B Boy (Song) born?", "birthplace(artist(B Boy (Song)))"},
		{"Which country the composer of film Thunder On The Hill is from?", "nationality(composer(Thunder On The Hill))"},
		{"What is the height in metres of the mountain on which the river that flows through South Galbourne rises?", "height(source(waterway(South Galbourne)))"},
		{`Who wrote "The Heart of Doreon"?`, "author(The Heart of Doreon)"},
		{"Which film was directed by the person married to Pavel Lenbeck?", "~director(spouse(Pavel Lenbeck))"},
		{"Where did the conference organised by the company founded by the student of Ilona Velnik take place?", "venue(~organiser(~founder(~mentor(Ilona Velnik))))"},
		// intersections
		{"Which person born in East Elmmarsh was employed by the Harino Institute of Mechanics?", "meet(~birthplace(East Elmmarsh), ~employer(Harino Institute of Mechanics))"},
		{"Which city is located in Kessistan and also lies on the Elmmarsh River?", "meet(~location(Kessistan), ~waterway(Elmmarsh River))"},
		{"Which film was scored by Kaspar Aban, was released in 2020 and was directed by Sonja Adman?", "meet(~composer(Kaspar Aban), ~released(2020), ~director(Sonja Adman))"},
		// comparisons
		{"Who was born first, Ada Uldahl or Tomas Ambley?", "least(birthdate(Ada Uldahl), birthdate(Tomas Ambley))"},
		{"Which film has the director who died later, 45 Calibre Echo or Bons Baisers De Hong Kong?", "greatest(deathdate(director(45 Calibre Echo)), deathdate(director(Bons Baisers De Hong Kong)))"},
		{"Which film has the director who is older, Airheads or Salad By The Roots?", "least(birthdate(director(Airheads)), birthdate(director(Salad By The Roots)))"},
		{"Which mountain is higher, Mount Kesshurst or Mount Oakby?", "greatest(height(Mount Kesshurst), height(Mount Oakby))"},
		{"Was Sammy Hagar or Renaud Garcia-Fons born first?", "least(birthdate(Sammy Hagar), birthdate(Renaud Garcia-Fons))"},
		{"Was Kerholm Mining founded before Pelkov Railways?", "least?(founded(Kerholm Mining), founded(Pelkov Railways))"},
		{"Are Marufabad and Nasamkhrali both located in the same country?", "same(country(Marufabad), country(Nasamkhrali))"},
		{"Do both films Naked Tango and Algiers have directors of the same nationality?", "same(nationality(director(Naked Tango)), nationality(director(Algiers)))"},
		{"Are the city where Lara Ran was born and the city where Milan Nares was born located in the same country?", "same(country(birthplace(Lara Ran)), country(birthplace(Milan Nares)))"},
		// no plan
		{"What is the connection between ice and fire?", "none"},
		{"", "none"},
	}
	for _, tt := range tests {
		if got := plan(reader.Understand(tt.question).Root); got != tt.want {
			t.Errorf("plan of %q\n got %s\nwant %s", tt.question, got, tt.want)
		}
	}
}

func TestEntities(t *testing.T) {
	tests := []struct{ question, want string }{
		{"Who hosted both Miss USA and The Price Is Right?", "Miss USA|The Price Is Right"},
		{`The role of "Celene" in the film "Walk All over Me" was played by whom?`, "Celene|Walk All over Me"},
		{"Which film was released first, Aas Ka Panchhi or Phoolwari?", "Aas Ka Panchhi|Phoolwari"},
		{"what is love", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(reader.Understand(tt.question).Entities, "|"); got != tt.want {
			t.Errorf("names in %q: %s, want %s", tt.question, got, tt.want)
		}
	}
}

func TestKind(t *testing.T) {
	tests := []struct {
		question string
		want     reader.Kind
	}{
		{"Who hosted the show?", reader.Person},
		{"Which actress played Celene?", reader.Person},
		{"In what year did it open?", reader.Year},
		{"When was it first shown?", reader.Date},
		{"How many seats does the hall have?", reader.Number},
		{"Which city does it overlook?", reader.Place},
		{"Are Medici and Senet both board games?", reader.YesNo},
		{"What language is spoken there?", reader.Origin},
	}
	for _, tt := range tests {
		if got := reader.Understand(tt.question).Kind; got != tt.want {
			t.Errorf("kind of %q = %d, want %d", tt.question, got, tt.want)
		}
	}
}
