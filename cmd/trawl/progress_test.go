package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(env{stderr: &out}, "rollouts", 10, 110)
		p.set(60, 1)
		time.Sleep(logEvery + time.Millisecond)
		for range reasonsTold + 3 {
			p.fail(errors.New("unreachable"))
		}
		p.close()
		want := "rollouts: 60 of 110, 1 failed, 5/s, 10s left"
		if got := strings.Count(out.String(), want); got != 2 {
			t.Errorf("%d lines say %q, want the one of the time and the last one:\n%s", got, want, &out)
		}
		if got := strings.Count(out.String(), "unreachable"); got != reasonsTold {
			t.Errorf("%d failures are told, want %d", got, reasonsTold)
		}
	})
}

// TestProgressShare has work whose total nobody knows, but of which a share is known.
func TestProgressShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(env{stderr: &out}, "documents", 0, 0)
		p.phase("documents", func() float64 { return 0.25 })
		p.set(600, 0)
		time.Sleep(logEvery + time.Millisecond)
		p.phase("merging", func() float64 { return 1 })
		p.close()
		for _, want := range []string{"documents: 600, 25 %, 60/s, 30s left\n", "merging: 600, 100 %\n"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no line says %q:\n%s", want, &out)
			}
		}
	})
}

func TestProgressQuiet(t *testing.T) {
	quiet := true
	var out bytes.Buffer
	p := newProgress(env{stderr: &out, quiet: &quiet}, "rollouts", 0, 5)
	p.set(5, 1)
	p.fail(errors.New("unreachable"))
	p.close()
	if out.Len() > 0 {
		t.Errorf("quiet progress says %q", &out)
	}
}

func TestRate(t *testing.T) {
	for perSecond, want := range map[float64]string{12.4: "12/s", 0.5: "30/min", 0.005: "18/h"} {
		if got := rate(perSecond); got != want {
			t.Errorf("rate(%v) = %s, want %s", perSecond, got, want)
		}
	}
}
