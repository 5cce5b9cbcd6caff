package wiki

import (
	"bytes"
	"strconv"
	"strings"
)

// unescape resolves XML's entities, in place. Others stay: in a dump they are
// text, for its own ampersands are escaped.
func unescape(b []byte) []byte {
	at := bytes.IndexByte(b, '&')
	if at < 0 {
		return b
	}
	out := b[:at]
	for at < len(b) {
		if b[at] == '&' {
			if c, n := xmlEntity(b[at:]); n > 0 {
				out = append(out, c...)
				at += n
				continue
			}
			out = append(out, '&')
			at++
		}
		next := bytes.IndexByte(b[at:], '&')
		if next < 0 {
			next = len(b) - at
		}
		out = append(out, b[at:at+next]...)
		at += next
	}
	return out
}

// xmlEntity returns the character that an entity stands for, and the entity's
// length; 0 if b begins with none.
func xmlEntity(b []byte) (string, int) {
	const longest = 10
	end := bytes.IndexByte(b[:min(len(b), longest)], ';')
	if end < 0 {
		return "", 0
	}
	name := string(b[1:end])
	if c, ok := xmlEntities[name]; ok {
		return c, end + 1
	}
	digits, isNumber := strings.CutPrefix(name, "#")
	radix := 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, radix = hex, 16
	}
	n, err := strconv.ParseUint(digits, radix, 21)
	if !isNumber || err != nil || n == 0 {
		return "", 0
	}
	return string(rune(n)), end + 1
}

var xmlEntities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}
