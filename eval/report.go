package eval

import "trawl/trajectory"

// Scores are the figures of a set of questions, of the rollouts' outcomes at the
// scored round (see [trajectory.Outcomes]). Each [Stat] carries the number
// of questions that it is over; it is nil if there are none, for example where
// the data set has no answers.
type Scores struct {
	Questions int `json:"questions"`
	Complete  int `json:"complete"` // rollouts that are done, with or without an answer
	Failed    int `json:"failed"`   // rollouts whose every line of the last round that they began is an error
	Missing   int `json:"missing"`  // rollouts that did not get to the round
	Unscored  int `json:"unscored"` // completed rollouts of questions without gold answers

	EM       *Stat `json:"em"`
	F1       *Stat `json:"f1"`
	Contains *Stat `json:"contains"`
	Judge    *Stat `json:"judge"` // right by a judge, of the rollouts that it ruled on; nil unless one was asked

	PassAt     map[int]*Stat `json:"pass_at"`
	MajorityAt map[int]*Stat `json:"majority_at"`

	JudgePassAt     map[int]*Stat `json:"judge_pass_at,omitempty"`     // as PassAt, by the judge
	JudgeMajorityAt map[int]*Stat `json:"judge_majority_at,omitempty"` // as MajorityAt, likewise
	Judged          *Judged       `json:"judged,omitempty"`            // nil unless a judge was asked

	Diversity Diversity `json:"diversity"`
	Retrieval Retrieval `json:"retrieval"`
}

// Cost is what all lines and states that were read cost together: failed ones,
// earlier rounds, and the calls and tokens of the summaries included.
type Cost struct {
	LLMCalls         int     `json:"llm_calls"`
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	CachedTokens     int     `json:"cached_tokens"`
	Searches         int     `json:"searches"`
	Opens            int     `json:"opens"`
	Estimated        bool    `json:"estimated,omitempty"` // some token counts are trawl's own estimates
	WallS            float64 `json:"wall_s"`              // seconds in which at least one rollout or summary was under way
	RolloutS         float64 `json:"rollout_s"`           // seconds of all rollouts and summaries, added up
}

// FirstOwn stands in Report.FirstQueries for rollouts whose model chose its
// first query without being asked for a pool.
const FirstOwn trajectory.SeedSource = "model"

// A Report is what `trawl score --json` prints.
type Report struct {
	Rollouts int    `json:"rollouts"`            // expected of each question
	Round    int    `json:"round"`               // the round that is scored
	JudgedBy string `json:"judged_by,omitempty"` // who ruled on answers
	Scores
	Cost   Cost    `json:"cost"`
	Rounds []Round `json:"rounds,omitempty"` // from the first to the scored one, if the run has several or states

	BySource map[string]*Scores `json:"by_source,omitempty"` // if there are several
	ByHops   map[int]*Scores    `json:"by_hops,omitempty"`   // if known and there are several

	Terminations  map[trajectory.Termination]int  `json:"terminations"`        // of completed and failed rollouts
	AnswerSources map[trajectory.AnswerSource]int `json:"answer_sources"`      // of completed rollouts
	FirstQueries  map[trajectory.SeedSource]int   `json:"first_query_sources"` // of completed rollouts; FirstOwn if nothing seeded it

	Simulated bool     `json:"simulated,omitempty"` // the model is trawl's simulated one: no figure says anything about a real model
	Warnings  []string `json:"warnings,omitempty"`  // what makes the figures doubtful
}
