package config

import (
	"net/url"
	"strings"
)

// RedactURL returns an address without the user name and password in it.
func RedactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.User == nil {
		return s
	}
	u.User = url.User("redacted")
	return u.String()
}

// spaced puts spaces where a key has separators, so that its words stand apart.
func spaced(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return ' '
		}
		return r
	}, key)
}
