package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"trawl/internal/text"
)

// CanonicalURL returns the address under which a page is known, or false if raw
// is no web address.
//
// It is an http or https address with a host. Scheme and authority are in lower
// case; the port is kept, also the usual one; the fragment and an empty query are
// dropped; an empty path stays empty; dots and slashes are not folded. In path
// and query an escape is decoded if it stands for a letter, a digit or one of
// "-._~" and is in upper case otherwise, and every other byte is escaped, apart
// from "/:@" in the path and "=&?/:@+" in the query. Name and password become a
// hash, equal only for equal ones: they are never shown. Refused are control
// characters, white space in the authority, a port that is none and a malformed
// escape. Leading blanks are ignored. (methods A.3, trace-document-identity-v1)
func CanonicalURL(raw string) (canonical string, ok bool) {
	raw = strings.TrimLeft(raw, " ")
	if strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	scheme, rest, found := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	if !found || scheme != "http" && scheme != "https" {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority, ok := canonicalAuthority(rest[:end])
	if !ok {
		return "", false
	}
	path, query, _ := strings.Cut(rest[end:], "?")
	var b strings.Builder
	b.WriteString(scheme + "://" + authority)
	if !reescape(&b, path, "/:@") {
		return "", false
	}
	if query != "" {
		b.WriteByte('?')
		if !reescape(&b, query, "=&?/:@+") {
			return "", false
		}
	}
	return b.String(), true
}

// canonicalAuthority is [CanonicalURL] for what stands between "://" and the path.
func canonicalAuthority(s string) (string, bool) {
	if strings.ContainsFunc(s, text.IsSpace) {
		return "", false
	}
	token := ""
	host := s
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		var ok bool
		if token, ok = userToken(s[:at]); !ok {
			return "", false
		}
		host = s[at+1:]
	}
	if _, ok := unescape(host); !ok || !hostAndPort(host) {
		return "", false
	}
	return token + text.Lower(host), true
}

// hostAndPort reports whether s is a host and perhaps a port.
func hostAndPort(s string) bool {
	host, port, hasPort := strings.Cut(s, ":")
	if inner, bracketed := strings.CutPrefix(s, "["); bracketed {
		address, after, closed := strings.Cut(inner, "]")
		if ip, err := netip.ParseAddr(address); err != nil || !ip.Is6() || !closed {
			return false
		}
		host = address
		if port, hasPort = strings.CutPrefix(after, ":"); !hasPort && after != "" {
			return false
		}
	} else if strings.ContainsAny(s, "[]") {
		return false
	}
	if host == "" {
		return false
	}
	if !hasPort || port == "" {
		return true
	}
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

// userToken returns what stands for a name and a password, "@" included.
func userToken(s string) (string, bool) {
	name, password, has := strings.Cut(s, ":")
	n, ok := unescape(name)
	p, ok2 := unescape(password)
	if !ok || !ok2 {
		return "", false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%t%s", len(n), n, has, p))
	return "user-" + hex.EncodeToString(sum[:]) + "@", true
}

// reescape writes s with escapes where they are needed and no others, or
// returns false at a malformed one. Bytes of keep stand for themselves.
func reescape(b *strings.Builder, s, keep string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if !unreserved(c) {
				writeEscape(b, c)
				continue
			}
		}
		if unreserved(c) || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
		} else {
			writeEscape(b, c)
		}
	}
	return true
}

func writeEscape(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.Write([]byte{'%', digits[c>>4], digits[c&15]})
}

// unescape decodes the escapes of s. Malformed ones stay, and ok is false.
func unescape(s string) (decoded string, ok bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	ok = true
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '%':
			out = append(out, s[i])
		case i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			out = append(out, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		default:
			ok = false
			out = append(out, '%')
		}
	}
	return string(out), ok
}

// decoded returns the normal form of an address with its escapes decoded, by
// which addresses are compared with those that pages display.
func decoded(address string) string {
	s, _ := unescape(address)
	return text.Normal(strings.ToValidUTF8(s, "\ufffd"))
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&7 + 9
}
