package opensearch

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// The schemes of addresses.
const (
	plainScheme  = "opensearch"
	secureScheme = "opensearchs"
)

const defaultPort = "9200"

// IsAddress reports whether s is meant as the address of an index in a cluster,
// right or wrong, rather than as a folder or another server's address.
func IsAddress(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	scheme = strings.ToLower(scheme)
	return ok && (scheme == plainScheme || scheme == secureScheme)
}

// An address is where an index is.
type address struct {
	server         url.URL // without user and index
	user, password string
	index          string
	shown          string // the whole, without user and password
}

// parseAddress reads an address. Its errors have no part of it that may hold a
// password.
func parseAddress(s string) (address, error) {
	u, err := url.Parse(s)
	if err != nil {
		return address{}, errors.New("the address is not a URL") // err quotes it
	}
	whole := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	shape := fmt.Errorf("address %q: want %s://HOST:PORT/INDEX", whole.String(), plainScheme)
	if !IsAddress(s) || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return address{}, shape
	}
	path := strings.TrimRight(u.Path, "/")
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 {
		return address{}, shape
	}
	a := address{index: path[slash+1:], server: url.URL{Scheme: "http", Host: u.Host, Path: path[:slash]}}
	if err := checkName(a.index); err != nil {
		return address{}, fmt.Errorf("address %q: %w", whole.String(), err)
	}
	if u.Scheme == secureScheme {
		a.server.Scheme = "https"
	}
	if u.Port() == "" {
		a.server.Host = net.JoinHostPort(u.Hostname(), defaultPort)
	}
	a.user = u.User.Username()
	a.password, _ = u.User.Password()
	whole.Host, whole.Path = a.server.Host, path
	a.shown = whole.String()
	return a, nil
}

// checkName reports names that OpenSearch admits for no index, or that stand for
// several.
func checkName(name string) error {
	switch {
	case len(name) > 255, name == ".", name == "..", strings.ToLower(name) != name, strings.HasPrefix(name, "_"),
		strings.HasPrefix(name, "-"), strings.HasPrefix(name, "+"), strings.ContainsAny(name, "\\/*?\"<>| ,#:%"):
		return fmt.Errorf("index %q: want lower case, up to 255 bytes, not beginning with _, - or +, and none of \\/*?\"<>| ,#:%%", name)
	}
	return nil
}
