package reader

import (
	"strings"
	"sync"
)

// A cue is a wording of a relation made ready for reading.
type cue struct {
	parts   []string // pieces in lower case, in order
	loose   []bool   // before each piece but the first: whether words may stand between, or only dates and names
	after   string   // what must follow the object
	subject bool     // the subject follows, and the object stands before; else the object follows
}

// cuesOf returns the cues for a goal.
func cuesOf(g Goal) []cue {
	all := theCues()
	if g.Back && g.Rel.kin != "" {
		return append(append([]cue(nil), all[g.Rel]...), all[theGrammar().byName[g.Rel.kin]]...)
	}
	return all[g.Rel]
}

var theCues = sync.OnceValue(func() map[*Relation][]cue {
	all := make(map[*Relation][]cue, len(relations))
	for i := range relations {
		r := &relations[i]
		for _, wording := range r.cues {
			all[r] = append(all[r], newCue(wording))
		}
	}
	return all
})

// newCue takes a wording apart. A gap right before the object needs no mark of
// its own: [nextSpan] allows for one.
func newCue(wording string) cue {
	body, after, _ := strings.Cut(wording+" ", "O ")
	c := cue{after: strings.TrimSpace(after)}
	if before, ok := strings.CutSuffix(wording, " S"); ok {
		body, c.after, c.subject = before, "", true
	}
	var piece []string
	loose := false
	for w := range strings.FieldsSeq(body) {
		if w != "~" && w != "*" {
			piece = append(piece, w)
			continue
		}
		c.add(piece, loose)
		piece, loose = nil, w == "*"
	}
	c.add(piece, loose)
	return c
}

func (c *cue) add(piece []string, loose bool) {
	if len(piece) == 0 {
		return
	}
	if len(c.parts) > 0 {
		c.loose = append(c.loose, loose)
	}
	c.parts = append(c.parts, fold(strings.Join(piece, " ")))
}

// maxGap is how many bytes may stand between the pieces of a cue.
const maxGap = 48

// find returns where the first cue at or behind at begins and ends in a sentence,
// which is given in lower case and as it is; −1 if it is not there.
func (c *cue) find(low, original string, at int) (start, end int) {
	for {
		start = find(low, c.parts[0], at)
		if start < 0 {
			return -1, -1
		}
		end = start + len(c.parts[0])
		ok := true
		for i, part := range c.parts[1:] {
			next := find(low, part, end)
			if next < 0 || next-end > maxGap || !gapFits(original[end:next], c.loose[i]) {
				ok = false
				break
			}
			end = next + len(part)
		}
		if ok {
			return start, end
		}
		at = start + 1
	}
}

// gapFits reports whether the text between two pieces of a cue may stand there:
// anything short of a new clause, or only dates, names and particles.
func gapFits(gap string, loose bool) bool {
	if strings.ContainsAny(gap, ";:") {
		return false
	}
	if loose {
		return true
	}
	if strings.Contains(gap, ")") {
		return false
	}
	for w := range strings.FieldsSeq(gap) {
		switch w = strings.Trim(w, ",("); w {
		case "on", "and", "raised", "c.", "circa", "", "around", "brought", "up", "away", "suddenly", "the":
			continue
		}
		if c := w[0]; 'a' <= c && c <= 'z' {
			return false
		}
	}
	return true
}
