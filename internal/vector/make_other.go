//go:build !linux

package vector

func largePages([]float64) {}
