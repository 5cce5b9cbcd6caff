package weave

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Suite is a benchmark of so many questions with a mean complexity and a share
// of traps. The numbers are those that DeepResearch-Bench reports; forms and
// sizes of worlds are choices.
type Suite struct {
	Name      string
	Questions int
	Mean      float64 // of C
	Traps     float64
	Entities  int
	Mix       Mix // of the pool that questions are sampled from
}

// Suites returns the suites.
func Suites() []Suite {
	return []Suite{
		{Name: "core", Questions: 500, Mean: 3.5, Traps: 0.2, Entities: 4000,
			Mix: Mix{Chain2: 15, Chain3: 35, Chain4: 25, Intersection: 25}},
		{Name: "robustness", Questions: 100, Mean: 4.2, Traps: 1, Entities: 2000,
			Mix: Mix{Chain2: 5, Chain3: 35, Chain4: 30, Intersection: 30}},
		{Name: "scaffolding", Questions: 50, Mean: 5.8, Traps: 0.4, Entities: 2000,
			Mix: Mix{Chain4: 15, Chain5: 25, Chain6: 25, Intersection: 10, Braid: 25}},
	}
}

// SuiteOf returns the suite of that name.
func SuiteOf(name string) (Suite, error) {
	var names []string
	for _, s := range Suites() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Suite{}, fmt.Errorf("weave: unknown suite %q: want one of %s", name, strings.Join(names, ", "))
}

// MeanTolerance is how far a suite's mean complexity may be from its due.
const MeanTolerance = 0.05

// A shelf is the questions of one complexity, by their numbers, and how many of
// them are taken.
type shelf struct {
	c    float64
	all  []int
	take int
}

// sample picks n of the numbers in pool so that the mean of c is near mean: from
// each complexity a share in proportion to
//
//	available · exp(λ·C)
//
// with λ such that the expected mean is right (the picks that say least beside
// the mean), rounded, and then moved by single questions until no move is nearer.
func sample(pool []int, c func(int) float64, n int, mean float64) []int {
	shelves := shelve(pool, c)
	if len(pool) <= n || len(shelves) == 0 {
		return pool[:min(n, len(pool))]
	}
	expected := func(tilt float64) (sum, weight float64) {
		for _, s := range shelves {
			w := float64(len(s.all)) * math.Exp(tilt*(s.c-mean))
			sum, weight = sum+w*s.c, weight+w
		}
		return sum, weight
	}
	low, high := -20.0, 20.0
	for range 60 {
		mid := (low + high) / 2
		if sum, weight := expected(mid); sum < mean*weight {
			low = mid
		} else {
			high = mid
		}
	}
	_, weight := expected(low)
	left := n
	for _, s := range shelves {
		share := float64(len(s.all)) * math.Exp(low*(s.c-mean)) / weight
		s.take = min(len(s.all), left, int(math.Round(share*float64(n))))
		left -= s.take
	}
	balance(shelves, n, left, mean)
	var picked []int
	for _, s := range shelves {
		picked = append(picked, s.all[:s.take]...)
	}
	slices.Sort(picked)
	return picked
}

// shelve sorts the numbers of pool by complexity, least first.
func shelve(pool []int, c func(int) float64) []*shelf {
	var shelves []*shelf
	for _, i := range pool {
		at := slices.IndexFunc(shelves, func(s *shelf) bool { return s.c == c(i) })
		if at < 0 {
			at = len(shelves)
			shelves = append(shelves, &shelf{c: c(i)})
		}
		shelves[at].all = append(shelves[at].all, i)
	}
	slices.SortFunc(shelves, func(a, b *shelf) int { return int(2 * (a.c - b.c)) })
	return shelves
}

// balance takes what is left from the shelves nearest to the mean, and then
// moves one question at a time.
func balance(shelves []*shelf, n, left int, mean float64) {
	for ; left > 0; left-- {
		var best *shelf
		for _, s := range shelves {
			if s.take < len(s.all) && (best == nil || math.Abs(s.c-mean) < math.Abs(best.c-mean)) {
				best = s
			}
		}
		best.take++
	}
	for {
		excess := -mean * float64(n)
		for _, s := range shelves {
			excess += s.c * float64(s.take)
		}
		var from, to *shelf
		least := math.Abs(excess) - 1e-9
		for _, a := range shelves {
			for _, b := range shelves {
				if a.take > 0 && b.take < len(b.all) && math.Abs(excess+b.c-a.c) < least-1e-9 {
					from, to, least = a, b, math.Abs(excess+b.c-a.c)
				}
			}
		}
		if from == nil {
			return
		}
		from.take--
		to.take++
	}
}

// supply says how many numbers of pool there are of each complexity.
func supply(pool []int, c func(int) float64) string {
	var parts []string
	for _, s := range shelve(pool, c) {
		parts = append(parts, fmt.Sprintf("%d of C %.1f", len(s.all), s.c))
	}
	return strings.Join(parts, ", ")
}
