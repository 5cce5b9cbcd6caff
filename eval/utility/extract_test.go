package utility_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval/utility"
)

func TestReadClaims(t *testing.T) {
	tests := []struct {
		name, reply string
		want        []string
		ok          bool
	}{
		{"lines", "Barrow is a town.\n\nIt lies in 3 parts. [12]\n", []string{"Barrow is a town.", "It lies in 3 parts. [12]"}, true},
		{"numbered", "Here are 2 claims:\n1. Barrow is a town.\n2) It is old.\nI hope this helps.", []string{"Barrow is a town.", "It is old."}, true},
		{"bullets", "- a b\n* c d\n• e f", []string{"a b", "c d", "e f"}, true},
		{"a year is no number of a list", "1782 was the year.", []string{"1782 was the year."}, true},
		{"a heading", "Claims:\nBarrow is a town.", []string{"Barrow is a town."}, true},
		{"none", " **None.** ", nil, true},
		{"none, in words", "no claims", nil, true},
		{"a word that begins with none", "Nonesuch is a house.", []string{"Nonesuch is a house."}, true},
		{"empty", " \n", nil, false},
		{"marks only", "-\n* \n---", nil, false},
		{"a heading only", "Claims:", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := utility.ReadClaims(tt.reply)
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
				t.Errorf("ReadClaims(%q): %t, want %t (-want +got):\n%s", tt.reply, ok, tt.ok, diff)
			}
		})
	}
}

// Whatever a model writes, a claim that counts is on one line and of the explanation.
func FuzzReadClaims(f *testing.F) {
	for _, s := range []string{"1. a\n2. b", "none", "- x [1]\r\n- y", "Claims:\n東京は首都", "\x00\xff\n(3) z", "• ", "1782 was"} {
		f.Add(s, "a b x y 東京は首都である 1")
	}
	f.Fuzz(func(t *testing.T, reply, explanation string) {
		claims, ok := utility.ReadClaims(reply)
		if !ok && len(claims) > 0 {
			t.Errorf("ReadClaims(%q) has %q and is not ok", reply, claims)
		}
		stated, invented := utility.Stated(claims, explanation, 0.6)
		if len(stated)+invented != len(claims) {
			t.Errorf("of %d claims %d are stated and %d invented", len(claims), len(stated), invented)
		}
		for _, c := range stated {
			if strings.ContainsAny(c, "\r\n") {
				t.Errorf("claim %q", c)
			}
		}
		if none, n := utility.Stated(claims, "", 0.6); len(none) > 0 || n != len(claims) {
			t.Errorf("of an empty explanation %q are stated", none)
		}
	})
}

func TestStated(t *testing.T) {
	const explanation = "Barrow, a town in the north, was founded in 1,782 [12]. 東京は首都である。"
	tests := []struct {
		name, claim string
		stated      bool
	}{
		{"its words", "Barrow was founded in 1782. [12]", true},
		{"3 of 5 words", "Barrow town was founded by monks secretly", true}, // barrow town founded of 5 with monks, secretly: .6
		{"2 of 4 words", "Barrow was founded by monks secretly", false},
		{"another number", "Barrow was founded in 1783", false},
		{"another source", "Barrow was founded in 1782 [13]", false},
		{"nothing but function words", "It was so that they were", false},
		{"a script without spaces", "東京は首都", true},
		{"another one", "京都は首都", false},
	}
	for _, tt := range tests {
		stated, invented := utility.Stated([]string{tt.claim}, explanation, 0.6)
		if len(stated) == 1 != tt.stated || len(stated)+invented != 1 {
			t.Errorf("%s: Stated(%q) = %q, %d invented, want stated %t", tt.name, tt.claim, stated, invented, tt.stated)
		}
	}
}

type extractor func(explanation string) ([]string, error)

func (e extractor) Extract(_ context.Context, explanation string) ([]string, error) {
	return e(explanation)
}

// What a model lists takes the place of sentences; what it makes up is counted and
// left out; where it lists nothing, or nothing of the explanation, the claim is the
// question and the answer; where it cannot, the rollout is ungraded.
func TestExtractedClaims(t *testing.T) {
	step := found("a", "Barrow was founded in 1782@0")
	const explanation = "Barrow was founded in 1782. That settles it."
	asked := []string{}
	listed := func(claims ...string) utility.Judges {
		return utility.Judges{Extractor: extractor(func(explanation string) ([]string, error) {
			asked = append(asked, explanation)
			return claims, nil
		})}
	}
	tests := []struct {
		name     string
		judges   utility.Judges
		want     []string
		from     utility.ClaimSource
		invented int
	}{
		{"claims", listed("Barrow was founded.", "It was 1782.", "Barrow fell in 1900."), []string{"Barrow was founded.", "It was 1782."}, utility.FromExplanation, 1},
		{"none", listed(), []string{"When was Barrow founded? 1782"}, utility.FromAnswer, 0},
		{"nothing but inventions", listed("The moon is made of cheese."), []string{"When was Barrow founded? 1782"}, utility.FromAnswer, 1},
	}
	for _, tt := range tests {
		r := evaluated(t, utility.Options{Judges: tt.judges}, barrow, rollout(0, "1782", explanation, step))
		var got []string
		d := r.Details[0].Rollouts[0]
		for _, c := range d.Claims {
			got = append(got, c.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || d.From != tt.from || r.InventedClaims != tt.invented || d.Left != 0 {
			t.Errorf("%s: from %s, %d invented (-want +got):\n%s", tt.name, d.From, r.InventedClaims, diff)
		}
	}
	if len(asked) != 3 || asked[0] != explanation {
		t.Errorf("asked of %q", asked)
	}
	silent := utility.Judges{Extractor: extractor(func(string) ([]string, error) { return nil, fmt.Errorf("%w: hm", utility.ErrNoVerdict) })}
	r := evaluated(t, utility.Options{Judges: silent}, barrow, rollout(0, "1782", explanation, step), rollout(1, "wrong", explanation, step), rollout(2, "1782", "", step))
	d := r.Details[0].Rollouts
	if d[0].Unread != "no verdict: hm" || d[0].GE != nil || d[0].U != nil || d[1].U != nil || d[2].GE == nil || d[2].U == nil {
		t.Errorf("with claims that nobody lists: %+v", d)
	}
	if r.UnreadClaims != 2 || r.Ungraded != 2 || r.Claims != 1 || r.LeftOut != 1 || r.UAll != nil {
		t.Errorf("%d unread, %d ungraded, %d claims, %d left out, U_all %v", r.UnreadClaims, r.Ungraded, r.Claims, r.LeftOut, r.UAll)
	}
}

// A model that says the same again and again, or does not stop, does not weigh more by
// it: equal claims count once, and no more than 64 of one explanation.
func TestRepeatedClaims(t *testing.T) {
	step := found("a", "Barrow was founded in 1782@0")
	with := func(explanation string, claims ...string) utility.RolloutDetail {
		x := extractor(func(string) ([]string, error) { return claims, nil })
		r := evaluated(t, utility.Options{Judges: utility.Judges{Extractor: x}}, barrow, rollout(0, "1782", explanation, step))
		d := r.Details[0].Rollouts[0]
		if r.RepeatedClaims != d.Repeated || r.BeyondClaims != d.Beyond || r.Claims != len(d.Claims) {
			t.Errorf("the report counts %d, %d and %d", r.RepeatedClaims, r.BeyondClaims, r.Claims)
		}
		return d
	}
	d := with("Barrow was founded in 1782 [7].", "Barrow was founded in 1782.", "barrow  was founded in 1782", "Barrow was founded in 1782 [7].", "Barrow was founded in 1782.")
	if len(d.Claims) != 2 || d.Repeated != 2 || d.Beyond != 0 || d.Claims[1].Text != "Barrow was founded in 1782 [7]." {
		t.Errorf("%d repeated, %d beyond, claims %+v", d.Repeated, d.Beyond, d.Claims)
	}
	var many []string
	for i := range 70 {
		many = append(many, fmt.Sprintf("Barrow has %d mills.", 1000+i))
	}
	d = with(strings.Join(many, " "), append(many, many[0])...)
	if len(d.Claims) != 64 || d.Repeated != 1 || d.Beyond != 6 || d.Claims[63].Text != many[63] {
		t.Errorf("%d claims, %d repeated, %d beyond", len(d.Claims), d.Repeated, d.Beyond)
	}
}
