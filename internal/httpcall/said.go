package httpcall

import (
	"html"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"trawl/internal/text"
)

const (
	shownBytes = 200      // of what a server said
	readBytes  = 16 << 10 // of it that are looked at
)

// Passes reports whether what has this status may work when it is tried again.
func Passes(status int) bool { return status == http.StatusTooManyRequests || status >= 500 }

// RetryAfter returns how many seconds the server asks to wait.
func RetryAfter(h http.Header) time.Duration {
	s, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After")), 64)
	if err != nil || !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
}

// Kind returns the media type of an answer.
func Kind(h http.Header) string {
	k, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return "no content type"
	}
	return k
}

var markup = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>|<[a-z/!][^<>]*>`)

// FirstWords returns the beginning of what a server said on one line, without the
// tags of the pages that proxies send.
func FirstWords(data []byte) string {
	said := strings.ToValidUTF8(string(data[:min(len(data), readBytes)]), "\uFFFD")
	said = text.Printable(html.UnescapeString(markup.ReplaceAllString(said, " ")))
	if short := text.Truncate(said, shownBytes); short != said {
		return short + " …"
	}
	return said
}
