package cpu

import "trawl/selection/internal/compute"

const (
	// maxDepth is the longest stretch of k that a tile runs over: a panel of it,
	// 32 columns wide, fills two thirds of a first-level cache of 48 KiB.
	maxDepth = 256
	// maxLeft and maxRight are the numbers of elements of a block of a and of one
	// of b: with what they add to of c, they stay in a second-level cache of 2 MiB.
	maxLeft, maxRight = 1 << 16, 1 << 17
	// serial is the number of multiplications below which one worker does it
	// all: some microseconds' worth.
	serial = 1 << 19
)

// A product is c = a·b or c += a·b, c m×n, a m×k, b k×n.
type product[T compute.Float] struct {
	kernel *kernel[T]
	c      compute.Matrix[T]
	a      operand[T]
	k      int
	b      []T               // all panels of b, if they are packed already
	source compute.Matrix[T] // else b itself, packed block by block
	add    bool
}

// A region is a part of c: rows, and panels of columns.
type region struct{ rowLo, rowHi, panelLo, panelHi int }

// A block is rows of a region and a stretch of k; what is computed at a time.
type block struct{ row, rows, k, depth int }

// multiply carries out products on all workers.
func (b *backend[T]) multiply(products ...*product[T]) {
	type task struct {
		p *product[T]
		r region
	}
	var tasks []task
	workers, work := b.cores(), 0
	sharing := workers // one product
	if len(products) >= 4*workers {
		sharing = 1
	}
	for _, p := range products {
		if p.k == 0 {
			p.empty()
			continue
		}
		for _, r := range p.cut(sharing) {
			tasks = append(tasks, task{p, r})
		}
		work += p.c.Rows * p.c.Cols * p.k
	}
	if work < serial {
		workers = 1
	}
	b.fork(workers, len(tasks), func(i int, s *scratch[T]) { tasks[i].p.run(tasks[i].r, s) })
}

// empty carries out a product without terms.
func (p *product[T]) empty() {
	for i := range p.c.Rows {
		if !p.add {
			clear(p.c.Row(i))
		}
	}
}

// cut divides c among workers, into regions that get smaller towards the end so
// that all workers end at about the same time. Regions are stripes of rows if b
// is packed already, and of panels if each region packs its own; or the other
// way round, if there are too few of these.
func (p *product[T]) cut(workers int) []region {
	m, height := p.c.Rows, p.height()
	rows, panels := ceil(m, height), ceil(p.c.Cols, p.kernel.cols)
	byRows := rows >= min(4*workers, panels)
	if p.b == nil {
		byRows = panels < min(2*workers, rows)
	}
	var regions []region
	if byRows {
		for lo, hi := range guided(rows, workers, 1, maxLeft/min(p.k, maxDepth)/height) {
			regions = append(regions, region{lo * height, min(m, hi*height), 0, panels})
		}
		return regions
	}
	for lo, hi := range guided(panels, workers, 2, maxRight/maxDepth/p.kernel.cols) {
		regions = append(regions, region{0, m, lo, hi})
	}
	return regions
}

// height is that of a tile.
func (p *product[T]) height() int { return p.kernel.tiles[0].rows }

// blocks cuts a region, stretch of k by stretch of k: the order of the sums is
// the same in every region.
func (p *product[T]) blocks(r region) []block {
	var all []block
	depths := ceil(p.k, maxDepth)
	for i := range depths {
		lo, hi := p.k*i/depths, p.k*(i+1)/depths
		step := max(1, maxLeft/(hi-lo)/p.height()) * p.height()
		for row := r.rowLo; row < r.rowHi; row += step {
			all = append(all, block{row, min(step, r.rowHi-row), lo, hi - lo})
		}
	}
	return all
}

// run computes one region.
func (p *product[T]) run(r region, s *scratch[T]) {
	width := p.kernel.cols
	for _, at := range p.blocks(r) {
		if p.b == nil && at.row == r.rowLo {
			p.packPanels(r, at, s)
		}
		left := p.left(at, r.panelHi-r.panelLo, s)
		for panel := r.panelLo; panel < r.panelHi; panel++ {
			var right []T
			if p.b == nil {
				right = s.b[(panel-r.panelLo)*width*at.depth:]
			} else {
				right = p.b[panel*width*p.k+at.k*width:]
			}
			p.runPanel(at, panel, left, right[:at.depth*width], s)
		}
	}
}

// packPanels packs the panels of a region for the stretch of k of a block.
func (p *product[T]) packPanels(r region, at block, s *scratch[T]) {
	width := p.kernel.cols
	s.b = resize(s.b, (r.panelHi-r.panelLo)*width*at.depth)
	rows := p.source.RowRange(at.k, at.k+at.depth)
	packAlong(s.b, rows.ColRange(r.panelLo*width, min(rows.Cols, r.panelHi*width)), width, p.kernel.panels)
}

// runPanel computes the tiles of a block that lie in a panel, one below the
// other.
func (p *product[T]) runPanel(at block, panel int, a tiles[T], b []T, s *scratch[T]) {
	width, height := p.kernel.cols, p.height()
	col := panel * width
	cols := min(width, p.c.Cols-col)
	add := p.add || at.k > 0
	for i := 0; i < at.rows; i += height {
		rows := min(height, at.rows-i)
		t := p.kernel.tile(rows)
		c := p.c.Data[(at.row+i)*p.c.Stride+col:]
		if t.rows == rows && cols == width {
			t.mul(at.depth, a.data[i*a.pitch:], a.row, a.step, b, c, p.c.Stride, add)
			continue
		}
		s.c = resize(s.c, height*width)
		t.mul(at.depth, a.data[i*a.pitch:], a.row, a.step, b, s.c, width, false)
		merge(c, p.c.Stride, s.c, width, rows, cols, add)
	}
}

// merge sets or adds to rows×cols of c what a whole tile, width wide, holds.
func merge[T compute.Float](c []T, stride int, tile []T, width, rows, cols int, add bool) {
	for i := range rows {
		to, from := c[i*stride:][:cols], tile[i*width:][:cols]
		if !add {
			copy(to, from)
			continue
		}
		for j, v := range from {
			to[j] += v
		}
	}
}
