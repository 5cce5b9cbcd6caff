package weave

// fillers are sentences that answer no question, by kind; some hold a year, a
// number or a city to lead a careless reader astray. {s}, {s's} and {p} are as
// in [wording], {y} is a year after the topic began, {n} a small number, {city}
// any city. No filler has the shape of a sentence of the lexicon.
var fillers = [entityKinds][]string{
	person: aboutPersons,
	film:   aboutFilms, novel: aboutBooks, album: aboutAlbums, play: aboutPlays,
	company: aboutCompanies, university: aboutHouses, institute: aboutHouses, museum: aboutHouses,
	city: aboutCities, country: aboutCountries, river: aboutRivers, mountain: aboutMountains,
	festival: aboutMeetings, conference: aboutMeetings, battle: aboutBattles, prize: aboutPrizes,
}

var (
	aboutPersons = []string{
		"{s} lived for several years in {city}.",
		"A street in {city} carries {p} name.",
		"In {y}, {s} gave a series of lectures in {city}.",
		"{s's} letters were collected in {n} volumes.",
		"Friends described {s} as patient, exact and fond of long walks.",
		"{s} spoke four languages and collected old maps.",
		"Little is known about the early years.",
		"A biography appeared in {y} and was reprinted twice.",
		"{s} kept a diary that was sold at auction in {y}.",
		"Critics have praised the clarity and restraint of the early work.",
		"{s} declined several honours during {p} later life.",
		"An exhibition about {p} life was shown in {city} in {y}.",
	}
	aboutFilms = []string{
		"Several scenes were shot near {city}.",
		"{s} received mixed reviews but drew large audiences.",
		"A restored print was shown in {city} in {y}.",
		"The production employed more than {n} extras.",
		"Filming was delayed for {n} weeks by heavy rain.",
		"Reviewers praised its photography and its quiet ending.",
		"The plot follows a family that waits for a ship.",
		"{s} was nominated for {n} minor awards.",
		"A television version was planned in {y} but never made.",
		"{s} has since become a favourite of late-night cinemas.",
		"The budget was small and most of the cast were amateurs.",
	}
	aboutBooks = []string{
		"{s} tells the story of two sisters who run an inn.",
		"The manuscript was found in a drawer in {city}.",
		"The first printing sold out within {n} days.",
		"{s} has been translated into {n} languages.",
		"Reviewers compared its plain style with that of a chronicle.",
		"A school edition with notes was issued in {y}.",
		"Most of the plot takes place during a single winter.",
		"{s} was banned for a short time in {city}.",
		"A new translation was prepared in {y}.",
		"Scholars still disagree about the meaning of the last chapter.",
		"{s} is often read as a farewell to village life.",
	}
	aboutAlbums = []string{
		"{s} contains {n} songs and a short instrumental.",
		"The sessions took {n} days in a studio near {city}.",
		"{s} reached the lower part of the charts.",
		"Reviewers praised its warm sound and plain lyrics.",
		"A remastered edition was issued in {y}.",
		"The cover shows a photograph of an empty platform.",
		"The tour that followed ended in {city}.",
		"{s} sold slowly at first and steadily afterwards.",
		"One of the songs was used in an advertisement in {y}.",
		"{s} is considered a turning point by most listeners.",
		"The lyrics deal with travel, distance and the weather.",
	}
	aboutPlays = []string{
		"{s} has three acts and a short epilogue.",
		"The action takes place in a waiting room on one evening.",
		"A revival in {city} ran for {n} nights.",
		"{s} calls for a cast of {n} and almost no scenery.",
		"Early reviews were cool, and later ones much warmer.",
		"A radio version was broadcast in {y}.",
		"{s} is often performed by school companies.",
		"The text was revised in {y} for a theatre in {city}.",
		"Several lines have become proverbs.",
		"The original costumes are lost.",
		"{s} deals with a quarrel about an inheritance.",
	}
	aboutCompanies = []string{
		"{s} opened a branch office in {city} in {y}.",
		"The workforce grew to more than {n} hundred people.",
		"A strike stopped production for {n} days in {y}.",
		"{s} supplies customers in more than {n} countries.",
		"The logo shows a heron above two waves.",
		"A fire damaged one of the workshops in {y}.",
		"{s} sponsors a rowing club in {city}.",
		"Profits fell for several years before they recovered.",
		"{s} was one of the first in its trade to publish accounts.",
		"Its products are known for their long service life.",
		"An archive of drawings is open to visitors on request.",
	}
	aboutHouses = []string{
		"{s} keeps a library of more than {n} thousand volumes.",
		"A new wing was opened to the public in {y}.",
		"{s} maintains a small branch in {city}.",
		"About {n} people work there at any time.",
		"The building was damaged by a flood in {y} and repaired.",
		"{s} publishes a yearbook and a quarterly journal.",
		"Guided tours are offered on the first Sunday of each month.",
		"{s} takes part in an exchange of staff with {city}.",
		"The entrance hall is decorated with a large mosaic.",
		"{s} is financed by fees, gifts and a public grant.",
		"A portrait of an early benefactor hangs above the stairs.",
	}
	aboutCities = []string{
		"{s} has about {n} thousand inhabitants.",
		"The old town was rebuilt after a fire in {y}.",
		"A railway line to {city} was opened in {y}.",
		"{s} is known for its covered market and its stone bridges.",
		"The climate is mild, with wet springs and dry summers.",
		"{s} is twinned with {city}.",
		"Local industry includes weaving, brewing and printing.",
		"The town hall has a clock tower with {n} bells.",
		"{s} has {n} schools and a small theatre.",
		"A weekly market has been held on the main square for centuries.",
		"The harbour quarter was restored by its residents.",
	}
	aboutCountries = []string{
		"{s} has a long coast and a mountainous interior.",
		"The economy rests on farming, timber and light industry.",
		"{s} has about {n} provinces, each with an elected council.",
		"A new constitution was adopted in {y}.",
		"The second largest port is near {city}.",
		"{s} is a member of several regional associations.",
		"The railway network was extended between {city} and the coast.",
		"Winters are cold in the north and mild in the south.",
		"{s} is known for its embroidery and its choirs.",
		"The flag shows three green bars on a white field.",
		"Most of the people live in towns and villages of the plains.",
	}
	aboutRivers = []string{
		"{s} is navigable for small boats in summer.",
		"Floods were recorded in {y} and in later years.",
		"The valley is known for orchards and paper mills.",
		"{s} has {n} tributaries, most of them short.",
		"A dam was completed in {y}.",
		"The lower course is lined with poplars and reed beds.",
		"{s} is popular with anglers and canoeists.",
		"Old maps show it under several other names.",
		"{n} bridges cross it, the oldest of them made of timber.",
		"Its water is cold and clear in the upper course.",
		"A ferry once connected the banks below {city}.",
	}
	aboutMountains = []string{
		"The first recorded ascent was made in {y}.",
		"A hut below the summit offers {n} beds.",
		"{s} is covered with snow for most of the year.",
		"On clear days the view reaches as far as {city}.",
		"The lower slopes are used for pasture.",
		"{s} consists mostly of limestone.",
		"A cable car was proposed in {y} and rejected.",
		"Legends tell of a sleeping giant under the summit.",
		"{s} is part of a small nature reserve.",
		"Several rare orchids grow on its southern side.",
		"The usual route takes about six hours on foot.",
	}
	aboutMeetings = []string{
		"{s} attracts about {n} hundred visitors.",
		"The {y} edition was cancelled because of a storm.",
		"Volunteers do most of the work behind the scenes.",
		"{s} lasts for {n} days.",
		"A guest programme travels to {city} every other year.",
		"The opening speech is traditionally very short.",
		"{s} publishes its programme in four languages.",
		"A jubilee volume was printed in {y}.",
		"Reports in the press have been friendly.",
		"Tickets are inexpensive and usually sold out early.",
		"{s} has inspired a smaller event in {city}.",
	}
	aboutBattles = []string{
		"The fighting lasted for {n} hours.",
		"A monument was unveiled on the field in {y}.",
		"Heavy rain made the roads almost impassable.",
		"News of the outcome reached {city} within two days.",
		"Both sides lost about {n} hundred soldiers.",
		"{s} ended the campaign of that summer.",
		"Historians disagree about the number of guns.",
		"{s} is the subject of a large painting.",
		"A truce was agreed soon afterwards.",
		"Relics from the field are shown in {city}.",
		"The ground has since been planted with trees.",
	}
	aboutPrizes = []string{
		"The winner receives a medal and a modest sum of money.",
		"{s} is decided by a jury of {n} members.",
		"No award was made in {y}.",
		"The ceremony is followed by a concert.",
		"{s} is open to candidates from all countries.",
		"Nominations must be sent in before the end of March.",
		"The medal shows an open book and a lamp.",
		"The jury has met in {city} since {y}.",
		"{s} is regarded as an early sign of a great career.",
		"A list of former jurors was published in {y}.",
		"The rules were last changed to admit younger candidates.",
	}
)
