package main

// Parts of made-up words. Endings are such that a stemmer has its work.
var (
	wordOnsets  = [...]string{"b", "b", "c", "ch", "c", "d", "d", "f", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "p", "pr", "qu", "r", "s", "sh", "s", "st", "t", "th", "t", "v", "w", "z"}
	wordVowels  = [...]string{"a", "e", "i", "o", "u", "a", "e", "i", "o", "a", "e", "i", "ou", "ea", "y", "io"}
	wordCodas   = [...]string{"", "", "", "n", "r", "l", "s", "t", "m", "nd", "st", "rt", "ck", "ng", "ll", "x"}
	wordEndings = [...]string{"", "", "", "", "", "", "", "", "s", "s", "ed", "ing", "er", "ation", "ly", "al"}
)

// appendWord appends the content word of a rank: the rarer, the longer.
func appendWord(b []byte, seed uint64, rank uint32) []byte {
	h := mix(seed ^ uint64(rank)<<20)
	syllables := 1
	if rank >= 200 {
		syllables++
	}
	if rank >= 20_000 && h>>63 == 1 {
		syllables++
	}
	for i := range syllables {
		b = append(b, wordOnsets[h&31]...)
		b = append(b, wordVowels[h>>5&15]...)
		if i == syllables-1 || h>>9&3 == 0 {
			b = append(b, wordCodas[h>>11&15]...)
		}
		h >>= 15
	}
	if rank >= 200 {
		b = append(b, wordEndings[h&15]...)
	}
	return b
}

// mix spreads a number over all 64 bits; it is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// An aliasTable draws from a distribution in constant time (Walker 1977, built as
// by Vose 1991).
type aliasTable struct {
	keep  []uint32 // of 2^32, how often an entry drawn evenly stands for itself
	other []uint32 // and else for this one
}

func newAliasTable(weights []float64) aliasTable {
	n, sum := len(weights), 0.0
	for _, w := range weights {
		sum += w
	}
	a := aliasTable{make([]uint32, n), make([]uint32, n)}
	scaled := make([]float64, n)
	var small, large []uint32
	for i, w := range weights {
		if scaled[i] = w * float64(n) / sum; scaled[i] < 1 {
			small = append(small, uint32(i))
		} else {
			large = append(large, uint32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.keep[s], a.other[s] = uint32(scaled[s]*(1<<32-1)), l
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			small, large = append(small, l), large[:len(large)-1]
		}
	}
	for _, i := range append(small, large...) { // 1 but for rounding
		a.keep[i], a.other[i] = 1<<32-1, i
	}
	return a
}

// draw turns 64 random bits into an entry.
func (a *aliasTable) draw(u uint64) uint32 {
	i := uint32(u >> 32 * uint64(len(a.keep)) >> 32)
	if uint32(u) <= a.keep[i] {
		return i
	}
	return a.other[i]
}
