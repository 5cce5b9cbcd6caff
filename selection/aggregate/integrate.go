package aggregate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/internal/text"
	"trawl/selection"
)

// shortestReport is the length in characters below which reports are not
// shortened: half a page.
const shortestReport = 1000

// integrate makes the call that decides between reports. Reports that do not fit
// are shortened: the longest to half its length, and all that are longer to
// that, until they fit.
func (d *deciding) integrate(ctx context.Context, reports []string, read func(string) string) (selection.Decision, error) {
	c := d.conversation("integrate")
	limit := 0
	reports = slices.Clone(reports)
	for i, r := range reports {
		reports[i] = lower(r)
		limit = max(limit, utf8.RuneCountInString(reports[i]))
	}
	answer := ""
	for {
		ok, err := c.until(ctx, ask(d.integration(reports, limit)), func(resp *llm.Response) bool {
			answer = read(said(resp))
			return answer != ""
		})
		switch {
		case errors.Is(err, llm.ErrContextLength) && limit > shortestReport:
			limit = max(limit/2, shortestReport)
			continue
		case errors.Is(err, llm.ErrContextLength):
			return d.none("the reports do not fit the model's context"), nil
		case err != nil:
			return selection.Decision{}, err
		case !ok:
			return d.none(fmt.Sprintf("none of %d replies had an answer in the form asked for", d.opts.Tries)), nil
		}
		return d.wrote(answer), nil
	}
}

// integration renders the prompt, with at most limit characters of each report.
func (d *deciding) integration(reports []string, limit int) string {
	type report struct {
		Number int
		Text   string
	}
	shown := make([]report, len(reports))
	for i, r := range reports {
		shown[i] = report{i + 1, shorten(r, limit)}
	}
	return render("integrate", struct {
		Question string
		Reports  []report
	}{d.question.Text, shown})
}

var reportHeading = regexp.MustCompile(`(?m)^[ \t]*## Report`)

// lower keeps a report from beginning another one.
func lower(s string) string { return reportHeading.ReplaceAllString(s, "### Report") }

// shorten leaves out the middle of s, so that about n characters stay: a report
// begins with its plan and ends with its answer.
func shorten(s string, n int) string { return text.Middle(s, n, words("middle", nil)) }
