//go:build !unix

package cli

// checkMemory returns nil: there are no such limits.
func checkMemory() error { return nil }

// checkOutput returns nil: a closed standard output is noticed when it is written to.
func checkOutput() error { return nil }
