package utility

import (
	"fmt"

	"trawl/agent/llm"
)

// A Method tells apart what the sources of EVAL report and what this project made up.
type Method struct {
	Reported       []string `json:"reported"`
	Reconstruction []string `json:"reconstruction"`
}

// method is what [Report.Method] says; the package comment has it at length.
func (o *Options) method() Method {
	return Method{
		Reported: []string{
			"U = 1[correct] · E^omega_e · C^omega_c; E = R_C / J; p_t = 1 + 1[g_t=0, g_t-1=0] · alpha · cos",
			"C = beta·G_E + (1-beta)·R_R; G_E: geometric mean of P(claim | evidence); R_R = exp(-lambda · mean recovery)",
			"g_t, TRS and E_A in words only",
		},
		Reconstruction: []string{
			"all constants; E = min(1, R_C/J) with R_C = T* + gamma·ln(1+T*), T* what the reference's actions cost, else the median cost of correct rollouts, at least one action's",
			"g_t: how much nearer (cosine) an observation comes to gold answer and facts than any before; less than epsilon is 0",
			"claims: sentences of the last reply with a number, a name or a word of the answer, or what a model lists; without any, the question and the answer as given",
			"a question with a claim that a judge left out is in none of U, C and G_E; likewise one with such a fact in KSR, KCR and KOR",
			"evidence: observations cited, else the nearest by cosine; a trap is believed if later words assert its false claim, or the answer is its false answer",
			"E_A = Pearson's correlation of g_t with H_t-1 - H_t over all turns together, H_t " + o.entropySource(),
			"TRS = 1 - mean normalised edit distance of action sequences; U_all over all rollouts, U_correct over the correct ones",
			"KSR, KCR, KOR: from a related note on deep research, not of EVAL: shares of the reference's facts that explanation and answer support, contradict or omit",
		},
	}
}

// entropySource says what H_t is.
func (o *Options) entropySource() string {
	switch {
	case o.Logprobs > 0:
		return fmt.Sprintf("the mean token entropy of the action (%d likeliest)", min(o.Logprobs, llm.MaxAlternatives))
	case o.EntropiesFrom != "":
		return "the entropy of the action in its turn (" + o.EntropiesFrom + ")"
	}
	return "the entropy of the action in its turn"
}
