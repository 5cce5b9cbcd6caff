package gnn

import (
	"math"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// A score says how well an answer's state fits the question,
//
//	s_i = γ · cos( ρ_Q(h_q), ρ_A(h*_i) ),  γ = min(exp(η), 100)
//
// with ρ affine. The cosine divides by max(‖·‖, 1e-12); above η = ln 100 the
// gradient of η is 0.
type score[T compute.Float] struct {
	query, answer *linear[T]
	logScale      *Param[T] // η
}

const (
	maxScale = 100
	minNorm  = 1e-12
)

func (p *params[T]) score(c Config) *score[T] {
	s := &score[T]{
		query:    p.linear("score.query", c.Hidden, c.Hidden, true),
		answer:   p.linear("score."+typeName(c.Variant, answer), c.Hidden, c.Hidden, true),
		logScale: p.add("score.log_scale", zeros),
	}
	s.logScale.Shape = []int{}
	s.logScale.Value.Data[0] = T(float32(math.Log(10)))
	return s
}

func (s *score[T]) scale() T {
	return T(min(math.Exp(float64(s.logScale.Value.Data[0])), maxScale))
}

// scoring is what a score made in a pass.
type scoring[T compute.Float] struct {
	queryBuf, answerBuf, dQueryBuf, dAnswerBuf, dStateBuf buffer[T]

	asked, state compute.Matrix[T] // graphs×d and answers×d: h_q, h*
	query        compute.Matrix[T] // graphs×d: ρ_Q(h_q) with length 1
	answer       compute.Matrix[T] // answers×d: ρ_A(h*) with length 1
	queryNorms   []T               // lengths before, at least 1e-12
	answerNorms  []T
	cosines      []T
	logits       []T
}

func (s *score[T]) forward(p *Pass[T], c *scoring[T], state compute.Matrix[T]) []T {
	b := p.batch
	c.asked, c.state = p.h[len(p.h)-1].RowRange(0, b.graphs), state
	c.query, c.answer = c.queryBuf.matrix(b.graphs, state.Cols), c.answerBuf.matrix(state.Rows, state.Cols)
	s.query.forward(p.model.backend, c.query, c.asked)
	s.answer.forward(p.model.backend, c.answer, c.state)
	c.queryNorms, c.answerNorms = unit(c.queryNorms, c.query), unit(c.answerNorms, c.answer)
	c.cosines, c.logits = resize(c.cosines, state.Rows), resize(c.logits, state.Rows)
	scale := s.scale()
	for g := range b.graphs {
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			c.cosines[i] = vector.Dot(c.query.Row(g), c.answer.Row(i))
			c.logits[i] = scale * c.cosines[i]
		}
	}
	return c.logits
}

// unit gives the rows of x length 1 and returns their lengths before.
func unit[T compute.Float](norms []T, x compute.Matrix[T]) []T {
	norms = resize(norms, x.Rows)
	for i := range norms {
		row := x.Row(i)
		norms[i] = max(T(math.Sqrt(float64(vector.Dot(row, row)))), minNorm)
		vector.Scale(row, 1/norms[i])
	}
	return norms
}

// unitBackward turns the derivative by y = x/max(‖x‖, 1e-12) into that by x,
// (dy − y·(y·dy)) / ‖x‖.
func unitBackward[T compute.Float](dy, y []T, norm T) {
	if norm > minNorm {
		vector.AddScaled(dy, -vector.Dot(y, dy), y)
	}
	vector.Scale(dy, 1/norm)
}

// backward adds the gradients of the parameters, and to p.dQuery what reaches the
// questions, and returns the derivative by h*.
func (s *score[T]) backward(p *Pass[T], c *scoring[T], dLogits []T) compute.Matrix[T] {
	b, d := p.batch, c.state.Cols
	dQuery, dAnswer := c.dQueryBuf.zeros(b.graphs, d), c.dAnswerBuf.matrix(c.state.Rows, d)
	scale := s.scale()
	var dScale float64
	for g := range b.graphs {
		q := c.query.Row(g)
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			dScale += float64(dLogits[i]) * float64(c.cosines[i])
			vector.AddScaled(dQuery.Row(g), scale*dLogits[i], c.answer.Row(i))
			row := dAnswer.Row(i)
			copy(row, q)
			vector.Scale(row, scale*dLogits[i])
			unitBackward(row, c.answer.Row(i), c.answerNorms[i])
			vector.Add(s.answer.bias.Grad.Data, row)
		}
		unitBackward(dQuery.Row(g), q, c.queryNorms[g])
		vector.Add(s.query.bias.Grad.Data, dQuery.Row(g))
	}
	if e := math.Exp(float64(s.logScale.Value.Data[0])); e <= maxScale {
		s.logScale.Grad.Data[0] += T(dScale * e)
	}
	s.query.backward(p.model.backend, p.dQuery, dQuery, c.asked, true)
	dState := c.dStateBuf.matrix(c.state.Rows, d)
	s.answer.backward(p.model.backend, dState, dAnswer, c.state, false)
	return dState
}
