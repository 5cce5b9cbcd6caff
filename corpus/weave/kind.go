package weave

// A kind is the type of an entity or of a literal value.
type kind uint8

// The kinds of entities come first, in the order in which a world numbers
// them; the kinds of literal values follow.
const (
	person kind = iota
	film
	novel
	album
	play
	company
	university
	institute
	museum
	city
	country
	river
	mountain
	festival
	conference
	battle
	prize
	entityKinds int = iota
)

// The kinds of literal values. See [value] for how each is encoded.
const (
	date kind = iota + kind(entityKinds)
	year
	kilometres
	metres
	trade
)

// nouns are the words for kinds, as in "Which company …?". Literals have the
// word that the answer type of a question goes by.
var nouns = [...]string{
	person: "person", film: "film", novel: "novel", album: "album", play: "play",
	company: "company", university: "university", institute: "institute", museum: "museum",
	city: "city", country: "country", river: "river", mountain: "mountain",
	festival: "festival", conference: "conference", battle: "battle", prize: "prize",
	date: "date", year: "year", kilometres: "number", metres: "number", trade: "occupation",
}

func (k kind) String() string { return nouns[k] }

// isEntity reports whether values of kind k are entities, which have an article.
func (k kind) isEntity() bool { return int(k) < entityKinds }

// takesArticle reports whether names of kind k stand after "the" in a sentence.
func (k kind) takesArticle() bool {
	switch k {
	case institute, museum, river, festival, conference, battle, prize:
		return true
	}
	return false
}
