//go:build !linux

package store_test

import "errors"

// fill has its test on Linux only.
func fill(string) error { return errors.ErrUnsupported }
