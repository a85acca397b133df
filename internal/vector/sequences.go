package vector

import "iter"

// Each returns what of returns for each of the values.
func Each[T, U any](values []T, of func(T) U) []U {
	var all []U
	for _, v := range values {
		all = append(all, of(v))
	}
	return all
}

// Sequence yields what of returns for the numbers from 0 to n−1.
func Sequence[T any](n int, of func(i int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range n {
			if !yield(of(i)) {
				return
			}
		}
	}
}
