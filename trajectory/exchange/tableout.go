package exchange

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"

	"trawl/internal/text"
	"trawl/trajectory"
)

// groupBytes is how much text a group of rows holds, about: readers have a part of
// a group in memory, and so has the writer.
const groupBytes = 32 << 20

// A Table writes rollouts as the rows of a Parquet file. Close ends the file.
type Table struct {
	w    *parquet.GenericWriter[tableRow]
	held int // bytes of text in the group
}

// NewTable returns a Table that writes to w. The same rollouts make the same bytes.
func NewTable(w io.Writer) *Table {
	return &Table{w: parquet.NewGenericWriter[tableRow](w, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("trawl", "1", ""),
		parquet.SkipPageBounds("question"), parquet.SkipPageBounds("answer"), parquet.SkipPageBounds("error"),
		parquet.SkipPageBounds("messages"), parquet.SkipPageBounds("steps"), parquet.SkipPageBounds("seed_query"))}
}

// Add writes an item as a row. It returns what the row has no room for, by name.
func (t *Table) Add(it Item) (lost map[string]int, err error) {
	row, lost, err := rowOf(it)
	if err == nil {
		_, err = t.w.Write([]tableRow{row})
	}
	if t.held += len(row.Messages) + len(row.Steps); err == nil && t.held >= groupBytes {
		t.held = 0
		err = t.w.Flush()
	}
	if err != nil {
		return nil, fmt.Errorf("exchange: %v: %w", it.Trajectory.Key(), err)
	}
	return lost, nil
}

// Close writes the end of the file. It does not close what the table writes to.
func (t *Table) Close() error {
	if err := t.w.Close(); err != nil {
		return fmt.Errorf("exchange: %w", err)
	}
	return nil
}

// asTable writes a table of one row.
func asTable(it Item) (Piece, error) {
	var b bytes.Buffer
	t := NewTable(&b)
	lost, err := t.Add(it)
	if err == nil {
		err = t.Close()
	}
	return Piece{Data: b.Bytes(), Lost: lost}, err
}

// rowOf returns the row of an item.
func rowOf(it Item) (tableRow, map[string]int, error) {
	t, u := it.Trajectory, it.Trajectory.Usage
	row := tableRow{
		QuestionID: t.QuestionID, Question: t.Question, Round: int32(t.Round), Rollout: int32(t.Rollout), Seed: t.Seed,
		Answer: t.Answer, Source: string(t.Source), Confidence: t.Confidence, Ended: string(t.Termination), Error: t.Error,
		Turns: int32(lastTurn(t)), StepCount: int32(len(t.Steps)),
		LLMCalls: int64(u.LLMCalls), Prompt: int64(u.Prompt), Completion: int64(u.Completion), Cached: int64(u.Cached), Estimated: u.Estimated,
		Searches: int64(u.Searches), Opens: int64(u.Opens), Millis: t.Millis, Golds: it.Golds, Judged: it.Verdict,
	}
	if it.Verdict != nil {
		row.Judge = &it.Judge
	}
	if !t.Started.IsZero() {
		started := t.Started.UTC().Format(time.RFC3339Nano)
		row.Started = &started
	}
	lost := map[string]int{}
	steps, err := text.JSON(nonNil(t.Steps))
	if err != nil {
		return row, lost, err
	}
	messages, err := text.JSON(nonNil(t.Messages))
	if err != nil {
		return row, lost, err
	}
	row.Steps, row.Messages = string(steps), string(messages)
	if t.SeedQuery != nil {
		first, err := text.JSON(t.SeedQuery)
		if err != nil {
			return row, lost, err
		}
		query := string(first)
		row.SeedQuery = &query
	}
	return row, lost, nil
}

// nonNil returns a list that is not nil, so that its JSON is one.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// lastTurn returns the number of the last turn.
func lastTurn(t *trajectory.Trajectory) int {
	turn := 0
	for _, s := range t.Steps {
		turn = max(turn, s.Turn)
	}
	return turn
}
