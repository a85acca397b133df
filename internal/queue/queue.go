// Package queue has queues of values that say which of two is first, for package container/heap.
package queue

// A Queue is values as a [heap.Interface], the first one first.
type Queue[T interface{ Before(other T) bool }] []T

func (q Queue[T]) Len() int           { return len(q) }
func (q Queue[T]) Less(i, j int) bool { return q[i].Before(q[j]) }
func (q Queue[T]) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *Queue[T]) Push(x any) { *q = append(*q, x.(T)) }

// Pop implements [heap.Interface].
func (q *Queue[T]) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// Add adds a value, like [heap.Push], without a copy of it on the heap.
func (q *Queue[T]) Add(x T) {
	v := append(*q, x)
	*q = v
	i := len(v) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.Before(v[up]) {
			break
		}
		v[i] = v[up]
		i = up
	}
	v[i] = x
}

// Take removes and returns the first value, like [heap.Pop].
func (q *Queue[T]) Take() T {
	v := *q
	first, last := v[0], len(v)-1
	x, i := v[last], 0
	v = v[:last]
	*q = v
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && v[down+1].Before(v[down]) {
			down++
		}
		if !v[down].Before(x) {
			break
		}
		v[i] = v[down]
		i = down
	}
	if last > 0 {
		v[i] = x
	}
	return first
}
