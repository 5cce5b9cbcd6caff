package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"trawl/internal/atomicfile"
	"trawl/internal/filelock"
)

// The files in the folder of a state.
const (
	stateFile = "train.state"
	lockFile  = "train.lock" // held while a process trains
)

// A keeper keeps the state of one training on disk.
type keeper struct {
	path           string
	settings, data string // hashes; the state of no other training is read or replaced
	saved          time.Time
	lock           io.Closer
}

// Discard removes the state in a folder, and the folder if nothing else is in it.
func Discard(dir string) error {
	for _, name := range []string{stateFile, lockFile} {
		err := os.Remove(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("train: %w", err)
		}
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) == 0 {
		if err := os.Remove(dir); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	return nil
}

// newKeeper returns the keeper of a training that has not begun. It keeps others
// out of the folder until it is closed.
func newKeeper(t *trainer) (_ *keeper, err error) {
	if err := os.MkdirAll(t.o.State, 0o755); err != nil {
		return nil, err
	}
	k := &keeper{path: filepath.Join(t.o.State, stateFile), saved: time.Now()}
	if k.lock, err = filelock.Lock(t.o.State, lockFile); err != nil {
		return nil, err
	}
	if k.data, err = fingerprint(t.train, t.validation); err == nil {
		k.settings, err = t.settings()
	}
	if err != nil {
		return nil, errors.Join(err, k.lock.Close())
	}
	return k, nil
}

// settings hashes all that decides the result of a training but its data.
func (t *trainer) settings() (string, error) {
	o := t.o
	hash := sha256.New()
	all := []any{t.model.Config(), o.Epochs, o.Batch, o.Micro, o.LearningRate, o.WeightDecay, o.Seed, o.TwoStage}
	if err := json.NewEncoder(hash).Encode(all); err != nil {
		return "", err
	}
	for i, p := range t.model.Params() {
		fmt.Fprintln(hash, p.Name, p.Shape)
		if err := writeNumbers(hash, t.begin[i]); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// load puts t where the state on disk says, if there is one.
func (k *keeper) load(t *trainer) error {
	data, err := os.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	h, tensors, err := readState(data)
	switch {
	case err != nil:
	case h.Settings != k.settings:
		err = errors.New("it is of a training with other settings, or of another model")
	case h.Data != k.data:
		err = errors.New("it is of a training on other data")
	default:
		err = t.restore(h, tensors)
	}
	if err != nil {
		return fmt.Errorf("state %s: %w; to begin anew, name another folder or delete the file", k.path, err)
	}
	return nil
}

// restore puts t at a position with the tensors of a state.
func (t *trainer) restore(h header, tensors [][]float32) error {
	n := len(t.begin)
	if !t.fits(h, tensors) {
		return fmt.Errorf("%w: it does not fit the training that it names", errDamaged)
	}
	t.at = h.Position
	if t.at.Stage < len(t.stages) {
		t.enter()
	}
	setValues(t.model, tensors[:n])
	for i := range t.optimizer.moments {
		m := &t.optimizer.moments[i]
		m.steps, m.m, m.v = h.Steps[i], tensors[n+i], tensors[2*n+i]
	}
	if t.at.Best > 0 {
		t.best = tensors[3*n:]
	}
	t.clock.skip(t.done())
	return nil
}

// fits reports whether a state has the parts that one of t has.
func (t *trainer) fits(h header, tensors [][]float32) bool {
	n, p := len(t.begin), h.Position
	sets := 3
	if p.Best > 0 {
		sets = 4
	}
	if len(h.Steps) != n || len(tensors) != sets*n {
		return false
	}
	for i, tensor := range tensors {
		if len(tensor) != len(t.begin[i%n]) {
			return false
		}
	}
	return 0 <= p.Stage && p.Stage <= len(t.stages) && 0 <= p.Epoch && p.Epoch <= t.o.Epochs && 0 <= p.Batch && p.Batch <= t.batches() &&
		len(p.Epochs) == p.Epoch && 0 <= p.Best && p.Best <= p.Epoch
}

// save writes the state, if one is kept.
func (t *trainer) save() error {
	k := t.keeper
	if k == nil {
		return nil
	}
	h := header{Settings: k.settings, Data: k.data, Position: t.at}
	tensors := values(t.model)
	for _, m := range t.optimizer.moments {
		h.Steps = append(h.Steps, m.steps)
		tensors = append(tensors, m.m)
	}
	for _, m := range t.optimizer.moments {
		tensors = append(tensors, m.v)
	}
	tensors = append(tensors, t.best...)
	err := atomicfile.Write(k.path, func(w io.Writer) error { return writeState(w, h, tensors) })
	if err != nil {
		return fmt.Errorf("state %s: %w", k.path, err)
	}
	k.saved = time.Now()
	return nil
}

// saveIfDue writes the state if the last one is old.
func (t *trainer) saveIfDue() error {
	if t.keeper == nil || time.Since(t.keeper.saved) < t.o.SaveEvery {
		return nil
	}
	return t.save()
}
