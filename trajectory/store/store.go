// Package store keeps a run in a folder, so that nothing that was paid for is
// lost when the process is killed, the disk fills or the machine goes down.
//
//	manifest.json     what the run is: settings, seed, data set, models ([Manifest])
//	rollouts.jsonl    one finished rollout a line, the truth
//	journal.jsonl     the whole turns of rollouts under way, and pools of first queries
//	states.jsonl      what rounds came to, one [trajectory.State] a line
//	selections.jsonl  decisions of selectors ([Decision])
//	verdicts.jsonl    what a judge said of answers ([Verdict])
//	entailments.jsonl what a model said of the claims and facts of rollouts ([Entailment])
//	entropies.jsonl   what a model did when it was asked again in the place of turns ([Entropy])
//	lock              held while a process writes; its number is in it
//
// [Open] begins a run or goes on with it, [Create] makes one of rollouts that are
// done. [Read], [Scan] and a [Reader] are for those who only look, also while a
// run is under way.
//
// A line of rollouts.jsonl is one write and one fsync before [Store.Append]
// returns; callers that wait at the same time share an fsync. A turn is written
// without fsync: the kernel keeps what a killed process wrote, so only a power
// cut can lose turns, and those are simply done again. A pool is fsynced, as
// finished rollouts were seeded from it. A state is fsynced before [Store.PutState]
// returns, like a rollout: the round after it begins in it. A decision is fsynced
// if model calls were made for it, which take seconds; others are written as turns
// are.
//
// Lines end at "\n" only and may have any length. A last line without an end is
// cut off and counted, unless all of it but the end is there. A line in the
// middle that cannot be read is reported with its number and skipped. A rollout
// is done when a line with its key carries no error; the newest success wins,
// and without one the newest failure. Of two states of one key the later counts;
// states of another config than that of the manifest stay in the file and are
// passed over. Rollouts, turns and states may be more than memory holds: of turns,
// states and decisions a writer has in memory where they stand, and reads the
// lines when it is asked for them.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"trawl/internal/atomicfile"
	"trawl/internal/filelock"
	"trawl/internal/text"
	"trawl/trajectory"
)

// The files of a run folder.
const (
	manifestName = "manifest.json"
	rolloutsName = "rollouts.jsonl"
	journalName  = "journal.jsonl"
	statesName   = "states.jsonl"
	lockName     = "lock"
)

// Why a folder is refused, for callers that branch on it.
var (
	ErrNoRun    = errors.New("is not a run folder")
	ErrOtherRun = errors.New("holds another run")
	ErrDamaged  = errors.New("is damaged")
)

// ErrGone is the error of writing to a folder that was deleted or moved.
var ErrGone = errors.New("has gone")

// A Store is a run folder open for writing. Its methods are safe for concurrent
// use. An error of one that writes means that the disk does not keep the run
// any more, or that the folder is not there any more ([ErrGone]); what was there
// before is as it was.
type Store struct {
	config   string
	lock     io.Closer
	rollouts *log
	journal  *journal
	states   *states
	found    Found

	mu   sync.Mutex
	done map[trajectory.Key]bool // false: all tries so far failed
}

// Found is what [Open] found in the folder.
type Found struct {
	Done     int // rollouts
	Failed   int // rollouts without a success
	Rollouts Counts
	Journal  Counts
	States   Counts
}

// Open opens the run folder dir for writing and makes it if it is not there.
// It goes on with the run that is in it if m describes the same run, and
// refuses another run, a folder with other content, and a run that a process
// is writing. A refusal changes nothing of what the folder holds.
func Open(dir string, m Manifest) (*Store, error) {
	s, err := open(dir, m)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

func open(dir string, m Manifest) (_ *Store, err error) {
	if err := m.complete(); err != nil {
		return nil, err
	}
	if err := prepare(dir); err != nil {
		return nil, err
	}
	lock, err := filelock.Lock(dir, lockName)
	if err != nil {
		return nil, err
	}
	s := &Store{config: m.Config, lock: lock, done: map[trajectory.Key]bool{}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := settle(dir, m); err != nil {
		return nil, err
	}
	if s.rollouts, s.found.Rollouts, err = openLog(filepath.Join(dir, rolloutsName), s.load); err != nil {
		return nil, err
	}
	for _, done := range s.done {
		if done {
			s.found.Done++
		} else {
			s.found.Failed++
		}
	}
	if s.journal, s.found.Journal, err = openJournal(filepath.Join(dir, journalName), s.wants); err != nil {
		return nil, err
	}
	if s.states, s.found.States, err = openStates(filepath.Join(dir, statesName), s.config); err != nil {
		return nil, err
	}
	return s, nil
}

// prepare makes dir, or makes sure that it is a run folder or as good as empty.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	foreign := ""
	for _, e := range entries {
		switch e.Name() {
		case manifestName:
			return nil
		case rolloutsName, statesName:
			return lostManifest(dir, e.Name())
		case lockName, manifestName + atomicfile.TempSuffix: // of a process that was killed as it began
		default:
			foreign = e.Name()
		}
	}
	if foreign != "" {
		return fmt.Errorf("%s %w: it holds %s and no %s", dir, ErrNoRun, foreign, manifestName)
	}
	return nil
}

func (s *Store) load(line []byte, _ int64) error {
	t, err := decode(line)
	if err != nil {
		return err
	}
	s.done[t.Key()] = s.done[t.Key()] || t.Error == ""
	return nil
}

// wants reports whether a rollout is part of this run and still to be done.
func (s *Store) wants(key trajectory.Key) bool { return key.Config == s.config && !s.done[key] }

// Found returns what Open found.
func (s *Store) Found() Found { return s.found }

// Has reports whether the rollout is done.
func (s *Store) Has(key trajectory.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[key]
}

// Append writes a finished or failed rollout and returns when it is on disk.
// It refuses one that is not valid or belongs to another run.
func (s *Store) Append(t *trajectory.Trajectory) error {
	err := s.put(t)
	if err == nil {
		err = s.rollouts.sync()
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	key := t.Key()
	s.mu.Lock()
	s.done[key] = s.done[key] || t.Error == ""
	done := s.done[key]
	s.mu.Unlock()
	if done {
		s.journal.forget(key)
	}
	return nil
}

// put writes a rollout without waiting until it is on disk.
func (s *Store) put(t *trajectory.Trajectory) error {
	key := t.Key()
	if key.Config != s.config {
		return fmt.Errorf("%v has config %q, the run has %q", key, key.Config, s.config)
	}
	if err := t.Validate(); err != nil {
		return fmt.Errorf("%v: %w", key, err)
	}
	line, err := encode(t.Explicit())
	if err != nil {
		return fmt.Errorf("%v: %w", key, err)
	}
	_, err = s.rollouts.append(line)
	return err
}

// Past returns the whole turns of a rollout that is not done, in order from the
// first without a gap.
func (s *Store) Past(key trajectory.Key) []trajectory.Turn { return s.journal.past(key) }

// Record writes a whole turn of a rollout under way. A turn whose number was
// recorded before replaces that turn and all that followed it.
func (s *Store) Record(key trajectory.Key, turn trajectory.Turn) error {
	if err := s.journal.record(key, turn); err != nil {
		return fmt.Errorf("store: %v: %w", key, err)
	}
	return nil
}

// Pool returns the pool of first queries of a question and round, if one is
// recorded.
func (s *Store) Pool(questionID string, round int) (trajectory.Pool, bool) {
	return s.journal.pool(poolKey{questionID, round, s.config})
}

// RecordPool writes a pool of first queries and returns when it is on disk.
func (s *Store) RecordPool(p trajectory.Pool) error {
	if p.Config != s.config {
		return fmt.Errorf("store: the pool of question %s has config %q, the run has %q", p.QuestionID, p.Config, s.config)
	}
	if err := s.journal.recordPool(p); err != nil {
		return fmt.Errorf("store: the pool of question %s: %w", p.QuestionID, err)
	}
	return nil
}

// Complete drops the turns and pools of questions of which all is done. When it
// has nothing else, the journal is emptied.
func (s *Store) Complete(questionIDs []string) error {
	if err := s.rollouts.check(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := s.journal.complete(questionIDs); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Close lets go of the folder. No other method may be called after it.
func (s *Store) Close() error {
	if err := s.close(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

func (s *Store) close() error {
	var errs []error
	if s.rollouts != nil {
		errs = append(errs, s.rollouts.f.Close())
	}
	if s.journal != nil {
		errs = append(errs, s.journal.f.Close())
	}
	if s.states != nil {
		errs = append(errs, s.states.f.Close())
	}
	return errors.Join(append(errs, s.lock.Close())...)
}

// encode returns v as a line of JSON.
func encode(v any) ([]byte, error) {
	data, err := text.JSON(v)
	return append(data, '\n'), err
}

// decode reads a line of rollouts.jsonl.
func decode(line []byte) (*trajectory.Trajectory, error) {
	var t trajectory.Trajectory
	if err := json.Unmarshal(line, &t); err != nil {
		return nil, text.JSONError(err)
	}
	return &t, t.Validate()
}
