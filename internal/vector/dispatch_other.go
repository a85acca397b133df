//go:build !amd64 || purego

package vector

// No kernels: of none of the numbers are they done.

func later(_, _, _ []float64, _ float64) int { return 0 }

func earlier(_, _, _ []float64, _ float64) int { return 0 }

func extremes([]float64, *[2][chunk]float64) int { return 0 }

func exchange(_, _ []float64, _ int) int { return 0 }

func advance(_, _ []float64, _, _ float64, _ Held) int { return 0 }
