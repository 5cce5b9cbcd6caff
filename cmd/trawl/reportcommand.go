package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trawl/internal/config"
)

// typed returns the command line as a shell takes it, with its flags behind the
// arguments and without those that change no file.
func typed(command *cobra.Command, args []string) string {
	parts := append([]string{command.CommandPath()}, args...)
	command.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "json" && f.Name != "quiet" {
			parts = append(parts, typedFlag(f)...)
		}
	})
	for i := range parts[1:] {
		parts[i+1] = quoted(parts[i+1])
	}
	return strings.Join(parts, " ")
}

// typedFlag returns the words of a flag.
func typedFlag(f *pflag.Flag) []string {
	name, value := "--"+f.Name, f.Value.String()
	list, isList := f.Value.(pflag.SliceValue)
	switch {
	case f.Value.Type() == "bool" && value == "true":
		return []string{name}
	case f.Value.Type() == "bool" || value == f.NoOptDefVal:
		return []string{name + "=" + value}
	case f.Value.Type() == "stringArray" && isList:
		var words []string
		for _, v := range list.GetSlice() {
			words = append(words, name, v)
		}
		return words
	case isList:
		return []string{name, commas(list.GetSlice())}
	default:
		return []string{name, value}
	}
}

// commas joins values as a flag of several takes them.
func commas(values []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if w.Write(values) != nil {
		return strings.Join(values, ",")
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"$`\\&;|<>()*?!#~[]{}") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// hidden stands in a command in the place of a secret.
const hidden = "…hidden…"

var (
	shellWord = regexp.MustCompile(`(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+`)
	escaped   = regexp.MustCompile(`\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"`)
	setting   = regexp.MustCompile(`^(?:--set=)?([A-Za-z][-A-Za-z0-9_.]*)=`)
	userOfURL = regexp.MustCompile(`://[^/@\s'"]*@`)
	queryKey  = regexp.MustCompile(`([?&])([^=&\s'"]+)=([^&\s'"]+)`)
	header    = regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*(?:(?:bearer|basic)\s+)?|bearer\s+)([^\s'",{}\[\]$…][^\s'",}\]]*)`)
	variable  = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)
)

// withoutSecrets returns a command line with marks in the places of secrets: of keys
// whose names say that they are one, at any depth of the settings in it, of users in
// addresses, and of headers.
func withoutSecrets(command string) string {
	command = userOfURL.ReplaceAllString(command, "://"+hidden+"@")
	command = queryKey.ReplaceAllStringFunc(command, func(s string) string {
		m := queryKey.FindStringSubmatch(s)
		if namesSecret(m[2]) {
			return m[1] + m[2] + "=" + hidden
		}
		return s
	})
	return shellWord.ReplaceAllStringFunc(command, func(word string) string {
		plain := escaped.ReplaceAllStringFunc(word, func(s string) string {
			m := escaped.FindStringSubmatch(s)
			return m[1] + m[2] + strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[3])
		})
		safe := header.ReplaceAllStringFunc(safeSetting(plain), hiddenHeader)
		if safe == plain {
			return word
		}
		return quoted(safe)
	})
}

// hiddenHeader hides what a header says behind the name of its scheme.
func hiddenHeader(s string) string {
	m := header.FindStringSubmatch(s)
	if scheme := strings.ToLower(m[2]); scheme == "bearer" || scheme == "basic" { // and what follows is hidden already
		return s
	}
	return m[1] + hidden
}

// safeSetting returns a word of key=value without the secrets in it. A value that has
// any and cannot be told apart from them is hidden as a whole.
func safeSetting(word string) string {
	m := setting.FindStringSubmatch(word)
	if m == nil {
		return word
	}
	key, value := m[1], word[len(m[0]):]
	var parsed any
	if yaml.Unmarshal([]byte(value), &parsed) != nil {
		parsed = value
	}
	secret := false
	for part := range strings.SplitSeq(key, ".") {
		secret = secret || namesSecret(part)
	}
	for _, found := range secretsIn(parsed, secret) {
		if variable.MatchString(found) {
			continue
		}
		if !strings.Contains(value, found) {
			return m[0] + hidden
		}
		value = strings.ReplaceAll(value, found, hidden)
	}
	return m[0] + value
}

// secretsIn returns the texts of v that are secrets: those of keys that name one, or
// all of them if v is of such a key itself.
func secretsIn(v any, secret bool) []string {
	var out []string
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for k, e := range v {
			out = append(out, secretsIn(e, secret || namesSecret(k))...)
		}
	case []any:
		for _, e := range v {
			out = append(out, secretsIn(e, secret)...)
		}
	default:
		if said := fmt.Sprint(v); secret && said != "" {
			out = append(out, said)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // one may be part of another
	return out
}

// namesSecret reports whether the value of a key is hidden in manifests.
func namesSecret(key string) bool {
	s := config.Default()
	s.Models.Agent.Extra = map[string]any{key: "x"}
	return s.Redacted().Models.Agent.Extra[key] != "x"
}
