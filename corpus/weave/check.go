package weave

import (
	"context"
	"slices"

	"trawl/search"
)

// check indexes w and drops what fails. It returns how many did.
func (p *prover) check(ctx context.Context, w *World, chosen []choice, index Index) (failed int, err error) {
	engine, end, err := index(ctx, w.Documents())
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := end(); err == nil {
			err = e
		}
	}()
	traps := w.traps
	for n, c := range chosen {
		why, err := lost(ctx, engine, w.questions[n].Oracle)
		if err == nil && why == "" && c.snare != nil {
			why, err = missed(ctx, engine, &w.questions[n], &traps[0], c.snare.query)
		}
		if err != nil {
			return failed, err
		}
		if c.snare != nil {
			traps = traps[1:]
		}
		if why != "" {
			p.drop(c.question, why)
			failed++
		}
	}
	if failed > 0 && p.report.Rounds == 1 {
		err = p.vet(ctx, engine, chosen)
	}
	return failed, err
}

// vet drops the questions of the pool that were not chosen and whose oracle is
// lost. It is cheaper than the index of another round.
func (p *prover) vet(ctx context.Context, engine search.Engine, chosen []choice) error {
	for i, q := range p.pool.questions {
		if p.dead[i] || slices.ContainsFunc(chosen, func(c choice) bool { return c.question == i }) {
			continue
		}
		why, err := lost(ctx, engine, q.Oracle)
		if err != nil {
			return err
		}
		if why != "" {
			p.dead[i] = true
			p.report.Unfit++
		}
	}
	return nil
}

// lost replays an oracle.
func lost(ctx context.Context, engine search.Engine, oracle []Step) (Reason, error) {
	for _, s := range oracle {
		for _, id := range s.DocIDs {
			if ok, err := finds(ctx, engine, s.Args.Query, id); err != nil || !ok {
				return Lost, err
			}
		}
	}
	return "", nil
}

// missed checks the trap t of q, whose contradiction the query is to find.
func missed(ctx context.Context, engine search.Engine, q *Question, t *Trap, query string) (Reason, error) {
	if ok, err := finds(ctx, engine, q.Oracle[t.Step].Args.Query, t.Doc); err != nil || !ok {
		return Unmet, err
	}
	if ok, err := finds(ctx, engine, query, t.Contradicted[0]); err != nil || !ok {
		return Unopposed, err
	}
	return "", nil
}

func finds(ctx context.Context, engine search.Engine, query, id string) (bool, error) {
	hits, err := engine.Search(ctx, query, Depth)
	return slices.ContainsFunc(hits, func(h search.Hit) bool { return h.ID == id }), err
}
