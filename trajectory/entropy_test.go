package trajectory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trawl/trajectory"
)

// The entropy of a step is a key that older lines lack: a step without one is written
// as before, and 0 is not none.
func TestStepEntropy(t *testing.T) {
	zero := 0.0
	for want, s := range map[string]trajectory.Step{`"ms":0}`: {}, `"ms":0,"entropy":0}`: {Entropy: &zero}} {
		line, err := json.Marshal(s)
		if err != nil || !strings.HasSuffix(string(line), want) {
			t.Errorf("written %s, error %v, want the end %s", line, err, want)
		}
		var read trajectory.Step
		if err := json.Unmarshal(line, &read); err != nil || (read.Entropy == nil) != (s.Entropy == nil) {
			t.Errorf("read %v, error %v", read.Entropy, err)
		}
	}
}
