package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"trawl/internal/atomicfile"
	"trawl/internal/text"
	"trawl/trajectory"
)

// An entry is a line of journal.jsonl: a whole turn of a rollout, or a pool.
type entry struct {
	Key  *trajectory.Key  `json:"key,omitempty"`
	Turn *trajectory.Turn `json:"turn,omitempty"`
	Pool *trajectory.Pool `json:"pool,omitempty"`
}

// A span is where a line stands in its file, without its end.
type span struct {
	at   int64
	size int
}

type poolKey struct {
	questionID string
	round      int
	config     string
}

// A journal keeps the turns of rollouts under way on disk and where they stand
// in memory: turns carry whole documents, and thousands may be under way.
type journal struct {
	*log

	mu    sync.Mutex
	turns map[trajectory.Key][]span // of turns 1, 2, …
	pools map[poolKey]placedPool
}

type placedPool struct {
	span
	pool trajectory.Pool
}

// openJournal opens or makes the journal at path and drops what is not wanted
// any more: turns of rollouts that are done or of another run, turns that were
// done again, lines that cannot be read. The counts are those before that.
func openJournal(path string, wants func(trajectory.Key) bool) (*journal, Counts, error) {
	j, counts, err := loadJournal(path, wants)
	if err != nil {
		return nil, counts, err
	}
	live := j.live()
	if len(live) == counts.Lines {
		return j, counts, nil
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		return errors.Join(j.copyTo(w, live), j.f.Close())
	})
	if err != nil {
		return nil, counts, err
	}
	j, _, err = loadJournal(path, wants)
	return j, counts, err
}

func loadJournal(path string, wants func(trajectory.Key) bool) (*journal, Counts, error) {
	j := &journal{turns: map[trajectory.Key][]span{}, pools: map[poolKey]placedPool{}}
	var counts Counts
	var err error
	j.log, counts, err = openLog(path, func(line []byte, at int64) error {
		e, err := decodeEntry(line)
		if err != nil {
			return err
		}
		where := span{at, len(line)}
		switch {
		case e.Pool != nil:
			j.pools[keyOfPool(e.Pool)] = placedPool{where, *e.Pool}
		case wants(*e.Key):
			j.place(*e.Key, e.Turn.Number, where)
		}
		return nil
	})
	if err != nil {
		return nil, counts, err
	}
	return j, counts, nil
}

func decodeEntry(line []byte) (entry, error) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, text.JSONError(err)
	}
	switch {
	case e.Pool != nil && e.Turn == nil:
		return e, nil
	case e.Pool != nil || e.Turn == nil || e.Key == nil || e.Turn.Number < 1:
		return e, errors.New("neither a turn nor a pool")
	}
	return e, nil
}

func keyOfPool(p *trajectory.Pool) poolKey { return poolKey{p.QuestionID, p.Round, p.Config} }

// place notes where a turn stands. It takes the place of a turn with the same
// number, and what came after that turn does not follow from it. It reports
// false for a turn before which one is missing.
func (j *journal) place(key trajectory.Key, number int, where span) bool {
	turns := j.turns[key]
	if number > len(turns)+1 {
		return false
	}
	j.turns[key] = append(turns[:number-1], where)
	return true
}

// live returns the lines that are wanted, in the order of the file.
func (j *journal) live() []span {
	var spans []span
	for _, turns := range j.turns {
		spans = append(spans, turns...)
	}
	for _, p := range j.pools {
		spans = append(spans, p.span)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.at, b.at) })
	return spans
}

// copyTo writes the lines at spans to w.
func (j *journal) copyTo(w io.Writer, spans []span) error {
	for _, s := range spans {
		line, err := j.read(s.at, s.size)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (j *journal) past(key trajectory.Key) []trajectory.Turn {
	j.mu.Lock()
	spans := slices.Clone(j.turns[key])
	j.mu.Unlock()
	var turns []trajectory.Turn
	for _, s := range spans {
		line, err := j.read(s.at, s.size)
		if err != nil {
			break // the turns before it are whole, the rest is done again
		}
		e, err := decodeEntry(line)
		if err != nil {
			break
		}
		turns = append(turns, *e.Turn)
	}
	return turns
}

func (j *journal) record(key trajectory.Key, turn trajectory.Turn) error {
	line, err := encode(entry{Key: &key, Turn: &turn})
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.turns[key]); turn.Number < 1 || turn.Number > n+1 {
		return fmt.Errorf("turn %d follows turn %d", turn.Number, n)
	}
	at, err := j.append(line)
	if err != nil {
		return err
	}
	j.place(key, turn.Number, span{at, len(line) - 1})
	return nil
}

func (j *journal) pool(key poolKey) (trajectory.Pool, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p, ok := j.pools[key]
	return p.pool, ok
}

func (j *journal) recordPool(p trajectory.Pool) error {
	line, err := encode(entry{Pool: &p})
	if err != nil {
		return err
	}
	j.mu.Lock()
	at, err := j.append(line)
	if err == nil {
		j.pools[keyOfPool(&p)] = placedPool{span{at, len(line) - 1}, p}
	}
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return j.sync()
}

// forget drops the turns of a rollout that is done.
func (j *journal) forget(key trajectory.Key) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.turns, key)
}

// complete drops what belongs to the questions. The file keeps their lines as
// long as it has others; opening it again drops the turns.
func (j *journal) complete(questionIDs []string) error {
	done := make(map[string]bool, len(questionIDs))
	for _, id := range questionIDs {
		done[id] = true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.turns, func(k trajectory.Key, _ []span) bool { return done[k.QuestionID] })
	maps.DeleteFunc(j.pools, func(k poolKey, _ placedPool) bool { return done[k.questionID] })
	if len(j.turns)+len(j.pools) > 0 {
		return nil
	}
	return j.log.empty()
}
