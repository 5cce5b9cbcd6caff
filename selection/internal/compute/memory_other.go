//go:build !linux

package compute

func preferHuge([]byte) {}
