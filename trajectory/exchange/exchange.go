// Package exchange reads rollouts that other programs made, so that they can be
// scored, selected from and trained on like trawl's own. [Messages] reads one
// form, finished rollouts as lines of OpenAI messages; a [Roster] settles across
// all lines of all files which questions there are and which rollout is which.
//
// Records of trawl keep structure and shown text side by side; here the structure
// is recovered from the text: ranked documents of a search ("Doc 1(Title: …) …" or
// "(1) …"), the passage that a ReAct agent's Search returns, the sentence that its
// Lookup finds. What cannot be recovered is kept as the text that was shown, and
// counted. Nothing is guessed about times and tokens: they are zero.
//
// Gold answers and verdicts that stand in a line come out beside the trajectory,
// never in it. Only keys that are known are taken over.
//
// Everything here is safe for concurrent use, a Roster apart.
package exchange

import (
	"bufio"
	"errors"
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
	QuestionID string   // as the line has it; "" if it has none
	Number     *int     // of the rollout, as the line has it; nil if it has none
	Golds      []string // gold answers of the question; none if the line has none
	Verdict    *bool    // of a judge; nil if there is none
	Unread     int      // calls whose documents could not be recovered from what was shown
	Place      Place
}

// A Place is where a record stands.
type Place struct {
	File string
	Line int // from 1
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Options say how records are read.
type Options struct {
	Verdict string // key of a judge's verdict in a line; "" for none
}

// maxLine bounds a line: a rollout of a thousand turns fits, a file that is not of
// lines does not fill the memory.
const maxLine = 1 << 30

// Messages yields the rollouts in r, one a JSON line:
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
//
// name is that of the file, for messages. The error of a line that cannot be read
// names file, line and key, and ends the sequence. Blank lines are skipped.
func Messages(r io.Reader, name string, o Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		place := Place{File: name}
		b, err := text.NewReader(r)
		if err != nil {
			yield(nil, fmt.Errorf("exchange: %s: %w", name, err))
			return
		}
		for line, err := range lines(b) {
			place.Line++
			if err != nil {
				yield(nil, fmt.Errorf("exchange: %v: %w", place, err))
				return
			}
			if len(line) == 0 {
				continue
			}
			rec, err := parseLine(line, o)
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

// lines yields the lines of r without their ends and surrounding blanks.
func lines(r *bufio.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		scan := bufio.NewScanner(r)
		scan.Buffer(nil, maxLine)
		for scan.Scan() {
			if !yield(trim(scan.Bytes()), nil) {
				return
			}
		}
		if err := scan.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("longer than %d bytes: want one rollout a line", maxLine)
			}
			yield(nil, err)
		}
	}
}
