package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"trawl/internal/atomicfile"
	"trawl/internal/text"
)

// ManifestVersion is the version of the form of manifest.json.
const ManifestVersion = 1

// A Manifest says what a run is. A run may be gone on with under another trawl,
// with other endpoints, and with other Settings as far as Fixed leaves them
// open; everything else must be the same.
type Manifest struct {
	V         int               `json:"v"`         // set by Open
	Config    string            `json:"config"`    // [Hash] of Fixed; part of the key of every rollout
	Fixed     json.RawMessage   `json:"fixed"`     // the settings that can change a result
	Settings  json.RawMessage   `json:"settings"`  // all settings as resolved; the caller takes out secrets
	Seed      int64             `json:"seed"`      // of every random choice
	Dataset   Dataset           `json:"dataset"`   // the questions
	Index     json.RawMessage   `json:"index"`     // what is searched, as the index describes itself
	Endpoints []string          `json:"endpoints"` // model servers
	Models    map[string]string `json:"models"`    // id as served, by role
	Prompts   map[string]string `json:"prompts"`   // hash, by package
	Versions  []string          `json:"versions"`  // of each trawl that worked on the run, in order
	Created   time.Time         `json:"created"`
}

// A Dataset is where the questions of a run came from. The path may change, the
// content may not.
type Dataset struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Hash returns "sha256:" and the hash of v as canonical JSON: keys sorted, no
// white space, numbers in one form. It panics if v has no JSON form, as a
// channel has none.
func Hash(v any) string {
	data, err := text.JSON(v)
	if err == nil {
		data, err = canonical(data)
	}
	if err != nil {
		panic("store: Hash of a value that has no JSON form")
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// canonical returns the one form of a JSON value.
func canonical(data []byte) ([]byte, error) {
	v, err := parse(data)
	if err != nil {
		return nil, err
	}
	return text.JSON(v)
}

// parse reads a JSON value with its numbers in one form; nothing at all is null.
func parse(data []byte) (any, error) {
	if len(data) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return settleNumbers(v), nil
}

func settleNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = settleNumbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = settleNumbers(e)
		}
	case json.Number:
		return settleNumber(v)
	}
	return v
}

// settleNumber returns whole numbers as such, so that seeds keep all digits and
// 1.0 equals 1.
func settleNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return n
	}
	if i, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64); err == nil {
		return i
	}
	return f
}

// complete fills in what follows from the rest of m and checks what must hold.
func (m *Manifest) complete() error {
	m.V = ManifestVersion
	fixed, err := parse(m.Fixed)
	if _, ok := fixed.(map[string]any); err != nil || fixed != nil && !ok {
		return errors.New("the manifest's fixed settings are not a JSON object")
	}
	want := Hash(m.Fixed)
	if m.Config == "" {
		m.Config = want
	}
	if m.Config != want {
		return fmt.Errorf("the manifest's config is %s, but its fixed settings hash to %s", m.Config, want)
	}
	if m.Created.IsZero() {
		m.Created = time.Now().UTC().Truncate(time.Second)
	}
	return nil
}

// settle writes m to a new folder, or makes sure that m is the run that is
// there and brings its manifest up to date.
func settle(dir string, m Manifest) error {
	old, err := readManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return writeManifest(dir, m)
	}
	if err != nil {
		return err
	}
	diff, err := Differences(old, m)
	if err != nil {
		return err
	}
	if len(diff) > 0 {
		return fmt.Errorf("%s %w: %s", dir, ErrOtherRun, strings.Join(diff, "; "))
	}
	m.Created = old.Created
	m.Versions = slices.Concat(old.Versions, slices.DeleteFunc(m.Versions, func(v string) bool {
		return slices.Contains(old.Versions, v)
	}))
	return updateManifest(dir, m)
}

// Differences says what makes m another run than old, each with both values;
// nothing if they are one run.
func Differences(old, m Manifest) ([]string, error) {
	before, err := identity(old)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	after, err := identity(m)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	var diff []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		part, _, nested := strings.Cut(name, ".")
		was, is := before[name], after[name]
		switch {
		case was == is:
		case nested && !has(before, part) && was == "":
			diff = append(diff, part+" was not set, is now")
		case nested && !has(after, part) && is == "":
			diff = append(diff, part+" was set, is not now")
		default:
			diff = append(diff, fmt.Sprintf("%s was %s, is now %s", name, show(was), show(is)))
		}
	}
	diff = slices.Compact(diff)
	if len(diff) == 0 && old.Config != m.Config { // somebody changed manifest.json
		diff = []string{fmt.Sprintf("config was %s, is now %s", old.Config, m.Config)}
	}
	return diff, nil
}

// identity returns what makes a run that run, as JSON values by dotted name:
// the fixed settings by their own, the rest below "run".
func identity(m Manifest) (map[string]string, error) {
	out := map[string]string{}
	for name, v := range map[string]any{
		"":                   m.Fixed,
		"run.seed":           m.Seed,
		"run.dataset.name":   m.Dataset.Name,
		"run.dataset.sha256": m.Dataset.SHA256,
		"run.index":          m.Index,
		"run.models":         m.Models,
		"run.prompts":        m.Prompts,
	} {
		data, err := text.JSON(v)
		if err != nil {
			return nil, err
		}
		parsed, err := parse(data)
		if err != nil {
			return nil, err
		}
		if err := flatten(out, name, parsed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// flatten puts the leaves of v into out. Null and an empty object are no leaves:
// a setting that is not there is the same as one that is not set.
func flatten(out map[string]string, name string, v any) error {
	object, ok := v.(map[string]any)
	if ok {
		for k, e := range object {
			if err := flatten(out, strings.TrimPrefix(name+"."+k, "."), e); err != nil {
				return err
			}
		}
		return nil
	}
	if v == nil {
		return nil
	}
	data, err := text.JSON(v)
	out[name] = string(data)
	return err
}

// has reports whether there is anything below a name.
func has(leaves map[string]string, part string) bool {
	for name := range leaves {
		if strings.HasPrefix(name, part+".") {
			return true
		}
	}
	return false
}

// show returns a value as a refusal names it.
func show(v string) string {
	const longest = 80
	if v == "" {
		return "not set"
	}
	if short := text.Truncate(v, longest); short != v {
		return short + "…"
	}
	return v
}

func readManifest(dir string) (Manifest, error) {
	var m Manifest
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return m, err
	}
	err = text.JSONError(json.Unmarshal(data, &m))
	if err == nil && m.V != 0 && m.V != ManifestVersion {
		return m, fmt.Errorf("%s has version %d, this trawl reads %d", filepath.Join(dir, manifestName), m.V, ManifestVersion)
	}
	if err == nil {
		err = m.whole()
	}
	switch {
	case err == nil:
		return m, nil
	case hasRollouts(dir):
		return m, fmt.Errorf("%s %w (%v): the rollouts in %s beside it are untouched; put a copy of the manifest back, or begin anew in another folder",
			filepath.Join(dir, manifestName), ErrDamaged, err, rolloutsName)
	}
	return m, fmt.Errorf("%s %w: its %s is of something else (%v)", dir, ErrNoRun, manifestName, err)
}

// whole reports a key that every manifest has, and m has not.
func (m Manifest) whole() error {
	for _, k := range []struct {
		name string
		has  bool
	}{{"v", m.V != 0}, {"config", m.Config != ""}, {"created", !m.Created.IsZero()}} {
		if !k.has {
			return fmt.Errorf("the key %s is missing", k.name)
		}
	}
	return nil
}

func hasRollouts(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, rolloutsName))
	return err == nil
}

// lostManifest is the error of a folder with a file of rollouts or states and
// without a manifest.
func lostManifest(dir, name string) error {
	what := strings.TrimSuffix(name, filepath.Ext(name))
	return fmt.Errorf("%s %w: its %s are there in %s, but %s is gone: put a copy of it back", dir, ErrNoRun, what, name, manifestName)
}

// updateManifest writes m to dir unless it is what stands there.
func updateManifest(dir string, m Manifest) error {
	data, err := m.encode()
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(filepath.Join(dir, manifestName)); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return writeManifest(dir, m)
}

// encode returns m as it stands on disk.
func (m Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return b.Bytes(), err
}

// writeManifest replaces the manifest of dir at once: a reader sees the old one
// or the new one, and so does the next process after a power cut.
func writeManifest(dir string, m Manifest) error {
	data, err := m.encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, manifestName), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
