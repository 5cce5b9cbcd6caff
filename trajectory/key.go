package trajectory

import (
	"cmp"
	"fmt"
	"strings"
)

// Compare orders keys by question id, round, rollout and config: the order in
// which everything that lists rollouts lists them.
func (k Key) Compare(o Key) int {
	return cmp.Or(
		strings.Compare(k.QuestionID, o.QuestionID),
		cmp.Compare(k.Round, o.Round),
		cmp.Compare(k.Rollout, o.Rollout),
		strings.Compare(k.Config, o.Config),
	)
}

// String returns k as messages show it, without the config, which all rollouts
// of a run share.
func (k Key) String() string {
	return fmt.Sprintf("question %s round %d rollout %d", k.QuestionID, k.Round, k.Rollout)
}
