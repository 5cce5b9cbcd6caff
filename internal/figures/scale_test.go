package figures

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScale(t *testing.T) {
	tests := []struct {
		name     string
		axis     Axis
		extent   extent
		min, max float64
		labels   []string
	}{
		{"unit", Axis{Unit: true}, extent{values: []float64{0.3, 0.4}}, 0, 1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{"outside of the unit", Axis{Unit: true}, extent{values: []float64{1.3}}, 0, 1.5, []string{"0", "0.5", "1.0", "1.5"}},
		{"powers of two", Axis{Log2: true}, extent{values: []float64{1, 8, 2}}, 1, 8, []string{"1", "2", "4", "8"}},
		{"between powers of two", Axis{Log2: true}, extent{values: []float64{3, 20}}, 2, 32, []string{"2", "4", "8", "16", "32"}},
		{"one power of two", Axis{Log2: true}, extent{values: []float64{4}}, 2, 8, []string{"2", "4", "8"}},
		{"below one", Axis{Log2: true}, extent{values: []float64{0.25, 1}}, 0.25, 1, []string{"0.25", "0.5", "1"}},
		// 2^0 … 2^40 is 40 steps, so a tick at every fourth.
		{"many powers of two", Axis{Log2: true}, extent{values: []float64{1, 1 << 40}}, 1, 1 << 40,
			[]string{"1", "16", "256", "4096", "65536", "1048576", "1.68e+07", "2.68e+08", "4.29e+09", "6.87e+10", "1.1e+12"}},
		{"room for bars", Axis{Log2: true}, extent{values: []float64{1, 4}, room: 1}, 0.5, 8, []string{"1", "2", "4"}},
		{"names", Axis{Names: []string{"a", "b"}}, extent{values: []float64{0}}, -0.5, 1.5, []string{"a", "b"}},
		{"more places than names", Axis{Names: []string{"a"}}, extent{values: []float64{0, 2}}, -0.5, 2.5, []string{"a"}},
		// A sixth of 11,700 is 1950, so ticks at multiples of 2000 within.
		{"thousands", Axis{}, extent{values: []float64{1200, 12900}}, 1200, 12900, []string{"2k", "4k", "6k", "8k", "10k", "12k"}},
		{"snapped", Axis{}, extent{values: []float64{0.17, 0.695}, snap: true}, 0.1, 0.7, []string{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"}},
		{"millions", Axis{}, extent{values: []float64{0, 2.5e6}, snap: true}, 0, 2.5e6, []string{"0", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"}},
		{"both signs", Axis{}, extent{values: []float64{-1.1, 7.9}, snap: true}, -2, 8, []string{"-2", "0", "2", "4", "6", "8"}},
		{"one value", Axis{}, extent{values: []float64{4}}, 2, 6, []string{"2", "3", "4", "5", "6"}},
		{"zero", Axis{}, extent{values: []float64{0}}, -1, 1, []string{"-1.0", "-0.5", "0", "0.5", "1.0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := newScale(tt.axis, tt.extent)
			if math.Abs(got.min-tt.min) > 1e-9 || math.Abs(got.max-tt.max) > 1e-9 {
				t.Errorf("from %g to %g, want %g to %g", got.min, got.max, tt.min, tt.max)
			}
			var labels []string
			for _, tick := range got.ticks {
				labels = append(labels, tick.Label)
			}
			if diff := cmp.Diff(tt.labels, labels); diff != "" {
				t.Errorf("labels mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFit(t *testing.T) {
	sty := words(10, muted)
	for _, s := range []string{"", "short", "a name that is longer than all of the room that there is", "日本語の長い名前の実験です", string(make([]rune, 100_000))} {
		got := fit(sty, s, 100)
		if w := widthOf(sty, got); w > 100 {
			t.Errorf("fit(%.20q) = %q, which is %g wide, more than 100", s, got, w)
		}
		if widthOf(sty, s) <= 100 && got != s {
			t.Errorf("fit(%q) = %q, though it fits", s, got)
		}
	}
	if diff := cmp.Diff([]string{"one two", "three", "four fi…"}, wrap(sty, "one two three four five six", 40, 3)); diff != "" {
		t.Errorf("wrap mismatch (-want +got):\n%s", diff)
	}
}
