package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// names returns the names in the question: quoted text and runs of capitalised
// words, the first word of the question only if a name goes on behind it.
func (q *Question) names() []string {
	var out []string
	for i := 0; i < len(q.words); {
		if q.words[i].quoted {
			j := i
			for j+1 < len(q.words) && q.words[j+1].quoted {
				j++
			}
			out = append(out, text(q.Text, q.words[i:j+1]))
			i = j + 1
			continue
		}
		if !q.capital(i) || isStop(q.words[i].low) && (i == 0 || q.words[i].low != "the") {
			i++
			continue
		}
		j := q.nameEnd(i)
		if i == 0 && j == 1 || q.words[i].low == "the" && j == i+1 {
			i = j
			continue
		}
		out = append(out, text(q.Text, q.words[i:j]))
		i = j
	}
	return out
}

// nameEnd returns the end of the run of name words that begins at i.
func (q *Question) nameEnd(i int) int {
	j := i + 1
	for j < len(q.words) && !q.words[j-1].comma && !q.words[j].quoted {
		k := j
		for k < len(q.words)-1 && k < j+3 && isConnector(q.words[k].low) && !q.capital(k) {
			k++
		}
		if k >= len(q.words) || !q.capital(k) && !(k == j && allDigits(q.words[k].low) && len(q.words[k].low) < 4) {
			break
		}
		j = k + 1
	}
	return j
}

func (q *Question) capital(i int) bool {
	r, _ := utf8.DecodeRuneInString(q.Text[q.words[i].start:])
	return unicode.IsUpper(r)
}

// content collects the content words that are in no name.
func (q *Question) content() {
	inNames := fold(strings.Join(q.Entities, " "))
	for _, w := range q.words {
		if !isStop(w.low) && len(w.low) > 1 && !holds(inNames, w.low) {
			q.Content = append(q.Content, w.low)
		}
	}
}

// kindOfNoun returns the kind that a common noun behind "which" or "what" asks
// for.
func kindOfNoun(low string) (Kind, bool) {
	if !strings.HasSuffix(low, "ss") {
		low = strings.TrimSuffix(low, "s")
	}
	switch low {
	case "person", "man", "woman", "actor", "actress", "director", "author", "writer", "singer", "musician", "player", "president", "politician", "artist", "composer", "king", "queen", "footballer", "producer",
		"character", "explorer", "scientist", "philosopher", "poet", "athlete", "wrestler", "rapper", "model", "comedian", "star", "host", "founder", "coach", "driver", "general", "mother", "father", "wife",
		"husband", "son", "daughter", "brother", "sister", "leader", "candidate", "name", "guitarist", "drummer", "novelist", "playwright", "journalist", "designer", "architect":
		return Person, low != "name"
	case "city", "town", "country", "state", "county", "village", "place", "river", "mountain", "continent", "region", "province", "district", "island", "location", "nation", "territory", "lake", "ocean",
		"capital", "birthplace", "area", "neighborhood", "borough", "street":
		return Place, true
	case "film", "movie", "book", "novel", "album", "song", "play", "serie", "show", "magazine", "newspaper", "opera", "game", "single", "sitcom", "poem", "musical", "episode", "publication", "work", "comedy":
		return Work, true
	case "company", "university", "institute", "museum", "organization", "organisation", "team", "band", "school", "college", "club", "network", "group", "agency", "party", "league", "label", "studio", "airline",
		"brand", "manufacturer", "institution", "division", "conference", "chain":
		return Organisation, true
	case "year", "decade", "century":
		return Year, true
	case "date", "day", "birthday":
		return Date, true
	case "number", "percentage", "population", "age", "height", "length":
		return Number, true
	case "nationality", "language", "ethnicity", "origin":
		return Origin, true
	case "profession", "occupation", "job", "career", "genre", "type", "kind", "instrument", "sport", "specie", "breed", "position", "role", "field", "discipline":
		return Trade, true
	}
	return Any, false
}

// answerKind guesses what kind of answer the question wants.
func (q *Question) answerKind() Kind {
	for i, w := range q.words {
		next := ""
		if i+1 < len(q.words) {
			next = q.words[i+1].low
		}
		switch w.low {
		case "who", "whom":
			return Person
		case "when":
			return Date
		case "where":
			return Place
		case "how":
			switch next {
			case "many", "much", "old", "long", "tall", "high", "far", "large", "big", "deep":
				return Number
			}
		case "which", "what":
			return q.kindAfter(i + 1)
		}
	}
	if len(q.words) > 0 && oneOf(q.words[0].low, "is|are|was|were|do|does|did|has|have|can") {
		return YesNo
	}
	return Any
}

// kindAfter reads the kind from the first telling noun behind a question word.
func (q *Question) kindAfter(i int) Kind {
	for j := i; j < len(q.words) && j < i+6; j++ {
		if k, ok := kindOfNoun(q.words[j].low); ok {
			return k
		}
		if j > i && oneOf(q.words[j].low, "of|that|who|did|does|do|in|by|for") {
			break
		}
	}
	return Any
}
