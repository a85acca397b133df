// Package rng derives reproducible, independent random streams.
//
// A [Key] is a 128-bit name of a stream. Keys form a tree: the root comes from hashing words (a
// seed, a configuration), and [Key.Derive] names the children (a trial, a purpose, a block of
// ranks). A stream is a function of its key alone, so any worker can draw the numbers of trial 17
// without the numbers of trials 0 to 16, in any order.
//
// The generator is golang.org/x/exp/rand's PCG XSL RR 128/64. Its Seed method
// sets both halves of the state to one word and so reaches only 2^64 of the
// 2^128 points of the one cycle that all seeds share; here the full state is
// loaded from the key, which leaves two streams of 2^40 numbers overlapping
// with probability 2^-87.
package rng

import (
	"crypto/sha256"
	"encoding/binary"

	"golang.org/x/exp/rand"
)

// A Key names one stream of random numbers.
type Key struct{ hi, lo uint64 }

// NewKey hashes a seed and a string (the canonical form of a configuration) into a key, by SHA-256.
func NewKey(seed uint64, text string) Key {
	h := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), text...))
	return Key{binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:16])}
}

// Derive returns the key of child n.
func (k Key) Derive(n uint64) Key {
	hi := mix(k.hi ^ mix(n+0x9e3779b97f4a7c15))
	return Key{hi, mix(k.lo + hi)}
}

// Uniform returns the i-th number of the key's [Counter], from [0, 1) with 53 random
// bits. It needs no stream.
func (k Key) Uniform(i int) float64 { return Unit(k.Counter().Word(i)) }

// A Counter has random words that can be read in any order: the words of SplitMix64 (as below, fig.
// 17) with start and step from a key.
type Counter struct{ Start, Step uint64 }

// Counter returns the counter of the key.
func (k Key) Counter() Counter { return Counter{k.lo, k.hi | 1} }

// Word returns the i-th word.
func (c Counter) Word(i int) uint64 { return mix(c.Start + uint64(i)*c.Step) }

// Before returns the counter of the words before the first, in descending order. They differ from
// the words of c.
func (c Counter) Before() Counter { return Counter{c.Start - c.Step, -c.Step} }

// Unit returns the number from [0, 1) of the upper 53 bits of a word.
func Unit(word uint64) float64 { return float64(int64(word>>11)) * 0x1p-53 }

// mix applies the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014, fig. 15): a bijection of the
// 64-bit words in which every input bit flips each output bit about half the
// time.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A Stream draws numbers. Make one with [New] and point it at a key with
// [Stream.Reset] as often as needed: that costs a few nanoseconds and no
// allocation. It is a source for gonum's distributions too.
type Stream struct {
	*rand.Rand
	src *rand.PCGSource
}

// New returns a stream at the beginning of the key's numbers.
func New(k Key) Stream {
	src := new(rand.PCGSource)
	s := Stream{rand.New(src), src}
	s.Reset(k)
	return s
}

// Reset moves the stream to the beginning of the key's numbers.
func (s Stream) Reset(k Key) {
	var state [16]byte
	binary.BigEndian.PutUint64(state[:8], k.hi)
	binary.BigEndian.PutUint64(state[8:], k.lo)
	_ = s.src.UnmarshalBinary(state[:]) // it fails for fewer than 16 bytes only
}

// Uniform draws from [0, 1) with 53 random bits.
func (s Stream) Uniform() float64 { return Unit(s.src.Uint64()) }
