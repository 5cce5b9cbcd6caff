// Package config reads trawl's settings: the defaults, then a preset or file,
// then --set overrides, then flags, each over the one before. [Load] does all
// of it but the flags, which cmd applies to the [Settings] it gets.
//
// Unknown keys, wrong types, repeated keys and values out of range are errors
// that name the line and column, or the --set argument. Only cmd imports this
// package: libraries get plain option structs.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"trawl/configs"
)

// Load returns the default settings, overlaid with the file or preset name (""
// for none) and then with each override "a.b=c". ${VAR} and ${VAR:-default} in
// string values are replaced from getenv.
func Load(name string, overrides []string, getenv func(string) (string, bool)) (*Settings, error) {
	s := Default()
	if name != "" {
		text, from, err := read(name)
		if err != nil {
			return nil, err
		}
		if err := overlay(s, text, getenv); err != nil {
			return nil, fmt.Errorf("config: %s: %w", from, err)
		}
	}
	for _, o := range overrides {
		text, err := overrideYAML(o)
		if err == nil {
			err = overlay(s, text, getenv)
		}
		if err != nil {
			return nil, OverrideError{o, unplaced(err)}
		}
	}
	return s, nil
}

// An OverrideError is an override that cannot be carried out.
type OverrideError struct {
	Override string
	Err      error
}

func (e OverrideError) Error() string { return fmt.Sprintf("config: --set %s: %v", e.Override, e.Err) }

func (e OverrideError) Unwrap() error { return e.Err }

// read returns the text of a settings file, or of a preset where no such file
// exists, and a name for it in errors.
func read(name string) (text []byte, from string, err error) {
	info, err := os.Stat(name)
	isFolder := err == nil && info.IsDir() // a folder may well have the name of a preset
	if !isFolder {
		text, err = os.ReadFile(name)
	}
	switch {
	case err == nil && !isFolder:
		return text, name, nil
	case isFolder && strings.ContainsAny(name, `/\`):
		return nil, "", fmt.Errorf("config: %s is a folder; name a YAML file, or a preset: %s", name, strings.Join(Presets(), ", "))
	case !isFolder && !errors.Is(err, fs.ErrNotExist), strings.ContainsAny(name, `/\`):
		return nil, "", fmt.Errorf("config: %w", err)
	}
	preset := strings.TrimSuffix(name, ".yaml")
	text, err = configs.FS.ReadFile(preset + ".yaml")
	if err != nil {
		return nil, "", fmt.Errorf("config: %s is neither a file nor a preset; presets: %s", name, strings.Join(Presets(), ", "))
	}
	return text, "preset " + preset, nil
}

// Presets returns the names of the presets that are built in.
func Presets() []string {
	files, err := fs.Glob(configs.FS, "*.yaml")
	if err != nil {
		panic("config: bad pattern") // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".yaml")
	}
	return files
}

// overlay decodes the keys that text has into s and checks the result.
func overlay(s *Settings, text []byte, getenv func(string) (string, bool)) error {
	file, err := Parse(text)
	if err != nil {
		return err
	}
	if len(file.Docs) > 1 {
		return errors.New("a settings file has one YAML document, this has several")
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil
	}
	e := expander{getenv: getenv}
	ast.Walk(&e, file.Docs[0].Body)
	if e.err != nil {
		return e.err
	}
	if err := fraction(file.Docs[0].Body, reflect.TypeOf(*s)); err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(nil), yaml.Strict(), yaml.Validator(checker{}))
	return InWords(d.DecodeFromNode(file.Docs[0].Body, s))
}

// InWords returns an error of the YAML decoder without the names of Go's types.
func InWords(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return err
	}
	p := wrong.Token.Position
	return placed{fmt.Sprintf("[%d:%d] ", p.Line, p.Column), fmt.Sprintf("want %s, found %q", typeWords(wrong.DstType), wrong.Token.Value)}
}

// A placed error has a position before its text.
type placed struct{ at, text string }

func (p placed) Error() string { return p.at + p.text }

// typeWords says what a setting of a type wants.
func typeWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeWords(t.Elem())
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	}
	return "keys with values"
}

// overrideYAML turns "a.b=c" into "a: {b: c}", so that an override is read and
// checked as a file is.
func overrideYAML(o string) ([]byte, error) {
	path, value, ok := strings.Cut(o, "=")
	if !ok || path == "" || strings.TrimSpace(value) == "" {
		return nil, errors.New("want key=value, for example --set agent.turns=6")
	}
	var b strings.Builder
	keys := strings.Split(path, ".")
	for depth, key := range keys {
		fmt.Fprintf(&b, "%s%s:", strings.Repeat("  ", depth), key)
		if depth < len(keys)-1 {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, " %s\n", value)
	return []byte(b.String()), nil
}

// unplaced drops the position from an error about an override, which has none
// that its author could see.
func unplaced(err error) error {
	var own placed
	if errors.As(err, &own) {
		return errors.New(own.text)
	}
	var lib yaml.Error
	if errors.As(err, &lib) {
		return errors.New(lib.GetMessage())
	}
	return err
}
