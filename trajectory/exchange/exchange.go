// Package exchange reads rollouts that other programs made, so that they can be
// scored, selected from and trained on like trawl's own, and writes trawl's in
// forms that other programs read. [Read] reads a file in one of the [Forms],
// [ReadTable] one of Parquet; a [Roster] settles across all lines of all files which questions there are and
// which rollout is which. [Export] renders a rollout in one of the [OutForms].
//
// Records of trawl keep structure and shown text side by side; here the structure
// is recovered from the text: calls and results in tags, ranked documents of a
// search ("Doc 1(Title: …) …" or "(1) …"), lists of web results, the passage that a
// ReAct agent's Search returns, the sentence that its Lookup finds. What cannot be
// recovered is kept as the text that was shown, and counted. What a line has
// beside, and no record has room for, is counted by name.
//
// Gold answers and verdicts that stand in a line come out beside the trajectory,
// never in it. Nothing is guessed about times and tokens: where a form has none
// they are zero.
//
// # Departures
//
// The forms are those of the programs' own scripts as far as they are published;
// these choices are ours. A prediction that only says that there is none ("No
// answer found.", "[No Prediction]") is no answer, and one that is an error text is
// a failure. A whole last reply for a prediction, as AggAgent writes, is reduced to
// its <answer> or its answer line. AggAgent's judge writes confidence 0 where none
// was stated: 0 counts as none. The turns that a partial rollout of ParallelMuse
// shares with the one that it branched from are steps of both. R1-Searcher's and
// Search-R1's one text is cut into messages at its results. The words that WebSailor
// and Tongyi DeepResearch have for a server that gave no reply are failures. A
// Reflexion log that lists fewer agents than its trials' summaries count is read,
// and the difference counted; one that lists more as halted is as its program
// writes it.
//
// Results of AggAgent's tools, which its files have as the JSON of a text, are the text
// itself, in steps and messages. The marks of thinking that a server left in what a
// model said are in the messages and not in the thoughts.
//
// Everything here is safe for concurrent use, a Roster apart.
package exchange

import (
	"fmt"
	"io"
	"iter"

	"trawl/internal/text"
	"trawl/trajectory"
)

// A Record is a finished rollout from elsewhere, with what stands beside it.
// [Roster.Settle] gives the trajectory its question's id and its number.
type Record struct {
	Trajectory *trajectory.Trajectory
	QuestionID string         // as the line has it; "" if it has none
	Number     *int           // of the rollout, as the line has it; nil if it has none
	Golds      []string       // gold answers of the question; none if the line has none
	Verdict    *bool          // of a judge; nil if there is none
	Judge      string         // who gave the verdict
	Ended      string         // how it ended, in the words of the program; "" if it says nothing
	Lost       map[string]int // what the record has no room for, by the name of its key
	Unread     int            // calls whose documents could not be recovered from what was shown
	Place      Place
}

// A Place is where a record stands.
type Place struct {
	File string
	Line int  // from 1
	Row  bool // Line is that of a row of a table
}

func (p Place) String() string {
	if p.Row {
		return fmt.Sprintf("%s: row %d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Options say how records are read.
type Options struct {
	Verdict string // key of a judge's verdict in a line; "" for the form's own, if it has one
}

// maxLine bounds the text of a rollout. A reader holds some fifteen times as much, and
// what a thousand turns of pages come to is a few megabytes, so this is far beyond a
// rollout, and a file that is none does not fill the memory.
const maxLine = 64 << 20

// Messages is [Read] for the form messages, one rollout a JSON line:
//
//	{"question":"…","prediction":"…","messages":[…], …}
//
// Messages are OpenAI's: roles system, developer, user, assistant and tool;
// content a string, null or a list of text parts; tool_calls with arguments as a
// string or an object; reasoning under reasoning or reasoning_content. A tool
// message names its call, or answers the first that waits. Further keys of a line
// that are read: question_id or id; rollout_id or rollout; answer or
// golden_answers, the gold; termination; confidence, 0 to 1; error; and the key of
// the verdict. The answer is prediction, which may be null but not missing.
func Messages(r io.Reader, name string, o Options) iter.Seq2[*Record, error] {
	return Read("messages", r, name, o)
}

// Read yields the rollouts in r, a file in one of the [Forms]. name is that of the
// file, for messages, and for the number of the rollout where the form has it in
// its names. The error of a line that cannot be read names file, line and key, and
// ends the sequence. Blank lines are skipped.
func Read(form string, r io.Reader, name string, o Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		f := file{Options: o, name: name}
		form, err := formNamed(form)
		if err != nil {
			yield(nil, err)
			return
		}
		b, err := text.NewReader(r)
		if err != nil {
			yield(nil, fmt.Errorf("exchange: %s: %w", name, err))
			return
		}
		place := Place{File: name}
		for part, err := range form.parts(b) {
			place.Line = part.line
			var rec *Record
			if err == nil {
				f.part = part
				rec, err = form.parse(part.text, f)
			}
			if err != nil {
				yield(nil, fmt.Errorf("exchange: %v: %w", place, err))
				return
			}
			rec.Place = place
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// A file is a file that is read, as far as its rollouts need to know.
type file struct {
	Options
	name string
	part part // that is read
}
