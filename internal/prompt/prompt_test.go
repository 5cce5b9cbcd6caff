package prompt_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"trawl/internal/prompt"
)

const bye, greet = "{{define \"bye\"}}Goodbye.\n{{end}}", "Hello, {{upper .Name}}.\n\nHow are you?\n"

func set() *prompt.Set {
	files := fstest.MapFS{
		"prompts/greet.tmpl": {Data: []byte(greet)}, "prompts/bye.tmpl": {Data: []byte(bye)}, "prompts/notes.txt": {Data: []byte("{{")},
	}
	return prompt.New("prompt_test", files, map[string]any{"upper": strings.ToUpper})
}

func TestRender(t *testing.T) {
	if got, want := set().Render("greet", struct{ Name string }{"<Ada>"}), "Hello, <ADA>.\n\nHow are you?"; got != want {
		t.Errorf("Render = %q, want %q", got, want) // text, not HTML
	}
	if got, want := set().Words("bye", nil), "Goodbye.\n"; got != want {
		t.Errorf("Words = %q, want %q", got, want)
	}
}

// TestHash works the hash out by hand: name, length and text of each file, sorted.
func TestHash(t *testing.T) {
	sum := sha256.Sum256(fmt.Appendf(nil, "prompts/bye.tmpl %d\n%sprompts/greet.tmpl %d\n%s", len(bye), bye, len(greet), greet))
	if got, want := set().Hash(), fmt.Sprintf("sha256:%x", sum); got != want {
		t.Errorf("Hash() = %s, want %s", got, want)
	}
}

func TestUnknown(t *testing.T) {
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "prompt_test: prompt nothing.tmpl") {
			t.Errorf("panic %q does not name the owner and the prompt", said)
		}
	}()
	set().Render("nothing", nil)
}
