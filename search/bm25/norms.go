package bm25

import (
	"math"

	"trawl/search/index"
)

// knownNorms is up to which length norms are looked up.
const knownNorms = 1 << 12

// norms knows k1·(1 − b + b·dl/avgdl) for every length dl of a document.
type norms struct {
	params index.Params
	avgdl  float64
	known  [knownNorms]float64
}

// newNorms returns the norms among n documents of the total length.
func newNorms(p index.Params, total uint64, n int) *norms {
	s := &norms{params: p, avgdl: float64(total) / float64(max(n, 1))}
	for dl := range s.known {
		s.known[dl] = p.Norm(uint64(dl), s.avgdl)
	}
	return s
}

func (s *norms) of(dl uint32) float64 {
	if dl < knownNorms {
		return s.known[dl]
	}
	return s.params.Norm(uint64(dl), s.avgdl)
}

// saturation returns tf / (tf + k1·(1 − b + b·dl/avgdl)), the part of a term's
// score that grows with tf, towards 1. tf is at least 1.
func (s *norms) saturation(tf, dl uint32) float64 {
	return float64(tf) / (float64(tf) + s.of(dl))
}

// roundUp returns the smallest float32 that is not less than x.
func roundUp(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}
