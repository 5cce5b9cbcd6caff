package weave

// braid drafts a question for an entity by two statements that both describe
// what they are about, or by three of which one or two do: a search along
// several lines that meet late.
func (a *asker) braid() (draft, bool) {
	class := a.class()
	k := class[a.rng.IntN(len(class))]
	if !k.isEntity() {
		k = []kind{person, film, company}[a.rng.IntN(3)]
	}
	e := a.w.any(a.rng, k)
	n := 2 + a.rng.IntN(2)
	arms, ok := a.arms(e, n)
	if !ok {
		return draft{}, false
	}
	for i := range 2 - a.rng.IntN(n-1) {
		if !a.describe(e, &arms[i].known) {
			return draft{}, false
		}
	}
	return a.meeting(e, arms)
}
