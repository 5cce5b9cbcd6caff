//go:build !(cgo && linux)

package cublas_test

import (
	"errors"
	"testing"

	"trawl/selection/internal/compute/cublas"
)

func TestOpenWithoutCgo(t *testing.T) {
	b, err := cublas.Open()
	if b != nil || !errors.Is(err, cublas.ErrAbsent) {
		t.Errorf("Open() = %v, %v; want no backend and ErrAbsent", b, err)
	}
}
