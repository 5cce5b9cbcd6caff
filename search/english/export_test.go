package english

// EachScanned is [Analyzer.Each] without what it does for speed: the shorter way
// for words in ASCII, and places where no token begins.
func (a *Analyzer) EachScanned(text string, f func(term string, stop bool)) {
	for i := 0; i < len(text); {
		a.barren = 0
		end, found := a.scan(text, i)
		if found {
			w := a.word(text[i:end])
			f(w.Term, w.Stop)
		}
		i = end
	}
}
