package vector

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is how much memory one entry of the processor's address cache can stand for.
const largePage = 2 << 20

// largePages asks the system for them. A sweep goes over vectors in strides, and with
// small pages waits for addresses as long as for numbers. What is refused is only slower.
func largePages(v []float64) {
	if len(v)*8 < 2*largePage {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*8)
	skip := -int(uintptr(unsafe.Pointer(&v[0]))) & (largePage - 1)
	whole := (len(bytes) - skip) &^ (largePage - 1)
	_ = unix.Madvise(bytes[skip:skip+whole], unix.MADV_HUGEPAGE)
}
