package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trawl/corpus/dataset"
	"trawl/internal/config"
	"trawl/internal/text"
	"trawl/rollout"
	"trawl/trajectory"
	"trawl/trajectory/exchange"
	"trawl/trajectory/store"
)

const importHelp = `Make a run folder of rollouts that another program made, so that trawl score, select
and train work on them. It is made whole or not at all; a line that cannot be read is
named by file, line and key. A FILE may be a folder of such files. It may be gzip; of
all forms whose rollouts are JSON objects also Parquet, with their keys as columns.

Formats:
%s
Documents are recovered from what the tools returned ("Doc 1(Title: …) …", "(1) …",
numbered web results, a passage); the rest is kept as text. What a run has no room for
is counted by the name of its key. imported.jsonl says where each rollout stood, and in
the words of its program how it ended. The questions are those of --dataset or, without
one, the lines' own, which are written into the folder with their gold answers.`

// formatsHelp is a paragraph for each format, with its lines indented alike.
func formatsHelp(names, abouts []string) string {
	var b strings.Builder
	for i, name := range names {
		for j, line := range strings.Split(abouts[i], "\n") {
			if j > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "  %-15s %s\n", name, line)
		}
	}
	return b.String()
}

// An importOptions is what trawl import was asked to do.
type importOptions struct {
	out      string
	dataset  string
	verdicts string
	json     bool
}

func newImport(e env) *cobra.Command {
	var (
		o             importOptions
		names, abouts []string
	)
	forms := exchange.Forms()
	for _, f := range forms {
		names, abouts = append(names, f.Name), append(abouts, f.About)
	}
	cmd := &cobra.Command{
		Use:   "import FORMAT FILE... --out RUN",
		Short: "Make a run folder of other programs' rollouts",
		Long:  fmt.Sprintf(importHelp, formatsHelp(names, abouts)),
		Args:  needs("FORMAT or FILE", 2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := slices.Index(names, args[0])
			if at < 0 {
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("unknown format %q: want %s", args[0], strings.Join(names, ", "))}
			}
			return runImport(e, forms[at], args[1:], o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "run `folder` to make")
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: the lines' own)")
	fs.StringVar(&o.verdicts, "verdicts", "", "`key` of a judge's verdict in the lines, true or false (default: the format's own, if it has one)")
	fs.BoolVar(&o.json, "json", false, "print the summary as JSON")
	required(cmd, "out")
	return cmd
}

// An imported is an import under way.
type imported struct {
	form   exchange.Form
	files  []importedFile
	opts   importOptions
	roster *exchange.Roster
	set    *dataset.Set // nil: the lines' own questions
	blank  []string     // files without a rollout
}

// An importedFile is a file of an import, as its manifest has it.
type importedFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

func runImport(e env, form exchange.Form, paths []string, o importOptions) error {
	im := &imported{form: form, opts: o}
	for _, path := range paths {
		files, err := form.Files(path)
		if err != nil {
			return err
		}
		for _, file := range files {
			im.files = append(im.files, importedFile{Path: file})
		}
	}
	clearLeftovers(e, o.out)
	if err := im.survey(); err != nil {
		return err
	}
	finished, err := im.finished()
	if err != nil {
		return err
	}
	made, err := store.Create(o.out, finished)
	if err != nil {
		return fmt.Errorf("%w%s", err, wayOut(err))
	}
	return im.tell(e, made)
}

// survey reads all lines to learn whose they are: nothing is written before all
// of them have been read.
func (im *imported) survey() error {
	var questions []trajectory.Question
	if im.opts.dataset != "" {
		set, err := dataset.Open(im.opts.dataset)
		if err != nil {
			return err
		}
		im.set, questions = set, questionsOf(set.Examples)
	}
	im.roster = exchange.NewRoster(questions)
	for i := range im.files {
		before := len(im.roster.Origins())
		sum, err := im.read(i, im.roster.Add)
		if err != nil {
			return err
		}
		if im.files[i].SHA256 = sum; len(im.roster.Origins()) == before {
			im.blank = append(im.blank, im.files[i].Path)
		}
	}
	tally := im.roster.Tally()
	switch {
	case tally.Records == 0:
		return fmt.Errorf("%s: there is no rollout to import", im.files[0].Path)
	case im.opts.verdicts != "" && tally.Verdicts == 0:
		return fmt.Errorf("--verdicts %s: no line with an answer has that key", im.opts.verdicts)
	}
	return nil
}

// read gives each record of a file to use, and returns the file's hash.
func (im *imported) read(i int, use func(*exchange.Record) error) (sum string, err error) {
	f, err := os.Open(im.files[i].Path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	o := exchange.Options{Verdict: im.opts.verdicts}
	records := exchange.Read(im.form.Name, io.TeeReader(f, hash), im.files[i].Path, o)
	if exchange.IsTable(f, im.files[i].Path) { // which is not read from front to back
		records = exchange.ReadTable(im.form.Name, f, info.Size(), im.files[i].Path, o)
	}
	for rec, err := range records {
		if err == nil {
			err = use(rec)
		}
		if err != nil {
			return "", err
		}
	}
	_, err = io.Copy(hash, f) // what stands behind the last rollout; all of a table
	return hex.EncodeToString(hash.Sum(nil)), err
}

// errUsed ends the reading of a file whose records are not wanted any more.
var errUsed = errors.New("no more records are wanted")

// rollouts reads the files again and yields their trajectories.
func (im *imported) rollouts() iter.Seq2[*trajectory.Trajectory, error] {
	return func(yield func(*trajectory.Trajectory, error) bool) {
		for i, file := range im.files {
			sum, err := im.read(i, func(rec *exchange.Record) error {
				if err := im.roster.Settle(rec); err != nil {
					return err
				}
				if !yield(rec.Trajectory, nil) {
					return errUsed
				}
				return nil
			})
			if err == nil && sum != file.SHA256 {
				err = fmt.Errorf("%s changed while it was read", file.Path)
			}
			if err != nil {
				if !errors.Is(err, errUsed) {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// An importedSettings is the settings of a run that was imported.
type importedSettings struct {
	runSettings
	Imported importedFrom `json:"imported"`
}

// An importedFrom says what a run was imported from.
type importedFrom struct {
	Format   string            `json:"format"`
	Files    []importedFile    `json:"files"`
	Verdicts string            `json:"verdicts,omitempty"`
	Endings  []exchange.Ending `json:"endings"`
	Lost     []exchange.Loss   `json:"not_carried_over,omitempty"`
}

// finished describes the run folder that is to be made.
func (im *imported) finished() (store.Finished, error) {
	f := store.Finished{Rollouts: im.rollouts()}
	for _, v := range im.roster.Verdicts() {
		f.Verdicts = append(f.Verdicts, store.Verdict{QuestionID: v.QuestionID, Answer: v.Answer, Correct: v.Correct, Judge: v.Judge, Except: v.Except})
	}
	origins, err := im.origins()
	if err != nil {
		return f, err
	}
	f.Files = map[string][]byte{originsName: origins}
	data := store.Dataset{}
	if im.set != nil {
		data = datasetOf(im.set)
	} else {
		questions, err := im.questions()
		if err != nil {
			return f, err
		}
		f.Files[questionsName] = questions
		if data, err = im.ownDataset(questions); err != nil {
			return f, err
		}
	}
	from := importedFrom{Format: im.form.Name, Files: im.files, Verdicts: im.opts.verdicts, Endings: im.roster.Endings(), Lost: im.roster.Lost()}
	s := config.Default()
	s.Rollout.Count = im.roster.Rollouts()
	settings, err := json.Marshal(importedSettings{runSettings{Settings: s.Redacted(), Shard: rollout.Shard{I: 1, N: 1}}, from})
	if err != nil {
		return f, err
	}
	var hashes []string
	for _, file := range im.files {
		hashes = append(hashes, file.SHA256)
	}
	fixed, err := json.Marshal(map[string]any{
		"import.format": from.Format, "import.files": hashes, "import.verdicts": from.Verdicts, "rollout.count": s.Rollout.Count,
	})
	f.Manifest = store.Manifest{Fixed: fixed, Settings: settings, Seed: s.Seed, Dataset: data, Versions: []string{version()}}
	return f, err
}

// originsName is the file of where the rollouts stood.
const originsName = "imported.jsonl"

// An importedOrigin is a line of that file. The words for how a rollout ended are
// those of the program that made it.
type importedOrigin struct {
	QuestionID  string `json:"question_id"`
	Rollout     int    `json:"rollout"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Termination string `json:"termination"`
}

// origins returns where the rollouts stood, in the order of the files' lines.
func (im *imported) origins() ([]byte, error) {
	var all []byte
	for _, o := range im.roster.Origins() {
		data, err := text.JSON(importedOrigin{o.QuestionID, o.Rollout, o.Place.File, o.Place.Line, o.Ended})
		if err != nil {
			return nil, err
		}
		all = append(append(all, data...), '\n')
	}
	return all, nil
}

// questionsName is the file of the lines' own questions.
const questionsName = "questions.jsonl"

// An importedQuestion is a line of that file, in FlashRAG's form.
type importedQuestion struct {
	ID       string            `json:"id"`
	Question string            `json:"question"`
	Golds    []string          `json:"golden_answers"`
	Metadata map[string]string `json:"metadata"`
}

// questions returns the lines' own questions. The source of a question is its
// file, where there are several.
func (im *imported) questions() ([]byte, error) {
	var all []byte
	for _, q := range im.roster.Questions() {
		line := importedQuestion{ID: q.ID, Question: q.Text, Golds: append([]string{}, q.Golds...), Metadata: map[string]string{}}
		if len(im.files) > 1 {
			name, _, _ := strings.Cut(filepath.Base(q.File), ".")
			line.Metadata["source"] = name
		}
		data, err := text.JSON(line)
		if err != nil {
			return nil, err
		}
		all = append(append(all, data...), '\n')
	}
	return all, nil
}

// ownDataset describes the file of questions in the folder.
func (im *imported) ownDataset(questions []byte) (store.Dataset, error) {
	out, err := filepath.Abs(im.opts.out)
	if err != nil {
		return store.Dataset{}, err
	}
	sum := sha256.Sum256(questions)
	return store.Dataset{Name: "flashrag", Path: filepath.Join(out, questionsName), SHA256: hex.EncodeToString(sum[:])}, nil
}
