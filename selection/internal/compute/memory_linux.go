package compute

import "syscall"

// preferHuge asks for huge pages. Not to get them is no fault.
func preferHuge(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
