package network

import (
	"sync"
	"sync/atomic"
)

// A signal counts steps that goroutines wait for. They wait busily for a moment, which costs
// least if the next step is near, and then sleep.
type signal struct {
	looks    int // how often they look for the next step before they sleep
	step     atomic.Uint32
	sleepers atomic.Int32
	mu       sync.Mutex
	woken    sync.Cond
}

// busily is a number of looks that takes some fifty microseconds: about as long as waking up a
// goroutine.
const busily = 1 << 17

// await returns the number of the step after old.
func (s *signal) await(old uint32) uint32 {
	for range s.looks {
		if step := s.step.Load(); step != old {
			return step
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.woken.L = &s.mu
	s.sleepers.Add(1)
	defer s.sleepers.Add(-1)
	for s.step.Load() == old {
		s.woken.Wait()
	}
	return s.step.Load()
}

// next begins the next step.
func (s *signal) next() {
	s.step.Add(1)
	if s.sleepers.Load() > 0 { // who begins to sleep after this has seen the step
		s.mu.Lock()
		defer s.mu.Unlock()
		s.woken.Broadcast()
	}
}

// A barrier lets goroutines wait until all of them wait.
type barrier struct {
	signal
	waiting atomic.Int32
}

// wait waits for all of so many goroutines.
func (b *barrier) wait(size int) {
	step := b.step.Load()
	if b.waiting.Add(1) < int32(size) {
		b.await(step)
		return
	}
	b.waiting.Store(0)
	b.next()
}
