package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	sections "trawl/internal/report"
	"trawl/internal/text"
	"trawl/trajectory/store"
)

// leaves returns the values of a JSON object by dotted name, as people write them.
// Lists are one value; null and what is not there have none.
func leaves(data json.RawMessage) map[string]string {
	out := map[string]string{}
	var v any
	if json.Unmarshal(data, &v) == nil {
		addLeaves(out, "", v)
	}
	return out
}

func addLeaves(out map[string]string, name string, v any) {
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for k, e := range v {
			addLeaves(out, strings.TrimPrefix(name+"."+k, "."), e)
		}
	case string:
		out[name] = v
	case float64:
		out[name] = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		if data, err := text.JSON(v); err == nil {
			out[name] = string(data)
		}
	}
}

// identityOf returns what can change a result, by name.
func identityOf(m store.Manifest) map[string]string {
	out := leaves(m.Fixed)
	for k, v := range leaves(m.Index) {
		out["index."+k] = v
	}
	for k, v := range m.Models {
		out["model."+k] = v
	}
	for k, v := range m.Prompts {
		out["prompts."+k] = v
	}
	out["seed"] = strconv.FormatInt(m.Seed, 10)
	out["dataset.name"], out["dataset.sha256"] = m.Dataset.Name, m.Dataset.SHA256
	return out
}

// longestFact is how many characters of a value are shown.
const longestFact = 80

// hashChars is how much of a hash tells it apart.
const hashChars = 16

var hash = regexp.MustCompile(`^(sha256:)?[0-9a-f]{64}$`)

// shownFact returns a value as a table has room for it.
func shownFact(v string) string {
	if hash.MatchString(v) {
		return strings.TrimPrefix(v, hashPrefix)[:hashChars] + "…"
	}
	if short := text.FirstChars(v, longestFact); short != v {
		return short + "…"
	}
	return v
}

// factsOf lists what was run, in the folders that are the run.
func factsOf(run reportRun, parts []scored) []sections.Fact {
	m := parts[0].manifest
	var out []sections.Fact
	add := func(name, value string) {
		if value != "" {
			out = append(out, sections.Fact{Name: name, Value: shownFact(value)})
		}
	}
	if run.command != "" { // whole: it is there to be typed again
		out = append(out, sections.Fact{Name: "made by", Value: run.command})
	}
	add("settings hash", m.Config)
	add("begun", m.Created.UTC().Format("2006-01-02 15:04 UTC"))
	add("trawl", strings.Join(m.Versions, ", "))
	identity := identityOf(m)
	add("data set", m.Dataset.Name+" "+filepath.Base(m.Dataset.Path))
	for _, name := range slices.SortedFunc(maps.Keys(identity), byPart) {
		add(name, identity[name])
	}
	settings := leaves(m.Settings)
	for _, name := range []string{"limit", "recursion.rounds"} {
		if _, known := identity[name]; !known && settings[name] != "0" {
			add(name, settings[name])
		}
	}
	if n := settings["shard.n"]; n != "" && n != "1" {
		var there []string
		for _, p := range parts {
			there = append(there, fmt.Sprint(p.settings.Shard.I))
		}
		add("part", strings.Join(there, ", ")+" of "+n)
	}
	add("not carried over", notCarried(m))
	return out
}

// byPart orders names: data, index, models, seed, and prompts before settings.
func byPart(a, b string) int {
	rank := func(name string) int {
		part, _, _ := strings.Cut(name, ".")
		if i := slices.Index([]string{"dataset", "index", "model", "seed", "prompts"}, part); i >= 0 {
			return i
		}
		return 5
	}
	if x, y := rank(a), rank(b); x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

// notCarried says what of other programs' rollouts was not carried over.
func notCarried(m store.Manifest) string {
	var s importedSettings
	if json.Unmarshal(m.Settings, &s) != nil {
		return ""
	}
	var parts []string
	for _, l := range s.Imported.Lost {
		parts = append(parts, fmt.Sprintf("%s (%d)", l.Key, l.Count))
	}
	return strings.Join(parts, ", ")
}

// The settings outside of a run's identity of which it is known that they change no
// result: where things are and how fast, how often a server is tried again, and what
// later commands take their own settings for.
var (
	harmlessNames  = []string{"endpoints", "dataset.path", "retrieval.index", "retrieval.cache-mb", "rollout.concurrency"}
	harmlessParts  = []string{"selection.", "models.judge.", "models.aggregator.", "models.embedder.", "imported."}
	harmlessModels = []string{"endpoints", "key-env", "timeout", "stream", "first-token", "gap", "retries", "retry-wait"} // of each models.ROLE
)

// harmless reports whether a setting is known to change no result.
func harmless(name string) bool {
	if slices.Contains(harmlessNames, name) || slices.ContainsFunc(harmlessParts, func(part string) bool { return strings.HasPrefix(name, part) }) {
		return true
	}
	parts := strings.Split(name, ".")
	return len(parts) == 3 && parts[0] == "models" && slices.Contains(harmlessModels, parts[2])
}

// differingSettings lists what manifests do not say alike: first what can change a
// result, then the rest. Everything can that is not known not to.
func differingSettings(manifests []store.Manifest) []sections.Setting {
	fixed, rest := make([]map[string]string, len(manifests)), make([]map[string]string, len(manifests))
	known := map[string]bool{"seed": true}
	for i, m := range manifests {
		fixed[i] = identityOf(m)
		for k := range fixed[i] {
			known[k] = true
		}
	}
	for i, m := range manifests {
		rest[i] = leaves(m.Settings)
		maps.DeleteFunc(rest[i], func(k, _ string) bool { return known[k] })
		rest[i]["endpoints"] = strings.Join(m.Endpoints, ", ")
		rest[i]["dataset.path"] = m.Dataset.Path
		rest[i]["trawl"] = strings.Join(m.Versions, ", ")
	}
	out := unlikeValues(fixed, func(string) bool { return true })
	out = append(out, unlikeValues(rest, func(name string) bool { return !harmless(name) })...)
	slices.SortStableFunc(out, func(a, b sections.Setting) int { return compareBool(b.Fixed, a.Fixed) })
	if len(out) == 0 && !sameConfig(manifests) { // somebody changed a manifest
		x := sections.Setting{Name: "config", Fixed: true}
		for _, m := range manifests {
			x.Values = append(x.Values, m.Config)
		}
		out = append(out, x)
	}
	return out
}

func sameConfig(manifests []store.Manifest) bool {
	return !slices.ContainsFunc(manifests, func(m store.Manifest) bool { return m.Config != manifests[0].Config })
}

// unlikeValues lists the names whose values are not all the same, and whether they can
// change a result.
func unlikeValues(all []map[string]string, fixed func(name string) bool) []sections.Setting {
	names := map[string]bool{}
	for _, m := range all {
		for k := range m {
			names[k] = true
		}
	}
	var out []sections.Setting
	for _, name := range slices.SortedFunc(maps.Keys(names), byPart) {
		x := sections.Setting{Name: name, Fixed: fixed(name)}
		same := true
		for _, m := range all {
			same = same && m[name] == all[0][name]
			x.Values = append(x.Values, shownFact(m[name]))
		}
		if !same {
			out = append(out, x)
		}
	}
	return out
}
