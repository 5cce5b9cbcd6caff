package weave

// A Question has one answer that the facts of its world prove.
type Question struct {
	ID         string
	Text       string
	Answers    []string // the answer and its other forms
	AnswerKind string   // "person", "city", "year", …; "yes/no" for a question whether
	Type       Type
	Complexity Complexity
	Supporting []string // ids of the documents that state the facts, in the order of Oracle
	Oracle     []Step
}

// A Type is the form of a question.
type Type string

// The types of questions.
const (
	Chain        Type = "chain"        // each fact leads to the next
	Intersection Type = "intersection" // two or three statements hold of the answer alone
	Comparison   Type = "comparison"   // of two things
)

// A Complexity says what a question asks of its reader. Hops is the number of
// facts to find, Constraints the number of statements that the answer must
// meet at once, Branching the greatest number of lines of search that must
// come together.
type Complexity struct {
	Hops        int     `json:"hops"`
	Constraints int     `json:"constraints"`
	Branching   int     `json:"branching"`
	Trap        bool    `json:"trap,omitempty"`
	C           float64 `json:"c"`
}

// trapped returns the complexity of the question with a trap,
//
//	C + 0.5·[has trap]
func (c Complexity) trapped() Complexity {
	c.Trap = true
	c.C += 0.5
	return c
}

// newComplexity returns the complexity with its scalar,
//
//	C = hops + 0.5·(constraints − 1) + 0.5·(branching − 1)
//
// which is the reconstruction of DeepResearch-Bench's C(q) for a question
// without a trap.
func newComplexity(hops, constraints, branching int) Complexity {
	return Complexity{
		Hops: hops, Constraints: constraints, Branching: branching,
		C: float64(hops) + 0.5*float64(constraints-1) + 0.5*float64(branching-1),
	}
}

// A Step is one action of an oracle trajectory: Subconclusion states a fact
// that stands in each document of DocIDs. That of the last step holds the
// answer.
type Step struct {
	Action        string   `json:"action"` // "search"
	Args          Args     `json:"args"`
	DocIDs        []string `json:"obs_doc_ids"`
	Subconclusion string   `json:"subconclusion"`
}

// Args are the arguments of a search.
type Args struct {
	Query string `json:"query"`
}
