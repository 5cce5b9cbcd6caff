//go:build !(cgo && linux)

package cublas

import (
	"fmt"

	"trawl/selection/internal/compute"
)

// Open returns an error that wraps [ErrAbsent].
func Open() (compute.Backend[float32], error) {
	return nil, fmt.Errorf("cublas: %w: this binary was built without cgo or not for Linux", ErrAbsent)
}
