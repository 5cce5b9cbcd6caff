package cpu

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/internal/compute"
)

func TestGuided(t *testing.T) {
	tests := []struct {
		name                    string
		n, workers, least, most int
		want                    [][2]int
	}{
		// ⌈10/4⌉ = 3, ⌈7/4⌉ = 2, ⌈5/4⌉ = 2, then 1, 1, 1
		{"two workers", 10, 2, 1, 100, [][2]int{{0, 3}, {3, 5}, {5, 7}, {7, 8}, {8, 9}, {9, 10}}},
		{"at least two", 9, 2, 2, 100, [][2]int{{0, 3}, {3, 5}, {5, 7}, {7, 9}}},
		{"the last is shorter", 7, 4, 2, 100, [][2]int{{0, 2}, {2, 4}, {4, 6}, {6, 7}}},
		{"at most four", 20, 2, 1, 4, [][2]int{{0, 4}, {4, 8}, {8, 11}, {11, 14}, {14, 16}, {16, 17}, {17, 18}, {18, 19}, {19, 20}}},
		{"one worker", 10, 1, 1, 100, [][2]int{{0, 10}}},
		{"one worker, at most four", 10, 1, 1, 4, [][2]int{{0, 4}, {4, 8}, {8, 10}}},
		{"a limit of nothing", 2, 1, 1, 0, [][2]int{{0, 1}, {1, 2}}},
		{"nothing", 0, 2, 1, 100, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][2]int
			for lo, hi := range guided(tt.n, tt.workers, tt.least, tt.most) {
				got = append(got, [2]int{lo, hi})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ranges mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCut: whatever the shape, regions cover each tile once.
func TestCut(t *testing.T) {
	k := portableKernel[float32]()
	for _, workers := range []int{1, 2, 5} {
		for _, s := range [][3]int{{1, 1, 1}, {30, 9, 7}, {9, 30, 300}, {200, 33, 4096}, {33, 200, 5}, {64, 1000, 256}} {
			for _, packed := range []bool{false, true} {
				p := product[float32]{kernel: k, c: compute.NewMatrix[float32](s[0], s[1]), k: s[2]}
				if packed {
					p.b = make([]float32, 1)
				}
				seen := map[[2]int]int{}
				for _, r := range p.cut(workers) {
					for row := r.rowLo; row < r.rowHi; row += p.height() {
						for panel := r.panelLo; panel < r.panelHi; panel++ {
							seen[[2]int{row, panel}]++
						}
					}
				}
				for row := 0; row < s[0]; row += p.height() {
					for panel := range ceil(s[1], k.cols) {
						if n := seen[[2]int{row, panel}]; n != 1 {
							t.Errorf("%v, %d workers, packed %v: tile at row %d, panel %d is in %d regions", s, workers, packed, row, panel, n)
						}
					}
				}
			}
		}
	}
}

func TestPartsOf(t *testing.T) {
	tests := []struct{ rows, out, in, want int }{
		{1, 256, 256, 1}, {639, 256, 256, 1}, {640, 256, 256, 2}, {1279, 256, 256, 2}, {3000, 1024, 256, 8},
		{100000, 256, 256, 16}, {100000, 256, 4096, 1},
	}
	for _, tt := range tests {
		w := compute.Matrix[float32]{Rows: tt.out, Cols: tt.in}
		if got := partsOf(w, tt.rows); got != tt.want {
			t.Errorf("partsOf(%d×%d, %d rows) = %d, want %d", tt.out, tt.in, tt.rows, got, tt.want)
		}
	}
}
