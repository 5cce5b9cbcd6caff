package weave

// Word lists of names. Their order is part of the world's identity: a change
// here changes every world.

var women = []string{
	"Ada", "Agnes", "Alba", "Alma", "Amara", "Anika", "Anja", "Astrid", "Aurelia", "Beatrix", "Bela", "Brigid",
	"Carla", "Celia", "Clara", "Corina", "Dagmar", "Dalia", "Daria", "Delphine", "Edda", "Elena", "Elin", "Elsa",
	"Esther", "Eva", "Farah", "Fiona", "Flora", "Freya", "Gerda", "Greta", "Hana", "Hedda", "Helga", "Ida",
	"Ilona", "Ines", "Ingrid", "Irena", "Iris", "Isolde", "Jana", "Johanna", "Judith", "Karin", "Katya", "Lara",
	"Lena", "Lidia", "Lina", "Lotte", "Lucia", "Magda", "Maren", "Marta", "Mina", "Mira", "Myra", "Nadia",
	"Nina", "Nora", "Odile", "Olga", "Paula", "Petra", "Ramona", "Rita", "Rosa", "Ruth", "Sabine", "Selma",
	"Silvia", "Sonja", "Tamar", "Tessa", "Thea", "Ursula", "Vera", "Vilma", "Wanda", "Yara", "Zelda", "Zora",
}

var men = []string{
	"Aaron", "Adrian", "Albin", "Alvar", "Anders", "Anton", "Arno", "Axel", "Basil", "Bruno", "Casper", "Cedric",
	"Clemens", "Conrad", "Cyril", "Damian", "Dario", "Denis", "Edgar", "Edmund", "Egon", "Elias", "Emil", "Erik",
	"Ernst", "Eugen", "Fabian", "Felix", "Florian", "Franz", "Gabriel", "Georg", "Gregor", "Gustav", "Hannes", "Harald",
	"Hector", "Henrik", "Hugo", "Igor", "Ivan", "Ivo", "Jakob", "Jasper", "Joel", "Jonas", "Julian", "Karel",
	"Kaspar", "Klaus", "Konrad", "Lars", "Leon", "Leopold", "Linus", "Lorenz", "Lucas", "Magnus", "Marek", "Marius",
	"Matteo", "Milan", "Moritz", "Nikolai", "Nils", "Oscar", "Otto", "Pascal", "Pavel", "Philip", "Rafael", "Roman",
	"Rufus", "Samuel", "Sergei", "Simon", "Stefan", "Sven", "Tobias", "Tomas", "Ulrich", "Viktor", "Walter", "Zoltan",
}

var surnameStarts = []string{
	"Ab", "Ack", "Ad", "Al", "Amb", "And", "Arn", "Ash", "Bal", "Bar", "Ber", "Bex", "Bir", "Blom", "Bor", "Bran",
	"Bren", "Brun", "Cal", "Car", "Cas", "Chal", "Cor", "Crom", "Dal", "Dar", "Del", "Den", "Dor", "Drum", "Ebb", "Eck",
	"El", "Em", "Er", "Fal", "Far", "Fen", "Fir", "Fors", "Gal", "Gar", "Gel", "Gor", "Grim", "Had", "Hal", "Har",
	"Hel", "Hol", "Hor", "Ing", "Jar", "Jes", "Kal", "Kar", "Kel", "Ker", "Kil", "Kor", "Lam", "Lan", "Lar", "Len",
	"Lin", "Lor", "Lund", "Mal", "Mar", "Mel", "Mor", "Nar", "Nel", "Nor", "Ol", "Or", "Pal", "Par", "Pel", "Ral",
	"Ran", "Ros", "Sal", "San", "Sel", "Sor", "Stan", "Tal", "Tar", "Thor", "Tor", "Ul", "Van", "Var", "Vel", "Vos",
	"Wal", "War", "Wel", "Wes", "Wil", "Yar", "Zan", "Zel",
}

var surnameMids = []string{"a", "e", "i", "o", "den", "ber", "mer", "ker", "lin", "der", "gen", "vin"}

var surnameEnds = []string{
	"an", "ard", "as", "beck", "berg", "borg", "by", "cott", "dahl", "dale", "den", "dt", "dson", "ek", "ell", "en",
	"er", "es", "ett", "ey", "feld", "ford", "gren", "hart", "holm", "ik", "in", "ing", "is", "kov", "land", "ler",
	"ley", "lin", "lund", "man", "mark", "mer", "nik", "ow", "rick", "sen", "ser", "son", "stad", "ström", "ten", "vik",
	"well", "wick",
}

var placeStarts = []string{
	"Ald", "Alder", "Amber", "Ar", "Arken", "Bal", "Barrow", "Bel", "Berg", "Black", "Bram", "Brim", "Cal", "Carn", "Chal", "Clar",
	"Col", "Cor", "Cran", "Dal", "Darn", "Del", "Dor", "Drav", "Dun", "Eb", "Elder", "Elm", "Esk", "Fal", "Far", "Fen",
	"Fern", "Gal", "Garn", "Glen", "Gol", "Gran", "Halver", "Har", "Hask", "Hazel", "Hel", "Hol", "Hurst", "Ing", "Iron", "Jor",
	"Kal", "Karl", "Kel", "Kess", "Kings", "Lamb", "Lang", "Lark", "Lind", "Lor", "Mal", "Marl", "Mel", "Mill", "Mor", "Nar",
	"Neth", "Nor", "Oak", "Ol", "Orm", "Pel", "Pen", "Quar", "Rav", "Red", "Rook", "Ros", "Sal", "Sel", "Shar", "Sil",
	"Stan", "Stav", "Tal", "Tarn", "Thorn", "Tol", "Ul", "Val", "Vel", "Ver", "Wal", "Wes", "Whit", "Wil", "Win", "Wolf",
	"Yar", "Zel",
}

var placeMids = []string{"a", "e", "i", "o", "en", "er", "in", "ing", "is", "mer", "ver", "den", "ham", "les"}

var placeEnds = []string{
	"bach", "beck", "berg", "borough", "bourne", "bridge", "brook", "burg", "bury", "by", "cliff", "combe", "dale", "dorf", "ern", "ev",
	"fell", "field", "ford", "furt", "gate", "grad", "ham", "haven", "heim", "hill", "holm", "holt", "hurst", "ica", "ila", "ingen",
	"ino", "land", "lea", "leigh", "marsh", "mere", "minster", "mouth", "ness", "ora", "port", "ridge", "shaw", "stad", "stead", "stone",
	"stow", "thorpe", "ton", "town", "vale", "ville", "wald", "well", "wich", "wick", "wood", "worth",
}

var countryEnds = []string{"avia", "enia", "istan", "land", "ora", "onia", "aria", "mark", "esia", "ovia"}

var cityModifiers = []string{"", "North ", "New ", "Upper ", "East ", "Old ", "Lower ", "South ", "West ", "Great ", "Little ", "Port "}

var adjectives = []string{
	"Amber", "Ancient", "Ashen", "Autumn", "Bitter", "Black", "Blind", "Blue", "Borrowed", "Brass", "Bright", "Broken",
	"Burning", "Buried", "Cold", "Common", "Copper", "Crimson", "Crooked", "Crystal", "Dark", "Deep", "Distant", "Double",
	"Dry", "Eastern", "Early", "Electric", "Empty", "Endless", "Faded", "False", "Far", "Fallen", "First", "Flooded",
	"Foreign", "Forgotten", "Fourth", "Frozen", "Gentle", "Gilded", "Glass", "Golden", "Grey", "Green", "Half", "Hidden",
	"High", "Hollow", "Honest", "Hungry", "Idle", "Inner", "Iron", "Ivory", "Last", "Late", "Lonely", "Long",
	"Lost", "Low", "Marble", "Midnight", "Narrow", "Native", "Nameless", "Northern", "Open", "Outer", "Painted", "Pale",
	"Paper", "Patient", "Plain", "Quiet", "Red", "Restless", "Rising", "Rough", "Royal", "Rusted", "Sacred", "Salted",
	"Scarlet", "Second", "Secret", "Seventh", "Shallow", "Sharp", "Silent", "Silver", "Simple", "Sleeping", "Slow", "Small",
	"Southern", "Stolen", "Stone", "Stormy", "Strange", "Sunken", "Tender", "Third", "Thin", "Tidal", "Twisted", "Velvet",
	"Violet", "Wandering", "Western", "White", "Wild", "Winter", "Wooden", "Yellow",
}

var things = []string{
	"Acre", "Anchor", "Arch", "Arrow", "Bell", "Bird", "Border", "Bottle", "Branch", "Bridge", "Candle", "Canal",
	"Carpet", "Castle", "Chamber", "Circle", "Clock", "Coast", "Corner", "Crown", "Current", "Curtain", "Desert", "Door",
	"Dream", "Drum", "Echo", "Ember", "Engine", "Evening", "Falcon", "Feather", "Ferry", "Field", "Flame", "Forest",
	"Fountain", "Frontier", "Garden", "Gate", "Ghost", "Glacier", "Guest", "Hammer", "Harbor", "Harbour", "Harvest", "Heron",
	"Hill", "Horizon", "Horse", "Hour", "House", "Island", "Journey", "Key", "Kingdom", "Kite", "Ladder", "Lake",
	"Lamp", "Lantern", "Letter", "Map", "Market", "Mask", "Meadow", "Mill", "Mirror", "Moon", "Morning", "Needle",
	"Night", "Ocean", "Orchard", "Organ", "Palace", "Parade", "Passage", "Path", "Pearl", "Pilgrim", "Planet", "Port",
	"Promise", "Quarry", "Raven", "Reef", "Ribbon", "River", "Road", "Room", "Root", "Rope", "Sail", "Sea",
	"Season", "Shadow", "Ship", "Shore", "Signal", "Sky", "Snow", "Song", "Sparrow", "Spire", "Spring", "Stair",
	"Star", "Station", "Stranger", "Stream", "Street", "Summer", "Table", "Tide", "Tower", "Traveller", "Tree", "Valley",
	"Voice", "Voyage", "Wall", "Water", "Wave", "Window", "Wing", "Winter", "Wolf", "Year",
}

var tails = []string{
	"Light", "Song", "Road", "Letters", "Gate", "Hour", "Story", "Diary", "Affair", "Line", "Watch", "House",
	"Sonata", "Rain", "Fire", "Key", "Bell", "Dance", "Station", "Legacy", "Memory", "Chronicle", "Game", "Code",
	"Summer", "Crossing", "Return", "Trail", "Mystery", "Waltz",
}

var sectors = []string{
	"Instruments", "Optics", "Shipping", "Foods", "Motors", "Chemicals", "Press", "Textiles", "Steel", "Paper", "Airways", "Pharmaceuticals",
	"Electric", "Breweries", "Ceramics", "Glassworks", "Railways", "Energy", "Foundries", "Timber", "Mining", "Radio", "Tools", "Cycles",
	"Studios", "Records", "Systems", "Engines", "Mills", "Turbines",
}

var sciences = []string{
	"Optics", "Botany", "Hydrology", "Geology", "Astronomy", "Acoustics", "Metallurgy", "Linguistics", "Economics", "Genetics", "Virology", "Cartography",
	"Meteorology", "Oceanography", "Crystallography", "Mechanics", "Seismology", "Toxicology", "Zoology", "Statistics",
}

var collections = []string{
	"Glass", "Clocks", "Textiles", "Ceramics", "Modern Art", "Natural History", "Photography", "Porcelain", "Maps", "Navigation", "Printing", "Toys",
	"Coins", "Armour", "Folk Art", "Cinema", "Railways", "Minerals", "Costume", "Sculpture",
}

var arts = []string{
	"Film", "Music", "Theatre", "Book", "Jazz", "Opera", "Dance", "Poetry", "Light", "Folk", "Harvest", "Kite",
	"Wine", "Puppet", "Choral", "Lantern",
}

var fields = []string{
	"Fiction", "Poetry", "Chemistry", "Architecture", "Drama", "Physics", "History", "Medicine", "Music", "Engineering", "Painting", "Translation",
	"Mathematics", "Biography", "Sculpture", "Exploration",
}

// trades are the occupations; [trade] values are indexes into it.
var trades = []string{
	"film director", "novelist", "composer", "singer", "playwright", "politician", "general", "engineer",
	"historian", "chemist", "architect", "painter", "physicist", "industrialist",
}

// Indexes of the trades that relations ask for.
const (
	filmDirector = iota
	novelist
	composing
	singer
	playwriting
	politician
	general
)

// tradeCycle is the make-up of every sixteen persons: the trades whose members
// have works come twice.
var tradeCycle = []uint8{0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}

// famous are names, in normal form, that the lists can make and that belong to
// something real and well known. No entity has one.
var famous = map[string]bool{
	"silent spring": true, "red desert": true, "glass castle": true, "secret garden": true, "third wave": true,
	"blue lagoon": true, "lost horizon": true, "dark tower": true, "dark shadows": true, "white castle": true,
	"golden gate": true, "golden gate bridge": true, "black mirror": true, "black sea": true, "red sea": true,
	"yellow river": true, "high castle": true, "deep blue sea": true, "long night": true, "painted desert": true,
	"last station": true, "first wave": true, "quiet earth": true, "wild river": true, "blue planet": true,
	"white wolf": true, "red planet": true, "long road": true, "last kingdom": true, "night watch": true,
	"purple rain": true, "stone tower": true, "silver stream": true, "black forest": true, "black hill": true,
	"black hills": true, "winter palace": true, "red river": true, "long island": true, "white house": true,
	"frozen sea": true, "hollow crown": true, "iron bridge": true, "golden horde": true, "sea wolf": true,
	"walter scott": true, "felix salten": true, "gabriel faure": true, "karel capek": true, "hugo boss": true,
	"malaria": true, "malesia": true, "london": true, "oakland": true, "milwaukee": true, "stanford": true, "harvard": true, "kingston": true,
	"halifax": true, "redmond": true, "salford": true, "walford": true, "wilmington": true, "winchester": true,
	"whitby": true, "norwich": true, "norwood": true, "hereford": true, "iceland": true, "galicia": true,
	"shetland": true, "westminster": true, "port stanley": true, "stanley": true, "kalstad": true, "karlstad": true,
	"milton": true, "melbourne": true, "kingsbridge": true, "holland": true, "ireland": true, "finland": true,
	"poland": true, "denmark": true, "estonia": true, "romania": true, "bulgaria": true, "slovenia": true,
	"moldavia": true, "moldova": true, "valenia": true, "rosenberg": true, "ashland": true, "ironbridge": true,
	"silverstone": true, "williams": true, "salzburg": true, "bergen": true, "mount hood": true, "wolfsburg": true,
}
