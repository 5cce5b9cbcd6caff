package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/parquet-go/parquet-go"

	"trawl/trajectory"
)

// A tableRow is a row of the table that trawl export --format parquet writes.
// Steps, messages and seed query are JSON, as a line of a run has them. What is
// nil has no value.
type tableRow struct {
	QuestionID string   `parquet:"question_id,dict" json:"question_id"`
	Question   string   `parquet:"question,dict" json:"question"`
	Round      int32    `parquet:"round" json:"round"`
	Rollout    int32    `parquet:"rollout" json:"rollout"`
	Seed       int64    `parquet:"seed" json:"seed"`
	Answer     string   `parquet:"answer" json:"answer"`
	Source     string   `parquet:"answer_source,dict" json:"answer_source"`
	Confidence *float64 `parquet:"confidence,optional" json:"confidence"`
	Ended      string   `parquet:"termination,dict" json:"termination"`
	Error      string   `parquet:"error" json:"error"`
	Turns      int32    `parquet:"turns" json:"turns"`
	StepCount  int32    `parquet:"step_count" json:"step_count"`
	LLMCalls   int64    `parquet:"llm_calls" json:"llm_calls"`
	Prompt     int64    `parquet:"prompt_tokens" json:"prompt_tokens"`
	Completion int64    `parquet:"completion_tokens" json:"completion_tokens"`
	Cached     int64    `parquet:"cached_tokens" json:"cached_tokens"`
	Estimated  bool     `parquet:"tokens_estimated" json:"tokens_estimated"`
	Searches   int64    `parquet:"searches" json:"searches"`
	Opens      int64    `parquet:"opens" json:"opens"`
	Started    *string  `parquet:"started,optional" json:"started"` // RFC 3339
	Millis     int64    `parquet:"ms" json:"ms"`
	Golds      []string `parquet:"golden_answers,list" json:"golden_answers"`
	Judged     *bool    `parquet:"judged,optional" json:"judged"` // what a judge says of the answer
	Judge      *string  `parquet:"judge,optional,dict" json:"judge"`
	SeedQuery  *string  `parquet:"seed_query,optional" json:"-"`
	Messages   string   `parquet:"messages" json:"-"`
	Steps      string   `parquet:"steps" json:"-"`
}

// noText yields the error of a file of text where a table is wanted.
func noText(*bufio.Reader) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		yield(part{line: 1}, errors.New("is not Parquet"))
	}
}

// parseTable reads a row that [NewTable] wrote. Rounds are one here, so it is of
// round 1 whatever it was of.
func parseTable(line []byte, f file) (*Record, error) {
	d, err := newDraft(line)
	if err != nil {
		return nil, err
	}
	if _, ok := d.object["answer_source"]; !ok {
		return nil, fmt.Errorf("%w: it is no table of trawl export, and trawl import messages reads others", missing("answer_source"))
	}
	for _, name := range ownColumns() {
		if _, ok := d.object[name]; !ok {
			return nil, fmt.Errorf("column %s is missing: a table that trawl export wrote has it", name)
		}
	}
	var row tableRow
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, jsonError(err)
	}
	t := row.trajectory()
	err = errors.Join(d.read("steps", &t.Steps), d.read("messages", &t.Messages), d.read("seed_query", &t.SeedQuery))
	if err == nil && row.Started != nil {
		if t.Started, err = time.Parse(time.RFC3339Nano, *row.Started); err != nil {
			err = fmt.Errorf("key started: %w", jsonError(err))
		}
	}
	if err == nil {
		err = t.Validate()
	}
	if err != nil {
		return nil, err
	}
	number := t.Rollout
	rec := &Record{Trajectory: t, QuestionID: row.QuestionID, Number: &number, Golds: row.Golds, Verdict: row.Judged, Ended: row.Ended, Lost: map[string]int{}}
	if row.Judge != nil {
		rec.Judge = *row.Judge
	}
	if row.Round > 1 {
		rec.Lost["round"]++
	}
	if row.Source == string(trajectory.AnswerState) {
		rec.Lost["answer_source "+row.Source]++
	}
	if f.Verdict != "" {
		if err := d.verdict(f.Verdict, f.Verdict); err != nil {
			return nil, err
		}
		rec.Verdict, rec.Judge = d.rec.Verdict, d.rec.Judge
	}
	d.leaveOwn(rec.Lost)
	return rec, nil
}

// ownColumns returns the names of the columns of trawl's tables.
var ownColumns = sync.OnceValue(func() []string {
	var names []string
	for _, field := range parquet.SchemaOf(tableRow{}).Fields() {
		names = append(names, field.Name())
	}
	return names
})

// leaveOwn counts the columns that no table of trawl has.
func (d *draft) leaveOwn(lost map[string]int) {
	for _, name := range ownColumns() {
		d.take(name)
	}
	d.leave("", lost)
}

// trajectory returns the rollout of a row, without what is JSON in it.
func (r *tableRow) trajectory() *trajectory.Trajectory {
	t := &trajectory.Trajectory{
		V: trajectory.Version, QuestionID: r.QuestionID, Round: 1, Rollout: int(r.Rollout), Question: r.Question, Seed: r.Seed,
		Answer: r.Answer, Source: trajectory.AnswerSource(r.Source), Confidence: r.Confidence, Termination: trajectory.Termination(r.Ended), Error: r.Error,
		Usage: trajectory.Usage{
			LLMCalls: int(r.LLMCalls), Prompt: int(r.Prompt), Completion: int(r.Completion), Cached: int(r.Cached),
			Searches: int(r.Searches), Opens: int(r.Opens), Estimated: r.Estimated,
		},
		Millis: r.Millis,
	}
	if t.Source == trajectory.AnswerState { // a record's own answer has another source
		t.Source = trajectory.AnswerFallback
	}
	return t
}
