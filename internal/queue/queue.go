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
