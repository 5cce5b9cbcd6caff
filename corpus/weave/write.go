package weave

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
	"reflect"

	"trawl/internal/atomicfile"
)

// The files of a world's folder.
const (
	CorpusFile    = "corpus.jsonl"    // Search-R1 corpus
	QuestionsFile = "questions.jsonl" // FlashRAG questions
	OracleFile    = "oracle.jsonl"    // tasks with oracle trajectories
	QrelsFile     = "qrels.txt"       // TREC relevance judgements
	TrapsFile     = "traps.jsonl"     // of worlds with traps
	ManifestFile  = "manifest.json"
)

// A Manifest says what a folder holds and how to make it again.
type Manifest struct {
	Generator string            `json:"generator"` // "trawl weave"
	Version   int               `json:"version"`
	Seed      int64             `json:"seed"`
	Documents int               `json:"documents"`
	Questions int               `json:"questions"`
	Mix       Mix               `json:"mix"`
	Suite     string            `json:"suite,omitempty"`
	Traps     int               `json:"traps,omitempty"` // documents that are traps
	SHA256    map[string]string `json:"sha256"`          // of the other files, by name
}

// Write puts the world into the folder dir: the files of the constants above.
// It makes them in a folder beside dir and renames that, so that dir is whole
// or not there. Writing a world again over itself changes nothing; a folder
// that holds anything else is refused and left alone.
func (w *World) Write(dir string) error {
	dir = filepath.Clean(dir)
	done, err := w.writtenTo(dir)
	if done || err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("weave: %w", err)
	}
	temp, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+"-*")
	if err != nil {
		return fmt.Errorf("weave: %w", err)
	}
	defer os.RemoveAll(temp)
	if err := w.writeAll(temp); err != nil {
		return fmt.Errorf("weave: %w", err)
	}
	// An empty folder gives way; one that has been filled meanwhile does not.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("weave: %w", err)
	}
	if err := os.Rename(temp, dir); err != nil {
		return fmt.Errorf("weave: %w", err)
	}
	if err := atomicfile.SyncFolder(parent); err != nil {
		return fmt.Errorf("weave: %w", err)
	}
	return nil
}

// writtenTo reports whether dir holds this world already. It fails if dir
// holds anything else.
func (w *World) writtenTo(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("weave: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("weave: %s is not empty and holds no woven world", dir)
	}
	if err != nil {
		return false, fmt.Errorf("weave: %w", err)
	}
	var there Manifest
	if err := json.Unmarshal(data, &there); err != nil {
		return false, fmt.Errorf("weave: %s: %w", filepath.Join(dir, ManifestFile), err)
	}
	there.SHA256 = nil
	if !reflect.DeepEqual(there, w.manifest()) {
		return false, fmt.Errorf("weave: %s holds another world: seed %d, %d documents, %d questions, version %d",
			dir, there.Seed, there.Documents, there.Questions, there.Version)
	}
	return true, nil
}

func (w *World) manifest() Manifest {
	return Manifest{
		Generator: "trawl weave", Version: Version, Seed: w.opts.Seed,
		Documents: w.Len(), Questions: len(w.questions), Mix: w.opts.Mix,
		Suite: w.opts.Suite, Traps: len(w.traps),
	}
}

// writeAll writes every file into dir, the manifest last.
func (w *World) writeAll(dir string) error {
	m := w.manifest()
	m.SHA256 = make(map[string]string)
	type file struct {
		name  string
		write func(io.Writer) error
	}
	files := []file{
		{CorpusFile, w.writeCorpus},
		{QuestionsFile, w.writeQuestions},
		{OracleFile, w.writeOracle},
		{QrelsFile, w.writeQrels},
	}
	if len(w.traps) > 0 {
		files = append(files, file{TrapsFile, w.writeTraps})
	}
	for _, f := range files {
		sum, err := writeFile(filepath.Join(dir, f.name), f.write)
		if err != nil {
			return err
		}
		m.SHA256[f.name] = sum
	}
	_, err := writeFile(filepath.Join(dir, ManifestFile), func(b io.Writer) error {
		data, err := json.MarshalIndent(m, "", "  ")
		if err == nil {
			_, err = b.Write(append(data, '\n'))
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// writeFile makes the file path of what write writes, and returns its SHA-256.
func writeFile(path string, write func(io.Writer) error) (sum string, err error) {
	digest := sha256.New()
	err = atomicfile.Write(path, func(w io.Writer) error { return write(io.MultiWriter(w, digest)) })
	return hex.EncodeToString(digest.Sum(nil)), err
}

// lines returns an encoder of JSON lines that leaves <, > and & as they are.
func lines(b io.Writer) *json.Encoder {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e
}

func (w *World) writeCorpus(b io.Writer) error {
	type line struct {
		ID       string `json:"id"`
		Contents string `json:"contents"`
	}
	e := lines(b)
	for d := range w.Documents() {
		if err := e.Encode(line{d.ID, `"` + d.Title + "\"\n" + d.Text}); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) writeQuestions(b io.Writer) error {
	type metadata struct {
		Source     string     `json:"source"`
		Type       Type       `json:"type"`
		AnswerKind string     `json:"answer_kind"`
		Hops       int        `json:"hops"`
		Complexity Complexity `json:"complexity"`
		Supporting []string   `json:"supporting_docids"`
		HasTrap    *bool      `json:"has_trap,omitempty"` // in worlds with traps
	}
	type line struct {
		ID       string   `json:"id"`
		Question string   `json:"question"`
		Answers  []string `json:"golden_answers"`
		Metadata metadata `json:"metadata"`
	}
	e := lines(b)
	for _, q := range w.questions {
		m := metadata{"woven", q.Type, q.AnswerKind, q.Complexity.Hops, q.Complexity, q.Supporting, nil}
		if len(w.traps) > 0 {
			m.HasTrap = &q.Complexity.Trap
		}
		if err := e.Encode(line{q.ID, q.Text, q.Answers, m}); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) writeOracle(b io.Writer) error {
	type task struct {
		ID         string     `json:"id"`
		Question   string     `json:"question"`
		Answers    []string   `json:"answers"`
		Complexity Complexity `json:"complexity"`
		Oracle     []Step     `json:"oracle"`
		Traps      []Trap     `json:"traps,omitempty"`
	}
	traps := make(map[string][]Trap)
	for _, t := range w.traps {
		traps[t.Question] = append(traps[t.Question], t)
	}
	e := lines(b)
	for _, q := range w.questions {
		if err := e.Encode(task{q.ID, q.Text, q.Answers, q.Complexity, q.Oracle, traps[q.ID]}); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) writeTraps(b io.Writer) error {
	e := lines(b)
	for _, t := range w.traps {
		if err := e.Encode(t); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) writeQrels(b io.Writer) error {
	for _, q := range w.questions {
		for _, id := range q.Supporting {
			if _, err := fmt.Fprintf(b, "%s Q0 %s 1\n", q.ID, id); err != nil {
				return err
			}
		}
	}
	return nil
}
