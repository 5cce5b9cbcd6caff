package weave

// A relation is what a fact says: it leads from a subject to one object.
type relation uint8

// The relations, with the kinds that they join.
const (
	birthplace   relation = iota // person → city
	birthdate                    // person → date
	birthyear                    // person → year, read from the birth date and not stored
	spouse                       // person → person, and back
	school                       // person → university
	employer                     // person → company, university, institute or museum
	mentor                       // person → person
	occupation                   // person → trade
	director                     // film → person
	composer                     // film → person
	basis                        // film → novel
	author                       // novel → person
	artist                       // album → person
	playwright                   // play → person
	released                     // film, album → year
	published                    // novel → year
	premiered                    // play → year
	founder                      // company, institute, museum → person
	founded                      // company, university, institute, museum → year
	headquarters                 // company → city
	parent                       // company → company
	seat                         // university, institute, museum → city
	located                      // city, mountain → country
	mayor                        // city → person
	waterway                     // city → river
	capital                      // country → city
	source                       // river → mountain
	length                       // river → kilometres
	height                       // mountain → metres
	venue                        // festival, conference → city
	organiser                    // festival, conference → company, university, institute or museum
	held                         // festival, conference → year
	site                         // battle → city
	victor                       // battle → person
	fought                       // battle → year
	awarder                      // prize → company, university, institute or museum
	laureate                     // prize → person
	awarded                      // prize → year
	relations    int      = iota
)

// relationNames are the names by which [definitions] and records refer to relations.
var relationNames = [relations]string{
	birthplace: "birthplace", birthdate: "birthdate", birthyear: "birthyear", spouse: "spouse",
	school: "school", employer: "employer", mentor: "mentor", occupation: "occupation",
	director: "director", composer: "composer", basis: "basis", author: "author",
	artist: "artist", playwright: "playwright", released: "released", published: "published",
	premiered: "premiered", founder: "founder", founded: "founded", headquarters: "headquarters",
	parent: "parent", seat: "seat", located: "located", mayor: "mayor",
	waterway: "waterway", capital: "capital", source: "source", length: "length",
	height: "height", venue: "venue", organiser: "organiser", held: "held",
	site: "site", victor: "victor", fought: "fought", awarder: "awarder",
	laureate: "laureate", awarded: "awarded",
}

func (r relation) String() string { return relationNames[r] }

// wording is the English of one relation.
//
// In sentences {s} is the subject and {o} the object, {s's} and {o's} are their
// possessives. Where an article has named its topic, the topic may appear as
// the last name ("Voss"), as "the film" or as a pronoun. In questions {} is the
// known end and {k} the word for the kind of the end that is sought.
type wording struct {
	domain []kind // of subjects
	object []kind // of objects

	says    []string // sentences of the subject's article; the first is the plain statement
	inverse []string // sentences of the object's article, whose topic is the object

	nouns []string // phrases for the object of {}: "the director of {}"
	asks  []string // questions for the object of {}: "Who directed {}?"
	whose []string // phrases for the only subject with object {}: "the film directed by {}"
	parts []string // participles of subjects: "Which film directed by {} …?"
	verbs []string // predicates of subjects: "Which film … was directed by {}?"

	query string // what to search for, to find the object of {}
	back  string // what to search for, to find the subject whose object is {}; empty without whose and verbs
}

var (
	employers = []kind{company, university, institute, museum}
	houses    = []kind{university, institute, museum}
	meetings  = []kind{festival, conference}
)

// lexicon is all the English of the relations. A phrase that starts with {}'s
// is used around a bare name only, and never inside a phrase that ends with
// {} or a question that ends with "of {}?", so that every question has one
// reading.
var lexicon = [relations]wording{
	birthplace: {
		domain: []kind{person}, object: []kind{city},
		says: []string{
			"{s} was born in {o}.",
			"{s} was born and raised in {o}.",
			"Born in {o}, {s} grew up in a family of teachers.",
			"{s's} birthplace is {o}.",
		},
		inverse: []string{"{o} is the birthplace of {s}.", "{s} was born in {o}."},
		nouns:   []string{"the birthplace of {}", "the city where {} was born"},
		asks:    []string{"Where was {} born?", "In which city was {} born?", "What is the birthplace of {}?"},
		parts:   []string{"born in {}"},
		verbs:   []string{"was born in {}"},
		query:   "where was {} born", back: "person born in {}",
	},
	birthdate: {
		domain: []kind{person}, object: []kind{date},
		says:  []string{"{s} was born on {o}."},
		asks:  []string{"When was {} born?", "On what date was {} born?", "What is the date of birth of {}?"},
		query: "date of birth of {}",
	},
	birthyear: {
		domain: []kind{person}, object: []kind{year},
		asks:  []string{"In what year was {} born?", "What is the birth year of {}?"},
		nouns: []string{"the birth year of {}", "the year in which {} was born"},
		query: "birth year of {}",
	},
	spouse: {
		domain: []kind{person}, object: []kind{person},
		says: []string{
			"{s} is married to {o}.",
			"{s's} spouse is {o}.",
			"{s} shared a house with {p} spouse, {o}.",
			"{s} married {o} after a long engagement.",
		},
		nouns: []string{"the spouse of {}", "the person married to {}", "{}'s spouse"},
		asks:  []string{"Who is the spouse of {}?", "Who is married to {}?"},
		query: "spouse of {}",
	},
	school: {
		domain: []kind{person}, object: []kind{university},
		says: []string{
			"{s} studied at {o}.",
			"{s} graduated from {o}.",
			"{s} was educated at {o}.",
			"A graduate of {o}, {s} took a degree with honours.",
		},
		inverse: []string{"{s} studied at {o}.", "{o's} graduates include {s}.", "Among {o's} notable alumni is {s}."},
		nouns:   []string{"the university where {} studied", "the university that {} attended", "{}'s university"},
		asks:    []string{"Where did {} study?", "Which university did {} attend?", "At which university was {} educated?"},
		parts:   []string{"educated at {}"},
		verbs:   []string{"studied at {}", "graduated from {}"},
		query:   "university where {} studied", back: "person who studied at {}",
	},
	employer: {
		domain: []kind{person}, object: employers,
		says: []string{
			"{s} worked for {o}.",
			"{s} was employed by {o}.",
			"{s} spent most of {p} career at {o}.",
			"{s} joined the staff of {o} at an early age.",
		},
		inverse: []string{"{s} worked for {o}.", "{o's} staff included {s}.", "Among {o's} notable employees was {s}."},
		nouns:   []string{"the employer of {}", "the {k} that employed {}", "the {k} where {} worked", "{}'s employer"},
		asks:    []string{"Which {k} employed {}?", "Which {k} did {} work for?", "Who was the employer of {}?"},
		parts:   []string{"employed by {}"},
		verbs:   []string{"worked for {}", "was employed by {}"},
		query:   "employer of {}", back: "person employed by {}",
	},
	mentor: {
		domain: []kind{person}, object: []kind{person},
		says: []string{
			"{s} studied under {o}.",
			"{s's} mentor was {o}.",
			"{s} was a student of {o}.",
			"{s} learned the craft from {o}.",
		},
		inverse: []string{"{s} studied under {o}.", "{o} was the mentor of {s}.", "{o's} students include {s}."},
		nouns:   []string{"the mentor of {}", "the teacher of {}", "the person who taught {}", "{}'s mentor"},
		asks:    []string{"Who was the mentor of {}?", "Who taught {}?", "Under whom did {} study?"},
		whose:   []string{"the student of {}", "the person who studied under {}"},
		parts:   []string{"taught by {}"},
		verbs:   []string{"studied under {}", "was a student of {}"},
		query:   "mentor of {}", back: "student of {}",
	},
	occupation: {
		domain: []kind{person}, object: []kind{trade},
		says:  []string{"{s} worked as {o}."},
		asks:  []string{"What was the occupation of {}?", "What was the profession of {}?"},
		query: "occupation of {}",
	},
	director: {
		domain: []kind{film}, object: []kind{person},
		says: []string{
			"{s} was directed by {o}.",
			"{s's} director was {o}.",
			"{o} directed {s} from a script written in two months.",
			"The director of {s} was {o}.",
		},
		inverse: []string{"{o} directed {s}.", "{o} is the director of {s}.", "{o's} films include {s}."},
		nouns:   []string{"the director of {}", "the person who directed {}", "the filmmaker who directed {}", "{}'s director"},
		asks:    []string{"Who directed {}?", "Who is the director of {}?", "By whom was {} directed?"},
		whose:   []string{"the film directed by {}", "the film that {} directed"},
		parts:   []string{"directed by {}"},
		verbs:   []string{"was directed by {}"},
		query:   "director of {}", back: "film directed by {}",
	},
	composer: {
		domain: []kind{film}, object: []kind{person},
		says: []string{
			"{s's} score was composed by {o}.",
			"The music of {s} was composed by {o}.",
			"{o} composed the music for {s}.",
			"The soundtrack of {s} was written by {o}.",
		},
		inverse: []string{"{o} composed the music for {s}.", "{o} wrote the score of {s}."},
		nouns:   []string{"the composer of {}", "the person who composed the music for {}", "{}'s composer"},
		asks:    []string{"Who composed the music for {}?", "Who is the composer of {}?", "Who wrote the score of {}?"},
		whose:   []string{"the film scored by {}", "the film whose music was composed by {}"},
		parts:   []string{"scored by {}"},
		verbs:   []string{"was scored by {}"},
		query:   "composer of {}", back: "film with music composed by {}",
	},
	basis: {
		domain: []kind{film}, object: []kind{novel},
		says: []string{
			"{s} is based on the novel {o}.",
			"{s} was adapted from the novel {o}.",
			"The screenplay of {s} follows the novel {o}.",
			"{s} is an adaptation of the novel {o}.",
		},
		inverse: []string{"{o} was adapted into the film {s}.", "The film {s} is based on {o}."},
		nouns:   []string{"the novel on which {} is based", "the novel that {} is based on", "the novel adapted into {}"},
		asks:    []string{"On which novel is {} based?", "Which novel is {} based on?", "From which novel was {} adapted?"},
		whose:   []string{"the film based on {}", "the film adapted from {}"},
		parts:   []string{"based on {}"},
		verbs:   []string{"is based on {}", "was adapted from {}"},
		query:   "novel on which {} is based", back: "film based on {}",
	},
	author: {
		domain: []kind{novel}, object: []kind{person},
		says: []string{
			"{s} was written by {o}.",
			"{s's} author is {o}.",
			"{o} wrote {s} over three winters.",
			"The author of {s} is {o}.",
		},
		inverse: []string{"{o} wrote the novel {s}.", "{o} is the author of {s}.", "{o's} novels include {s}."},
		nouns:   []string{"the author of {}", "the person who wrote {}", "the writer of {}", "{}'s author"},
		asks:    []string{"Who wrote {}?", "Who is the author of {}?", "By whom was {} written?"},
		whose:   []string{"the novel written by {}", "the novel that {} wrote"},
		parts:   []string{"written by {}"},
		verbs:   []string{"was written by {}"},
		query:   "author of {}", back: "novel written by {}",
	},
	artist: {
		domain: []kind{album}, object: []kind{person},
		says: []string{
			"{s} was recorded by {o}.",
			"{s} is a recording by {o}.",
			"{o} recorded {s} with a small band.",
		},
		inverse: []string{"{o} recorded the album {s}.", "{o's} albums include {s}."},
		nouns:   []string{"the artist behind {}", "the singer who recorded {}", "the person who recorded {}"},
		asks:    []string{"Who recorded {}?", "By whom was {} recorded?", "Who is the artist behind {}?"},
		whose:   []string{"the album recorded by {}", "the album that {} recorded"},
		parts:   []string{"recorded by {}"},
		verbs:   []string{"was recorded by {}"},
		query:   "who recorded {}", back: "album recorded by {}",
	},
	playwright: {
		domain: []kind{play}, object: []kind{person},
		says: []string{
			"{s} was written by {o}.",
			"{s's} playwright is {o}.",
			"{o} wrote {s} for a touring company.",
		},
		inverse: []string{"{o} wrote the play {s}.", "{o} is the playwright of {s}.", "{o's} plays include {s}."},
		nouns:   []string{"the playwright of {}", "the playwright who wrote {}", "{}'s playwright"},
		asks:    []string{"Who wrote {}?", "Who is the playwright of {}?", "Which playwright wrote {}?"},
		whose:   []string{"the play written by {}", "the play that {} wrote"},
		parts:   []string{"written by {}"},
		verbs:   []string{"was written by {}"},
		query:   "playwright of {}", back: "play written by {}",
	},
	released: {
		domain: []kind{film, album}, object: []kind{year},
		says: []string{
			"{s} was released in {o}.",
			"{s} came out in {o}.",
			"{s's} release followed in {o}.",
		},
		nouns: []string{"the release year of {}", "the year in which {} was released"},
		asks:  []string{"In what year was {} released?", "When was {} released?", "In which year did {} come out?"},
		parts: []string{"released in {}"},
		verbs: []string{"was released in {}"},
		query: "release year of {}",
	},
	published: {
		domain: []kind{novel}, object: []kind{year},
		says: []string{
			"{s} was published in {o}.",
			"{s} first appeared in {o}.",
			"{s's} first edition was printed in {o}.",
		},
		nouns: []string{"the publication year of {}", "the year in which {} was published"},
		asks:  []string{"In what year was {} published?", "When was {} published?"},
		parts: []string{"published in {}"},
		verbs: []string{"was published in {}"},
		query: "publication year of {}",
	},
	premiered: {
		domain: []kind{play}, object: []kind{year},
		says: []string{
			"{s} premiered in {o}.",
			"{s} was first performed in {o}.",
			"{s} opened on stage in {o}.",
		},
		nouns: []string{"the premiere year of {}", "the year in which {} premiered"},
		asks:  []string{"In what year did {} premiere?", "When was {} first performed?"},
		parts: []string{"first performed in {}"},
		verbs: []string{"premiered in {}", "was first performed in {}"},
		query: "premiere year of {}",
	},
	founder: {
		domain: []kind{company, institute, museum}, object: []kind{person},
		says: []string{
			"{s} was founded by {o}.",
			"{s's} founder was {o}.",
			"{o} founded {s} with borrowed money.",
			"{s} was established by {o}.",
		},
		inverse: []string{"{o} founded {s}.", "{o} is the founder of {s}."},
		nouns:   []string{"the founder of {}", "the person who founded {}", "{}'s founder"},
		asks:    []string{"Who founded {}?", "Who is the founder of {}?", "By whom was {} founded?"},
		whose:   []string{"the {k} founded by {}", "the {k} that {} founded"},
		parts:   []string{"founded by {}"},
		verbs:   []string{"was founded by {}", "was established by {}"},
		query:   "founder of {}", back: "organisation founded by {}",
	},
	founded: {
		domain: []kind{company, university, institute, museum}, object: []kind{year},
		says: []string{
			"{s} was founded in {o}.",
			"{s} was established in {o}.",
			"{s} dates from {o}.",
			"{s} has existed since {o}.",
		},
		nouns: []string{"the founding year of {}", "the year in which {} was founded"},
		asks:  []string{"In what year was {} founded?", "When was {} founded?", "When was {} established?"},
		parts: []string{"founded in {}"},
		verbs: []string{"was founded in {}", "was established in {}"},
		query: "founding year of {}",
	},
	headquarters: {
		domain: []kind{company}, object: []kind{city},
		says: []string{
			"{s} is headquartered in {o}.",
			"{s} has its headquarters in {o}.",
			"{s's} head office is in {o}.",
			"{s} is based in {o}.",
		},
		inverse: []string{"{s} is headquartered in {o}.", "{o} is home to the headquarters of {s}."},
		nouns:   []string{"the city where {} is headquartered", "the city where {} has its headquarters", "the headquarters city of {}"},
		asks:    []string{"Where is {} headquartered?", "In which city is {} headquartered?", "In which city does {} have its headquarters?"},
		parts:   []string{"headquartered in {}"},
		verbs:   []string{"is headquartered in {}", "has its headquarters in {}"},
		query:   "headquarters of {}", back: "company headquartered in {}",
	},
	parent: {
		domain: []kind{company}, object: []kind{company},
		says: []string{
			"{s} is a subsidiary of {o}.",
			"{s} is owned by {o}.",
			"{s's} parent company is {o}.",
			"{s} was acquired by {o}.",
		},
		inverse: []string{"{o} owns {s}.", "{o's} subsidiaries include {s}."},
		nouns:   []string{"the parent company of {}", "the company that owns {}", "{}'s parent company"},
		asks:    []string{"Which company owns {}?", "What is the parent company of {}?"},
		whose:   []string{"the company owned by {}", "the subsidiary of {}"},
		parts:   []string{"owned by {}"},
		verbs:   []string{"is owned by {}", "is a subsidiary of {}"},
		query:   "parent company of {}", back: "subsidiary of {}",
	},
	seat: {
		domain: houses, object: []kind{city},
		says: []string{
			"{s} is located in {o}.",
			"{s} stands in the centre of {o}.",
			"{s's} main building is in {o}.",
			"{s} is situated in {o}.",
		},
		inverse: []string{"{s} is located in {o}.", "{o} is home to {s}.", "{o} is the seat of {s}."},
		nouns:   []string{"the city where {} is located", "the home city of {}"},
		asks:    []string{"Where is {} located?", "In which city is {} located?"},
		parts:   []string{"located in {}"},
		verbs:   []string{"is located in {}"},
		query:   "city where {} is located", back: "organisation located in {}",
	},
	located: {
		domain: []kind{city, mountain}, object: []kind{country},
		says: []string{
			"{s} is located in {o}.",
			"{s} lies in {o}.",
			"{s} belongs to {o}.",
			"{s} lies within the borders of {o}.",
		},
		nouns: []string{"the country where {} is located", "the country of {}"},
		asks:  []string{"In which country is {} located?", "In which country does {} lie?"},
		parts: []string{"located in {}"},
		verbs: []string{"is located in {}", "lies in {}"},
		query: "country of {}", back: "located in {}",
	},
	mayor: {
		domain: []kind{city}, object: []kind{person},
		says: []string{
			"{s's} mayor is {o}.",
			"The mayor of {s} is {o}.",
			"{o} was elected mayor of {s}.",
			"{o} serves as mayor of {s}.",
		},
		inverse: []string{"{o} serves as mayor of {s}.", "{o} is the mayor of {s}."},
		nouns:   []string{"the mayor of {}", "the person who governs {} as mayor", "{}'s mayor"},
		asks:    []string{"Who is the mayor of {}?", "Who serves as mayor of {}?"},
		whose:   []string{"the city whose mayor is {}", "the city of which {} is mayor"},
		query:   "mayor of {}", back: "city whose mayor is {}",
	},
	waterway: {
		domain: []kind{city}, object: []kind{river},
		says: []string{
			"{s} lies on {o}.",
			"{s} stands on the banks of {o}.",
			"{o} flows through {s}.",
			"{s} was built along {o}.",
		},
		inverse: []string{"{o} flows through {s}.", "{s} lies on {o}."},
		nouns:   []string{"the river that flows through {}", "the river on which {} lies"},
		asks:    []string{"Which river flows through {}?", "On which river does {} lie?"},
		whose:   []string{"the city that lies on {}", "the city on the banks of {}"},
		parts:   []string{"situated on {}"},
		verbs:   []string{"lies on {}"},
		query:   "river that flows through {}", back: "city on {}",
	},
	capital: {
		domain: []kind{country}, object: []kind{city},
		says: []string{
			"{s's} capital is {o}.",
			"The capital of {s} is {o}.",
			"{o} is the capital of {s}.",
		},
		inverse: []string{"{o} is the capital of {s}."},
		nouns:   []string{"the capital of {}", "the capital city of {}", "{}'s capital"},
		asks:    []string{"What is the capital of {}?", "Which city is the capital of {}?"},
		whose:   []string{"the country whose capital is {}", "the country with its capital at {}"},
		query:   "capital of {}", back: "country whose capital is {}",
	},
	source: {
		domain: []kind{river}, object: []kind{mountain},
		says: []string{
			"{s} rises on {o}.",
			"{s} has its source on {o}.",
			"{s} springs from the slopes of {o}.",
			"{s's} source lies on {o}.",
		},
		inverse: []string{"{s} rises on {o}.", "{o} is the source of {s}."},
		nouns:   []string{"the mountain on which {} rises", "the mountain where {} has its source", "the source mountain of {}"},
		asks:    []string{"On which mountain does {} rise?", "On which mountain does {} have its source?"},
		whose:   []string{"the river that rises on {}", "the river with its source on {}"},
		query:   "source mountain of {}", back: "river that rises on {}",
	},
	length: {
		domain: []kind{river}, object: []kind{kilometres},
		says: []string{
			"{s} is {o} kilometres long.",
			"{s} has a length of {o} kilometres.",
			"{s} flows for {o} kilometres.",
		},
		asks:  []string{"How many kilometres long is {}?", "What is the length in kilometres of {}?"},
		query: "length of {}",
	},
	height: {
		domain: []kind{mountain}, object: []kind{metres},
		says: []string{
			"{s} is {o} metres high.",
			"{s} has a height of {o} metres.",
			"{s} rises to {o} metres.",
		},
		asks:  []string{"How many metres high is {}?", "What is the height in metres of {}?"},
		query: "height of {}",
	},
	venue: {
		domain: meetings, object: []kind{city},
		says: []string{
			"{s} took place in {o}.",
			"{s's} venue was a hall in {o}.",
			"{o} hosted {s}.",
			"{s} was held in {o}.",
		},
		inverse: []string{"{o} hosted {s}.", "{s} took place in {o}."},
		nouns:   []string{"the city where {} took place", "the city that hosted {}", "the host city of {}"},
		asks:    []string{"Where did {} take place?", "In which city did {} take place?", "Which city hosted {}?"},
		whose:   []string{"the {k} hosted by {}", "the {k} that took place in {}"},
		parts:   []string{"hosted by {}"},
		verbs:   []string{"took place in {}"},
		query:   "city that hosted {}", back: "event that took place in {}",
	},
	organiser: {
		domain: meetings, object: employers,
		says: []string{
			"{s} was organised by {o}.",
			"{s's} organiser was {o}.",
			"{o} organised {s}.",
		},
		inverse: []string{"{o} organised {s}.", "{o} was the organiser of {s}."},
		nouns:   []string{"the organiser of {}", "the {k} that organised {}"},
		asks:    []string{"Which {k} organised {}?", "Who was the organiser of {}?"},
		whose:   []string{"the {k} organised by {}"},
		parts:   []string{"organised by {}"},
		verbs:   []string{"was organised by {}"},
		query:   "organiser of {}", back: "event organised by {}",
	},
	held: {
		domain: meetings, object: []kind{year},
		says: []string{
			"{s} was first held in {o}.",
			"{s} was opened for the first time in {o}.",
			"{s} was inaugurated in {o}.",
		},
		nouns: []string{"the first year of {}", "the year in which {} was first held"},
		asks:  []string{"In what year was {} first held?", "When was {} first held?"},
		parts: []string{"first held in {}"},
		verbs: []string{"was first held in {}"},
		query: "year in which {} was first held",
	},
	site: {
		domain: []kind{battle}, object: []kind{city},
		says: []string{
			"{s} was fought near {o}.",
			"{s} was fought outside the walls of {o}.",
			"The armies of {s} met near {o}.",
		},
		inverse: []string{"{s} was fought near {o}."},
		nouns:   []string{"the city near which {} was fought", "the city nearest to {}"},
		asks:    []string{"Near which city was {} fought?", "Which city is nearest to {}?"},
		whose:   []string{"the battle fought near {}", "the battle that was fought near {}"},
		query:   "city near which {} was fought", back: "battle fought near {}",
	},
	victor: {
		domain: []kind{battle}, object: []kind{person},
		says: []string{
			"{s} was won by {o}.",
			"{s's} victor was {o}.",
			"{o} won {s}.",
			"{o} commanded the winning side of {s}.",
		},
		inverse: []string{"{o} won {s}.", "{o} was the victor of {s}."},
		nouns:   []string{"the victor of {}", "the person who won {}", "the commander who won {}"},
		asks:    []string{"Who won {}?", "Who was the victor of {}?"},
		whose:   []string{"the battle won by {}", "the battle that {} won"},
		parts:   []string{"won by {}"},
		verbs:   []string{"was won by {}"},
		query:   "victor of {}", back: "battle won by {}",
	},
	fought: {
		domain: []kind{battle}, object: []kind{year},
		says: []string{
			"{s} was fought in {o}.",
			"{s} took place in {o}.",
			"{s} was decided in {o}.",
		},
		nouns: []string{"the year of {}", "the year in which {} was fought"},
		asks:  []string{"In what year was {} fought?", "When was {} fought?"},
		parts: []string{"fought in {}"},
		verbs: []string{"was fought in {}"},
		query: "year in which {} was fought",
	},
	awarder: {
		domain: []kind{prize}, object: employers,
		says: []string{
			"{s} is awarded by {o}.",
			"{s} is presented by {o}.",
			"{o} awards {s} at a dinner in spring.",
		},
		inverse: []string{"{o} awards {s}.", "{s} is awarded by {o}."},
		nouns:   []string{"the {k} that awards {}", "the {k} that presents {}"},
		asks:    []string{"Which {k} awards {}?", "By which {k} is {} awarded?"},
		whose:   []string{"the prize awarded by {}"},
		parts:   []string{"awarded by {}"},
		verbs:   []string{"is awarded by {}"},
		query:   "organisation that awards {}", back: "prize awarded by {}",
	},
	laureate: {
		domain: []kind{prize}, object: []kind{person},
		says: []string{
			"{s's} first winner was {o}.",
			"{s} was first won by {o}.",
			"{o} was the first winner of {s}.",
		},
		inverse: []string{"{o} was the first winner of {s}.", "{o} won {s}."},
		nouns:   []string{"the first winner of {}", "the person who first won {}"},
		asks:    []string{"Who was the first winner of {}?", "Who first won {}?"},
		whose:   []string{"the prize first won by {}", "the prize whose first winner was {}"},
		parts:   []string{"first won by {}"},
		verbs:   []string{"was first won by {}"},
		query:   "first winner of {}", back: "prize first won by {}",
	},
	awarded: {
		domain: []kind{prize}, object: []kind{year},
		says: []string{
			"{s} was first awarded in {o}.",
			"{s} was first presented in {o}.",
			"{s} was created in {o}.",
		},
		nouns: []string{"the founding year of {}", "the year in which {} was first awarded"},
		asks:  []string{"In what year was {} first awarded?", "When was {} first awarded?"},
		parts: []string{"first awarded in {}"},
		verbs: []string{"was first awarded in {}"},
		query: "year in which {} was first awarded",
	},
}

// definitions are the first sentences of articles. {s} is the title; a name of
// a relation in braces is its object, and the sentence states that fact; {is}
// is "is", or "was" for somebody born before 1935; an occupation has its own
// article ("a novelist", "an architect").
var definitions = [entityKinds][]string{
	person: {
		"{s} (born {birthdate}) {is} {occupation}.",
		"{s}, born on {birthdate}, {is} {occupation}.",
		"{s} (born {birthdate} in {birthplace}) {is} {occupation}.",
		"{s} (born {birthdate}) {is} {occupation} from {birthplace}.",
	},
	film: {
		"{s} is a {released} film directed by {director}.",
		"{s} is a film directed by {director}.",
		"{s} is a {released} drama film.",
		"{s} is a {released} film based on the novel {basis}.",
	},
	novel: {
		"{s} is a novel by {author}, published in {published}.",
		"{s} is a {published} novel by {author}.",
		"{s} is a novel written by {author}.",
	},
	album: {
		"{s} is an album by {artist}, released in {released}.",
		"{s} is a {released} album recorded by {artist}.",
		"{s} is a studio album by {artist}.",
	},
	play: {
		"{s} is a play by {playwright}, first performed in {premiered}.",
		"{s} is a {premiered} play by {playwright}.",
		"{s} is a stage play written by {playwright}.",
	},
	company: {
		"{s} is a company based in {headquarters}, founded in {founded}.",
		"{s} is a company headquartered in {headquarters}.",
		"{s} is a company founded in {founded} by {founder}.",
		"{s} is a manufacturing company, a subsidiary of {parent}.",
	},
	university: {
		"{s} is a university located in {seat}.",
		"{s} is a university in {seat}, founded in {founded}.",
		"{s} is a public university founded in {founded}.",
	},
	institute: {
		"{s} is a research institute in {seat}.",
		"{s} is a research institute founded in {founded} by {founder}.",
		"{s} is a research institute in {seat}, founded in {founded}.",
	},
	museum: {
		"{s} is a museum in {seat}.",
		"{s} is a museum founded in {founded} by {founder}.",
		"{s} is a museum in {seat}, founded in {founded}.",
	},
	city: {
		"{s} is a city in {located}.",
		"{s} is a city in {located} on {waterway}.",
		"{s} is an old market city of {located}.",
	},
	country: {
		"{s} is a country whose capital is {capital}.",
		"{s} is a country with its capital at {capital}.",
	},
	river: {
		"{s} is a river that rises on {source}.",
		"{s} is a river {length} kilometres long.",
	},
	mountain: {
		"{s} is a mountain in {located}.",
		"{s} is a mountain in {located} with a height of {height} metres.",
		"{s} is a mountain {height} metres high.",
	},
	festival: {
		"{s} is an annual festival held in {venue}.",
		"{s} is a festival first held in {held}.",
		"{s} is an annual festival organised by {organiser}.",
	},
	conference: {
		"{s} is a conference held in {venue}.",
		"{s} is a conference first held in {held}.",
		"{s} is a conference organised by {organiser}.",
	},
	battle: {
		"{s} was fought near {site} in {fought}.",
		"{s} was a battle fought near {site}.",
		"{s} was a battle won by {victor} in {fought}.",
	},
	prize: {
		"{s} is a prize awarded by {awarder}.",
		"{s} is a prize first awarded in {awarded}.",
		"{s} is a prize awarded by {awarder} since {awarded}.",
	},
}

// joint questions ask for the object of two relations at once: in "In which
// country was {} born?" the city between is not named.
var joint = []struct {
	first, second relation
	asks          []string
}{
	{birthplace, located, []string{"In which country was {} born?"}},
	{headquarters, located, []string{"In which country is {} headquartered?"}},
	{seat, located, []string{"In which country is {} located?"}},
	{venue, located, []string{"In which country did {} take place?"}},
	{school, seat, []string{"In which city did {} study?"}},
}

// meets are the questions for the one thing of which two or three statements
// hold, by their number. {k} is its kind; {part} is a statement as a participle
// around a bare name, {verb} one as a predicate.
var meets = [...][]string{
	2: {"Which {k} {part} {verb}?", "Which {k} {verb} and {verb}?", "Which {k} {verb} and also {verb}?"},
	3: {"Which {k} {verb}, {verb} and {verb}?"},
}

// A contest is a way to compare two things by one relation. A which-question
// is answered by the end that comes first (or last), a whether-question by yes
// or no.
type contest struct {
	relation relation
	kinds    []kind   // of the things compared, which are of one kind
	least    []string // which has the smaller value: "Who was born first, {a} or {b}?"
	greatest []string // which has the larger value
	less     []string // whether a has the smaller value: "Was {a} born before {b}?"
}

// contestants are the kinds of things that are compared, the more common ones
// more often.
var contestants = []kind{
	person, person, person, film, film, novel, album, play, company, university, institute, museum, river, mountain,
}

var contests = []contest{
	{birthdate, []kind{person},
		[]string{"Who was born first, {a} or {b}?", "Who is older, {a} or {b}?", "Who was born earlier, {a} or {b}?"},
		[]string{"Who was born later, {a} or {b}?", "Who is younger, {a} or {b}?"},
		[]string{"Was {a} born before {b}?", "Is {a} older than {b}?"}},
	{released, []kind{film, album},
		[]string{"Which {k} was released first, {a} or {b}?", "Which {k} is older, {a} or {b}?", "Which {k} came out earlier, {a} or {b}?"},
		[]string{"Which {k} was released later, {a} or {b}?", "Which {k} is more recent, {a} or {b}?"},
		[]string{"Was {a} released before {b}?"}},
	{published, []kind{novel},
		[]string{"Which {k} was published first, {a} or {b}?", "Which {k} is older, {a} or {b}?"},
		[]string{"Which {k} was published later, {a} or {b}?"},
		[]string{"Was {a} published before {b}?"}},
	{premiered, []kind{play},
		[]string{"Which {k} premiered first, {a} or {b}?", "Which {k} is older, {a} or {b}?"},
		[]string{"Which {k} premiered later, {a} or {b}?"},
		[]string{"Did {a} premiere before {b}?"}},
	{founded, []kind{company, university, institute, museum},
		[]string{"Which {k} was founded first, {a} or {b}?", "Which {k} is older, {a} or {b}?"},
		[]string{"Which {k} was founded later, {a} or {b}?", "Which {k} is younger, {a} or {b}?"},
		[]string{"Was {a} founded before {b}?", "Is {a} older than {b}?"}},
	{length, []kind{river},
		[]string{"Which {k} is shorter, {a} or {b}?"},
		[]string{"Which {k} is longer, {a} or {b}?"},
		[]string{"Is {a} shorter than {b}?"}},
	{height, []kind{mountain},
		[]string{"Which {k} is lower, {a} or {b}?"},
		[]string{"Which {k} is higher, {a} or {b}?"},
		[]string{"Is {a} lower than {b}?"}},
}

// same are the questions whether two things of one kind share an object, at
// the end of one relation or of two.
var same = []struct {
	path  []relation
	kinds []kind
	asks  []string
}{
	{[]relation{birthplace}, []kind{person}, []string{"Were {a} and {b} born in the same city?"}},
	{[]relation{school}, []kind{person}, []string{"Did {a} and {b} study at the same university?"}},
	{[]relation{director}, []kind{film}, []string{"Were {a} and {b} directed by the same person?", "Do {a} and {b} have the same director?"}},
	{[]relation{author}, []kind{novel}, []string{"Were {a} and {b} written by the same person?"}},
	{[]relation{located}, []kind{city, mountain}, []string{"Are {a} and {b} located in the same country?"}},
	{[]relation{waterway}, []kind{city}, []string{"Do {a} and {b} lie on the same river?"}},
	{[]relation{birthplace, located}, []kind{person}, []string{"Were {a} and {b} born in the same country?"}},
	{[]relation{seat, located}, houses, []string{"Are {a} and {b} located in the same country?"}},
	{[]relation{headquarters, located}, []kind{company}, []string{"Are {a} and {b} headquartered in the same country?"}},
}
