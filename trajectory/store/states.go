package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"trawl/internal/text"
	"trawl/trajectory"
)

// A states keeps the states of a run on disk and where they stand in memory: a
// run may have as many as it has rollouts, and each is as long as a page.
type states struct {
	*log

	mu     sync.Mutex
	places map[trajectory.Key]span // of the newest line
}

func openStates(path, config string) (*states, Counts, error) {
	s := &states{places: map[trajectory.Key]span{}}
	var counts Counts
	var err error
	s.log, counts, err = openLog(path, placeStates(s.places, config))
	if err != nil {
		return nil, counts, err
	}
	return s, counts, nil
}

// placeStates returns what notes in places where the states of the run of config
// stand, a later line in the place of an earlier one. Lines of another config
// can be read, and are passed over.
func placeStates(places map[trajectory.Key]span, config string) func(line []byte, at int64) error {
	return func(line []byte, at int64) error {
		st, err := decodeState(line)
		if err == nil && st.Config == config {
			key := st.Key()
			key.Config = config // one string for all
			places[key] = span{at, len(line)}
		}
		return err
	}
}

// decodeState reads a line of states.jsonl.
func decodeState(line []byte) (trajectory.State, error) {
	var st trajectory.State
	if err := json.Unmarshal(line, &st); err != nil {
		return st, text.JSONError(err)
	}
	return st, st.Validate()
}

func (s *states) get(key trajectory.Key) (trajectory.State, bool) {
	s.mu.Lock()
	where, ok := s.places[key]
	s.mu.Unlock()
	if !ok {
		return trajectory.State{}, false
	}
	line, err := s.read(where.at, where.size)
	if err != nil {
		return trajectory.State{}, false
	}
	st, err := decodeState(line)
	return st, err == nil
}

// put writes a line and returns when it is on disk. Of lines of one key that are
// put at once, the one that stands later in the file is the newest.
func (s *states) put(key trajectory.Key, line []byte) error {
	at, err := s.append(line)
	if err == nil {
		err = s.sync()
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.places[key]; !ok || at > old.at {
		s.places[key] = span{at, len(line) - 1}
	}
	return nil
}

// State returns the state of a key, the newest that was put. One that cannot be
// read any more is not there.
func (s *Store) State(key trajectory.Key) (trajectory.State, bool) { return s.states.get(key) }

// PutState writes a state, in the place of an earlier one of its key, and returns
// when it is on disk. It refuses one that is not valid or belongs to another run.
func (s *Store) PutState(st trajectory.State) error {
	key := st.Key()
	if key.Config != s.config {
		return fmt.Errorf("store: the state of %v has config %q, the run has %q", key, key.Config, s.config)
	}
	err := st.Validate()
	var line []byte
	if err == nil {
		line, err = encode(st.Explicit())
	}
	if err == nil {
		err = s.states.put(key, line)
	}
	if err != nil {
		return fmt.Errorf("store: the state of %v: %w", key, err)
	}
	return nil
}

// ReadStates returns the states of the run in the folder dir, the newest of each
// key, sorted by key; none if there are none. It has all of them in memory, which
// a [Reader] has not.
func ReadStates(dir string) ([]trajectory.State, Counts, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, Counts{}, err
	}
	f, err := os.Open(filepath.Join(dir, statesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Counts{}, nil
	}
	if err != nil {
		return nil, Counts{}, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	newest := map[trajectory.Key]trajectory.State{}
	counts, _, _, err := eachLine(f, statesName, func(line []byte, _ int64) error {
		st, err := decodeState(line)
		if err == nil && st.Config == m.Config {
			newest[st.Key()] = st
		}
		return err
	})
	if err != nil {
		return nil, counts, fmt.Errorf("store: %w", err)
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b trajectory.State) int { return a.Key().Compare(b.Key()) }), counts, nil
}

// A stateReader reads the states of a run folder question by question. It looks
// where they stand when it is first asked, as most readers never ask.
type stateReader struct {
	f     *os.File // nil if there is none
	index func() (stateIndex, error)
}

type stateIndex struct {
	questions map[string][]span
	counts    Counts
}

// openStateReader opens the states of the run of config in the folder dir, as far
// as they are written by now.
func openStateReader(dir, config string) (stateReader, error) {
	f, err := os.Open(filepath.Join(dir, statesName))
	if errors.Is(err, fs.ErrNotExist) {
		return stateReader{index: func() (stateIndex, error) { return stateIndex{}, nil }}, nil
	}
	if err != nil {
		return stateReader{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return stateReader{}, errors.Join(err, f.Close())
	}
	lines := io.NewSectionReader(f, 0, info.Size())
	return stateReader{f, sync.OnceValues(func() (stateIndex, error) { return indexStates(lines, config) })}, nil
}

func indexStates(lines io.Reader, config string) (stateIndex, error) {
	places := map[trajectory.Key]span{}
	counts, _, _, err := eachLine(lines, statesName, placeStates(places, config))
	if err != nil {
		return stateIndex{}, err
	}
	index := stateIndex{map[string][]span{}, counts}
	for _, key := range slices.SortedFunc(maps.Keys(places), trajectory.Key.Compare) {
		index.questions[key.QuestionID] = append(index.questions[key.QuestionID], places[key])
	}
	return index, nil
}

// States returns the states of a question, each the newest of its key, sorted by
// key; none for a question without a line.
func (r *Reader) States(questionID string) ([]trajectory.State, error) {
	index, err := r.states.index()
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var out []trajectory.State
	for _, where := range index.questions[questionID] {
		st, err := readLine(r.states.f, where, decodeState)
		if err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// StateCounts is what Counts is for the lines of states.jsonl.
func (r *Reader) StateCounts() (Counts, error) {
	index, err := r.states.index()
	if err != nil {
		return Counts{}, fmt.Errorf("store: %w", err)
	}
	return index.counts, nil
}
