package utility

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"trawl/internal/text"
)

// An Extractor splits an explanation into atomic claims, each with the marks by
// which it cites its sources; none if it claims nothing. It fails with
// [ErrNoVerdict] where it cannot say. It is safe for concurrent use.
type Extractor interface {
	Extract(ctx context.Context, explanation string) ([]string, error)
}

var (
	noClaims   = regexp.MustCompile(`(?i)^[\s*_"']*(?:none|no claims?)[\s*_"'.]*$`)
	markedLine = regexp.MustCompile(`^\s*(?:[-*•]\s+|\(?[0-9]{1,3}[.)]\s+)`)
)

// ReadClaims reads a reply that lists claims, one a line. Where lines are numbered or
// have bullets, only those are claims; a line that ends with a colon is a heading and
// none. The word none alone is an empty list; a reply without any claim is not ok.
func ReadClaims(reply string) (claims []string, ok bool) {
	if noClaims.MatchString(reply) {
		return nil, true
	}
	var marked, plain []string
	for _, line := range lines(reply) {
		bare := strings.TrimSpace(markedLine.ReplaceAllString(line, ""))
		switch {
		case !strings.ContainsFunc(bare, text.IsWord):
		case bare != line:
			marked = append(marked, bare)
		case !strings.HasSuffix(line, ":"):
			plain = append(plain, line)
		}
	}
	if len(marked) > 0 {
		plain = marked
	}
	return plain, len(plain) > 0
}

// Stated returns those of the claims that an explanation states, as far as words
// tell: at least that share of a claim's content words stand in it, and all of its
// numbers. The others are invented, which are counted.
func Stated(claims []string, explanation string, share float64) (stated []string, invented int) {
	there, lower := map[string]bool{}, text.Lower(text.Normal(explanation))
	for _, w := range words(explanation) {
		there[w.key] = true
	}
	for _, claim := range claims {
		wanted, found, wrong := 0, 0, false
		for _, w := range words(claim) {
			if functionWords[w.key] {
				continue
			}
			wanted++
			switch {
			case there[w.key], w.uncase && strings.Contains(lower, w.key):
				found++
			case w.number:
				wrong = true
			}
		}
		if wrong || found == 0 || float64(found) < share*float64(wanted) {
			invented++
		} else {
			stated = append(stated, claim)
		}
	}
	return stated, invented
}

// maxClaims is how many claims of one explanation count where a model lists them: each
// is one call more, and a model that does not stop lists without end.
const maxClaims = 64

// distinct returns the claims without those that an earlier one is equal to, but for
// case, white space and the mark at its end, and how many those are.
func distinct(claims []string) (out []string, repeated int) {
	seen := map[string]bool{}
	for _, c := range claims {
		key := strings.TrimRight(text.Fold(c), " .;,")
		if seen[key] {
			repeated++
			continue
		}
		seen[key] = true
		out = append(out, c)
	}
	return out, repeated
}

// extract has the claims of a rollout found by x, in the place of its sentences. Of
// equal ones the first counts, and of more than [maxClaims] the first so many.
func (r *run) extract(ctx context.Context, x Extractor, question string, share float64) error {
	explanation, from := Explanation(r.t)
	if text.Blank(r.t.Answer) || explanation == "" {
		return nil
	}
	claims, err := x.Extract(ctx, explanation)
	r.left, r.from = 0, from
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrNoVerdict):
		r.claims, r.unread = nil, err.Error()
		return nil
	case err != nil:
		return err
	}
	claims, r.invented = Stated(claims, explanation, share)
	claims, r.repeated = distinct(claims)
	r.claims = claims[:min(len(claims), maxClaims)]
	r.beyond = len(claims) - len(r.claims)
	if len(r.claims) == 0 {
		r.claims, r.from = []string{text.Collapse(question + " " + r.t.Answer)}, FromAnswer
	}
	return nil
}
