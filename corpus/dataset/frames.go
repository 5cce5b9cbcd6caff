package dataset

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// framesRow reads a row of FRAMES. Its columns are found by name, because one
// release has an unnamed index in front and the cleaned one has not; rows
// without an index are named for their place. The pages that the answer stands
// on are in wiki_links, the literal of a Python list, or in the link columns.
func framesRow(r row) (Example, error) {
	f := framesFields{
		ID: cmp.Or(r["id"], r[""], r["unnamed: 0"]), Prompt: r["prompt"], Answer: r["answer"],
		Types: r["reasoning_types"], Links: r["wiki_links"],
	}
	for n := range 10 {
		f.Columns = append(f.Columns, r[fmt.Sprintf("wikipedia_link_%d", n+1)])
	}
	f.Columns = append(f.Columns, r["wikipedia_link_11+"])
	return f.example()
}

// framesJSON reads FRAMES as a JSON list of such rows, which circulates with
// the key Question for Prompt and a further key "answer" for a list.
func framesJSON(raw []byte) (Example, error) {
	var r struct {
		ID       string `json:"id"`
		Prompt   string `json:"Prompt"`
		Question string `json:"Question"`
		Answer   string `json:"Answer"`
		List     any    `json:"answer"` // holds the key that would else fold into Answer
		Types    string `json:"reasoning_types"`
		Links    string `json:"wiki_links"`
	}
	if err := decode(raw, &r); err != nil {
		return Example{}, err
	}
	return framesFields{ID: r.ID, Prompt: cmp.Or(r.Prompt, r.Question), Answer: r.Answer, Types: r.Types, Links: r.Links}.example()
}

type framesFields struct {
	ID, Prompt, Answer, Types, Links string
	Columns                          []string
}

func (f framesFields) example() (Example, error) {
	q, err := question(f.ID, f.Prompt, "Prompt")
	if err != nil {
		return Example{}, err
	}
	links := f.Columns
	if f.Links != "" {
		if links, err = pythonList(f.Links); err != nil {
			return Example{}, fmt.Errorf("key %q: %w", "wiki_links", err)
		}
	}
	e := Example{Question: q, Golds: golds(f.Answer), Source: "frames", Type: f.Types, Titles: linkTitles(links)}
	e.Hops = len(e.Titles)
	return e, nil
}

// linkTitles returns the distinct titles of the Wikipedia pages that links name.
// One link of the release is several, joined by commas; some have no scheme,
// a fragment or the host of the mobile site; some are no page at all, and are
// left out.
func linkTitles(links []string) []string {
	var names []string
	for _, link := range links {
		for _, one := range strings.Split(link, ", http") {
			_, path, ok := strings.Cut(one, "wikipedia.org/wiki/")
			if !ok {
				continue
			}
			path, _, _ = strings.Cut(path, "#")
			path, _, _ = strings.Cut(path, "?")
			if name, err := url.PathUnescape(path); err == nil {
				path = name
			}
			names = append(names, strings.TrimSpace(strings.ReplaceAll(path, "_", " ")))
		}
	}
	return titles(names)
}
