//go:build !amd64

package vector

// assemblies are those that this processor runs: none.
func assemblies() []*fast { return nil }
