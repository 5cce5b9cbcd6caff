package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
)

// Redacted returns a copy of s without what may be a secret: user names and
// passwords in endpoint addresses, and whatever stands under an extra request key
// whose name says that it is one. A mark that follows from the value stands in
// their place, so that another value is seen to be another.
func (s *Settings) Redacted() *Settings {
	c := *s
	m := &c.Models
	m.Agent.Endpoints, m.Agent.Extra = redactURLs(m.Agent.Endpoints), redactExtra(m.Agent.Extra)
	for _, r := range []*Role{&m.Compressor, &m.Aggregator, &m.Judge} {
		r.Endpoints, r.Extra = redactURLs(r.Endpoints), redactExtra(r.Extra)
	}
	m.Embedder.Endpoints = redactURLs(m.Embedder.Endpoints)
	c.Retrieval.Index = RedactURL(c.Retrieval.Index)
	return &c
}

func redactExtra(extra map[string]any) map[string]any {
	if extra == nil {
		return nil
	}
	return redact(extra).(map[string]any)
}

func redactURLs(urls []string) []string {
	var out []string
	for _, u := range urls {
		out = append(out, RedactURL(u))
	}
	return out
}

// RedactURL returns an address without the user name and password in it, and
// without the values of its parameters that name secrets. Of what is no address,
// but may be one mistyped, all before the last @ is left out.
func RedactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.User == nil && strings.Contains(s, "@") && strings.Contains(s, ":/") {
		if at := strings.LastIndex(s, "@"); at >= 0 {
			return "redacted" + s[at:]
		}
		return s
	}
	shown := s
	if u.User != nil {
		u.User = url.User("redacted")
		shown = u.String()
	}
	parameters := u.Query()
	secret := false
	for key := range parameters {
		if isSecret(key) {
			secret = true
			parameters.Set(key, "redacted")
		}
	}
	if secret {
		u.RawQuery = parameters.Encode()
		shown = u.String()
	}
	return shown
}

func redact(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			if isSecret(k) && e != nil {
				out[k] = mark(fmt.Sprint(e))
				continue
			}
			out[k] = redact(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = redact(e)
		}
		return out
	}
	return v
}

// mark stands for a secret: too short a hash to find it by.
func mark(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return "redacted-" + hex.EncodeToString(sum[:3])
}

// isSecret reports whether a key names a secret: api_key, authToken, password.
// Keys such as max_tokens and stop_token_ids do not.
func isSecret(key string) bool {
	key = strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(key))
	for _, end := range []string{"key", "token", "secret", "password", "authorization", "signature"} {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return false
}
