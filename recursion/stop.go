package recursion

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"trawl/internal/text"
	"trawl/trajectory"
)

// spent is what one rollout has cost.
type spent trajectory.Spent

func (s spent) time() time.Duration { return time.Duration(s.Millis) * time.Millisecond }

// each returns what a rollout has cost up to a state: of a merged one, on
// average. Nil is the beginning.
func each(s *trajectory.State) spent {
	if s == nil {
		return spent{}
	}
	n := max(1, len(s.From))
	return spent{Tokens: s.Spent.Tokens / n, Millis: s.Spent.Millis / int64(n)}
}

// stopped returns why no round may follow the state s, before which there was
// before; "" if one may, also for the last round, so that a run that is given more
// rounds goes on as one that had them from the beginning. Fresh says that the
// model wrote s, or a part of it: what was only carried over says nothing anew.
func (l *Loop) stopped(s, before *trajectory.State, fresh bool) trajectory.Termination {
	now, then := each(s), each(before)
	switch {
	case l.opts.EarlyStop && fresh && settled(s, before):
		return trajectory.Answered
	case l.opts.Tokens > 0 && now.Tokens+max(0, now.Tokens-then.Tokens) > l.opts.Tokens:
		return trajectory.TokenLimit
	case l.opts.Time > 0 && now.time()+max(0, now.time()-then.time()) > l.opts.Time:
		return trajectory.TimeLimit
	}
	return ""
}

// settled reports whether an answer has stayed the same for two rounds and no
// fact that supports it is marked as not verified: one that names it, or that is
// cited by a conclusion which does.
func settled(s, before *trajectory.State) bool {
	if s.CurrentAnswer == nil || before == nil || before.CurrentAnswer == nil {
		return false
	}
	if text.AnswerKey(*s.CurrentAnswer) != text.AnswerKey(*before.CurrentAnswer) {
		return false
	}
	cited := map[string]bool{}
	for _, c := range s.Conclusions {
		if names(c.Text, *s.CurrentAnswer) {
			for _, id := range c.Evidence {
				cited[id] = true
			}
		}
	}
	return !slices.ContainsFunc(s.Facts, func(f trajectory.Fact) bool {
		return f.Verified == trajectory.Unverified && (cited[f.ID] || names(f.Text, *s.CurrentAnswer))
	})
}

// names reports whether a line has an answer in it, as whole words; in a script
// without spaces, anywhere.
func names(line, answer string) bool {
	line, answer = text.AnswerKey(line), text.AnswerKey(answer)
	if strings.ContainsFunc(answer, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	}) {
		return strings.Contains(line, answer)
	}
	return strings.Contains(" "+line+" ", " "+answer+" ")
}
