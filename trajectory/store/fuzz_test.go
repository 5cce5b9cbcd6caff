package store_test

import (
	"os"
	"path/filepath"
	"testing"
)

func FuzzOpen(f *testing.F) {
	f.Add([]byte("{\"v\":1}\n{\"v\":1"), []byte("{\"key\":{},\"turn\":{\"turn\":1}}\n{\"pool\":null}\n"), []byte("{}\n[]\n"))
	f.Add([]byte("\n\n\x00\xff"), []byte("{\"turn\":{\"turn\":-1},\"key\":{}}\n[]\n"), []byte("\n{\"v\":1,\"question_id\":\"new\",\"round\":1,\"origin\":\"none\"}\n{\"v"))
	f.Add([]byte(`{"v":1,"question_id":"q","round":1,"rollout":3,"answer_source":"none","termination":"loop"}`), []byte(`{"pool":{}}`),
		[]byte(`{"v":1,"question_id":"new","round":1,"config":"`+config()+`","origin":"none"}`))
	f.Fuzz(func(t *testing.T, rollouts, journal, states []byte) {
		dir := t.TempDir()
		check(t, open(t, dir).Close())
		check(t, os.WriteFile(filepath.Join(dir, "rollouts.jsonl"), rollouts, 0o644))
		check(t, os.WriteFile(filepath.Join(dir, "journal.jsonl"), journal, 0o644))
		check(t, os.WriteFile(filepath.Join(dir, "states.jsonl"), states, 0o644))
		before := read(t, dir)
		_, counts := readStates(t, dir)
		if c := before.Counts; c.Lines != c.Parsed+len(c.Dropped) {
			t.Errorf("counts %+v do not add up", c)
		}
		s := open(t, dir)
		k := key("new", 0)
		check(t, s.Record(k, turn(1, "new")))
		check(t, s.PutState(state(k, "new")))
		check(t, s.Append(done(k, "new")))
		check(t, s.Close())
		after := read(t, dir)
		if _, c := readStates(t, dir); c.Lines != c.Parsed+len(c.Dropped) || c.Parsed != counts.Parsed+1 || c.Torn != 0 {
			t.Errorf("counts of states %+v, then %+v", counts, c)
		}
		s = open(t, dir)
		if st, ok := s.State(k); !ok || st.Raw != "new" {
			t.Errorf("the state that was put is %+v, %v", st, ok)
		}
		check(t, s.Close())
		if after.Counts.Parsed != before.Counts.Parsed+1 || after.Counts.Torn != 0 {
			t.Errorf("counts %+v, then %+v", before.Counts, after.Counts)
		}
		found := false
		for _, tr := range after.Trajectories {
			found = found || tr.Key() == k
		}
		if !found {
			t.Error("what was appended is not there")
		}
	})
}
