package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"trawl/internal/config"
	"trawl/internal/testutil"
)

// TestDocumented makes sure that the settings in configs/README.md are settings, and
// that none is missing there.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), "configs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	settings, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("configs/README.md has no block of YAML")
	}
	if _, err := config.Load(write(t, settings), nil, env(nil)); err != nil {
		t.Errorf("the settings in configs/README.md: %v", err)
	}
	for _, key := range keys(reflect.TypeFor[config.Settings]()) {
		if !strings.Contains(settings, key) {
			t.Errorf("configs/README.md has no word of %s", key)
		}
	}
}

// keys returns the YAML keys of a struct and of those in it.
func keys(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name != "" && name != "-" {
			out = append(out, name)
		}
		out = append(out, keys(f.Type)...)
	}
	return out
}
