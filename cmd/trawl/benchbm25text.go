package main

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"trawl/search"
)

// functionWords are the words that hold English sentences together, with how many
// of 100,000 words of Wikipedia each is: counts over 11,951 paragraphs that
// HotpotQA, MuSiQue and 2WikiMultihopQA took from it. Together they are 37.7 % of
// those, and the 33 stop words 29.4 %.
const functionWords = `the:6498 of:3853 and:3138 in:2725 a:2111 was:1562 is:1420 to:1240 by:988 as:877 he:796 on:729 for:724 his:655 with:511 it:506
an:494 from:486 at:438 also:275 first:272 that:249 who:240 which:231 she:224 known:210 her:209 has:204 one:193 or:182 new:182 after:159 its:158
were:146 are:142 two:139 had:138 may:130 their:124 this:120 during:119 be:109 been:108 most:105 but:104 time:102 became:93 later:93 all:92
between:86 have:86 other:85 year:85 not:84 they:83 name:83 years:81 three:80 into:79 when:77 until:76 over:74 part:74 only:74 including:72
made:69 under:68 well:68 more:67 since:66 where:63 before:63 about:61 former:61 many:61 such:60 up:60 number:60 both:60 no:54 several:54
early:52 while:52 being:52 through:51 then:51 him:49 same:49 last:46 there:44 called:42 used:38 would:36 against:33 around:26 did:26 can:25
will:24 these:23 them:22 what:20 could:12 if:12 how:9`

// The shape of synthetic passages. The shares are those at which these come near
// the same paragraphs in distinct terms of a passage and in how often a passage
// repeats a word.
const (
	functionShare = 0.377
	numberShare   = 0.048 // of all words
	fieldShare    = 0.30  // of the others, those of the page's field
	pageShare     = 0.36  // and those of the page alone

	commonWords = 60_000    // that a table holds
	allWords    = 2_000_000 // with those that are made as they come
	zipfShift   = 200       // of Zipf–Mandelbrot's law (r + shift)^-exponent
	zipfPower   = 1.35
	tailSteps   = 64 // in which the rare words are drawn

	fields     = 2000 // subjects that pages are about
	fieldWords = 300
	pageWords  = 20
	longTitle  = 3
)

// A synthetic makes passages that are like Wikipedia's in what decides the speed
// of an index: how often words come, how they cluster, how long passages are.
// Passage i depends on the seed and i alone. It is safe for concurrent use.
type synthetic struct {
	seed     uint64
	function aliasTable
	joints   []string // the function words
	content  aliasTable
	words    []string   // content words by rank
	tail     []uint32   // where the steps of the rarer ones begin, and where the last ends
	fields   [][]uint32 // ranks
}

func newSynthetic(seed int64) *synthetic {
	s := &synthetic{seed: uint64(seed), words: make([]string, commonWords)}
	var weights []float64
	for _, pair := range strings.Fields(functionWords) {
		word, count, _ := strings.Cut(pair, ":")
		n, _ := strconv.Atoi(count) // a constant
		s.joints, weights = append(s.joints, word), append(weights, float64(n))
	}
	s.function = newAliasTable(weights)
	var room []byte
	for rank := range s.words {
		room = appendWord(room[:0], s.seed, uint32(rank))
		s.words[rank] = string(room)
	}
	s.content = newAliasTable(s.weights())
	r := rand.New(rand.NewPCG(s.seed, math.MaxUint64))
	s.fields = make([][]uint32, fields)
	for i := range s.fields {
		s.fields[i] = make([]uint32, fieldWords)
		for j := range s.fields[i] {
			s.fields[i][j] = logUniform(r.Float64(), 20, commonWords)
		}
	}
	return s
}

// weights returns how often the common words come, and each step of the others.
func (s *synthetic) weights() []float64 {
	weights := make([]float64, commonWords, commonWords+tailSteps)
	for rank := range weights {
		weights[rank] = math.Pow(float64(rank+1+zipfShift), -zipfPower)
	}
	// The integral of the law over a step.
	upTo := func(rank float64) float64 { return -math.Pow(rank+zipfShift, 1-zipfPower) / (zipfPower - 1) }
	growth := math.Pow(float64(allWords)/commonWords, 1.0/tailSteps)
	s.tail = []uint32{commonWords}
	for i := range tailSteps {
		end := math.Round(commonWords * math.Pow(growth, float64(i+1)))
		weights = append(weights, upTo(end)-upTo(float64(s.tail[i])))
		s.tail = append(s.tail, uint32(end))
	}
	return weights
}

// logUniform turns a number from 0 to 1 into a rank whose logarithm is uniform.
func logUniform(u, low, high float64) uint32 {
	return uint32(low * math.Pow(high/low, u))
}

// A page is what the passages of one article share.
type page struct {
	title    []uint32 // ranks
	words    []uint32 // its own, those of the title first
	field    []uint32
	first    int // number of its first passage
	passages int
}

// pageSizes are the passages of neighbouring pages; Wikipedia has some six to a
// page, unevenly.
var pageSizes = [...]int{1, 2, 2, 5, 1, 3, 17, 1, 4, 3}

// page returns the page of a passage.
func (s *synthetic) page(passage int) page {
	cycle := 0
	for _, n := range pageSizes {
		cycle += n
	}
	p := page{first: passage / cycle * cycle}
	for _, p.passages = range pageSizes {
		if passage < p.first+p.passages {
			break
		}
		p.first += p.passages
	}
	r := rand.New(rand.NewPCG(s.seed, uint64(p.first)<<1|1))
	p.field = s.fields[r.IntN(fields)]
	p.words = make([]uint32, pageWords)
	for i := range p.words {
		p.words[i] = logUniform(r.Float64(), 20, allWords)
	}
	p.title = p.words[:1+r.IntN(longTitle)]
	return p
}

// passage returns passage i.
func (s *synthetic) passage(i int) search.Document {
	p := s.page(i)
	w := passageWriter{synthetic: s, page: p, random: rand.NewPCG(s.seed, uint64(i)<<1), text: make([]byte, 0, 720)}
	for _, rank := range p.title {
		w.sentence = true // each word of a title has a capital
		w.content(rank)
	}
	title := len(w.text) - 1
	w.sentence = true
	length := 100
	if i == p.first+p.passages-1 { // the rest of the page
		length = 20 + int(w.below(80))
	}
	for range length {
		w.word()
	}
	all := string(bytes.TrimRight(w.text, " .,")) + "."
	return search.Document{ID: strconv.Itoa(i), Title: all[:title], Text: all[title+1:]}
}

// A passageWriter writes the words of one passage.
type passageWriter struct {
	*synthetic
	page     page
	random   *rand.PCG
	text     []byte
	sentence bool // one begins
}

// below returns a number below n, which is far below 2^32.
func (w *passageWriter) below(n uint64) uint64 {
	hi, _ := bits.Mul64(w.random.Uint64(), n)
	return hi
}

// skewed returns a number below n, which is at most 2^16, mostly a small one.
func (w *passageWriter) skewed(n uint64) uint64 {
	u := w.random.Uint64() >> 48
	return u * u >> 16 * n >> 16
}

// word writes a word, and what stands behind it. One random number decides which
// kind it is and how it is set: its bits, from the top.
func (w *passageWriter) word() {
	u := w.random.Uint64()
	kind, set := float64(u>>32)/(1<<32), uint32(u)
	switch rest := (kind - functionShare - numberShare) / (1 - functionShare - numberShare); {
	case kind < functionShare:
		w.put(w.joints[w.function.draw(w.random.Uint64())], false)
	case rest < 0:
		w.number()
	case rest < pageShare:
		w.setContent(w.page.words[w.skewed(pageWords)], set>>28 < 12)
	case rest < pageShare+fieldShare:
		w.setContent(w.page.field[w.skewed(fieldWords)], set>>28 < 3)
	default:
		w.setContent(w.rank(), set>>28 < 4)
	}
	switch end, mark := len(w.text)-1, set&255; {
	case mark < 13: // one word in twenty
		w.text[end] = '.'
		w.text = append(w.text, ' ')
		w.sentence = true
	case mark < 29: // one in sixteen
		w.text[end] = ','
		w.text = append(w.text, ' ')
	}
}

// rank draws a content word.
func (w *passageWriter) rank() uint32 {
	rank := w.synthetic.content.draw(w.random.Uint64())
	if rank < commonWords {
		return rank
	}
	low, high := w.tail[rank-commonWords], w.tail[rank-commonWords+1]
	return low + uint32(w.below(uint64(high-low)))
}

func (w *passageWriter) setContent(rank uint32, capital bool) {
	w.sentence = w.sentence || capital
	w.content(rank)
}

// content writes a content word.
func (w *passageWriter) content(rank uint32) {
	if rank < commonWords {
		w.put(w.words[rank], false)
		return
	}
	start := len(w.text)
	w.text = append(appendWord(w.text, w.seed, rank), ' ')
	w.capital(start)
}

// number writes a year or a small number.
func (w *passageWriter) number() {
	n := w.below(300)
	if n >= 80 {
		n = 2020 - (n-80)*(n-80)/220
	}
	w.sentence = false
	w.text = append(strconv.AppendUint(w.text, n+1, 10), ' ')
}

func (w *passageWriter) put(word string, capital bool) {
	w.sentence = w.sentence || capital
	start := len(w.text)
	w.text = append(append(w.text, word...), ' ')
	w.capital(start)
}

// capital begins the word at start with a capital, if one is due.
func (w *passageWriter) capital(start int) {
	if w.sentence {
		w.text[start] -= 'a' - 'A'
	}
	w.sentence = false
}
