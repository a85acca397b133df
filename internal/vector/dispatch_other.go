//go:build !amd64 || purego

package vector

// detect returns no kernels.
func detect() []kernels { return nil }
