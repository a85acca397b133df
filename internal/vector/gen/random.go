package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels that draw random numbers.

// words returns what emits the words of a counter, as rng.Counter.Word: at the first call those of the
// indices from an index on, one for each lane, and at each further one those of the next ones.
func (s isa) words(counter, step reg.GPVirtual) func() reg.VecVirtual {
	next, ahead := s.reg(), s.reg()
	s.fill(step, next)
	if s.lanes == 8 {
		VPMULLQ(s.places, next, next)
	} else {
		low := s.reg()
		VPMOVZXDQ(s.places, low)
		s.times(next)(low)
		next = low
	}
	start := s.reg()
	s.fill(counter, start)
	VPADDQ(start, next, next)
	SHLQ(U8(bits.TrailingZeros(uint(s.lanes))), step)
	s.fill(step, ahead)
	first, second := s.times(s.word(0xbf58476d1ce4e5b9)), s.times(s.word(0x94d049bb133111eb))
	return func() reg.VecVirtual {
		z := s.reg()
		s.mix(next, z, 30)
		VPADDQ(ahead, next, next)
		first(z)
		s.mix(z, z, 27)
		second(z)
		s.mix(z, z, 31)
		return z
	}
}

// mix emits a step of a word's mixing: the word, and by XOR its upper bits.
func (s isa) mix(from, z reg.VecVirtual, by uint8) {
	high := s.reg()
	VPSRLQ(U8(by), from, high)
	if s.lanes == 8 {
		VPXORQ(from, high, z)
	} else {
		VPXOR(from, high, z)
	}
}

// times returns what emits products of words with those of a register. AVX2 multiplies halves of words.
func (s isa) times(by reg.VecVirtual) func(z reg.VecVirtual) {
	if s.lanes == 8 {
		return func(z reg.VecVirtual) { VPMULLQ(by, z, z) }
	}
	byHigh := s.reg()
	VPSRLQ(U8(32), by, byHigh)
	return func(z reg.VecVirtual) {
		high, cross := s.reg(), s.reg()
		VPSRLQ(U8(32), z, high)
		VPMULUDQ(by, high, high)
		VPMULUDQ(byHigh, z, cross)
		VPADDQ(cross, high, high)
		VPSLLQ(U8(32), high, high)
		VPMULUDQ(by, z, z)
		VPADDQ(high, z, z)
	}
}

// units returns what emits the numbers from [0, 1) of words, as rng.Unit. AVX2 puts the halves of their
// upper 53 bits into the fractions of 2^31 and 2^-1.
func (s isa) units() func(word reg.VecVirtual) {
	if s.lanes == 8 {
		unit := s.number(0x1p-53)
		return func(word reg.VecVirtual) {
			VPSRLQ(U8(11), word, word)
			VCVTUQQ2PD(word, word)
			VMULPD(word, unit, word)
		}
	}
	above, below, both := s.number(0x1p31), s.number(0x1p-1), s.number(0x1p31+0x1p-1)
	return func(word reg.VecVirtual) {
		high := s.reg()
		VPSRLQ(U8(43), word, high)
		VPOR(above, high, high)
		VPSRLQ(U8(11), word, word)
		VPBLENDD(U8(0b10101010), below, word, word)
		VSUBPD(both, high, high)
		VADDPD(high, word, word)
	}
}

// fill fills a register with a word.
func (s isa) fill(word reg.GPVirtual, all reg.VecVirtual) {
	if s.lanes == 8 {
		VPBROADCASTQ(word, all)
		return
	}
	VMOVQ(word, all.AsX())
	VPBROADCASTQ(all.AsX(), all)
}

// word fills a register with a constant.
func (s isa) word(bits uint64) reg.VecVirtual {
	one, all := GP64(), s.reg()
	MOVQ(U64(bits), one)
	s.fill(one, all)
	return all
}

// each emits step for n numbers from index i, a chunk at a time.
func (s isa) each(name string, i, n reg.GPVirtual, step func()) {
	XORQ(i, i)
	again, done := name+s.name+"Again", name+s.name+"Done"
	Label(again)
	CMPQ(i, n)
	JGE(LabelRef(done))
	step()
	ADDQ(U32(chunk), i)
	JMP(LabelRef(again))
	Label(done)
}

// draw emits the kernel that replaces numbers by uniform ones.
func (s isa) draw() {
	s.begin("draw", "(v, also *float64, n int, from, width float64, at, step uint64)")
	v, also, n, from, width := param("v"), param("also"), param("n"), s.all("from"), s.all("width")
	infinite := s.number(infinity)
	words := s.words(param("at"), param("step"))
	unit, i := s.units(), GP64()
	s.each("draw", i, n, func() {
		x, k, u := s.reg(), K(), words()
		VMOVUPD(at(v, i, 0), x)
		VCMPPD(noLess, infinite, x, k)
		unit(u)
		VMULPD(u, width, u)
		VADDPD(u, from, k, x)
		VMOVUPD(x, at(v, i, 0))
		VMOVUPD(x, k, at(also, i, 0))
	})
	end()
}

// addCounts emits the kernel that adds a multiple of a length, by the number of ascending bounds,
// at least two, that a word is not below. In most chunks no word reaches the third, so that only
// further ones are worth a jump.
func (s isa) addCounts() {
	s.begin("addCounts", "(v *float64, n int, bounds *uint64, m int, each float64, at, step uint64)")
	v, n, bounds, m, each := param("v"), param("n"), param("bounds"), param("m"), s.all("each")
	words := s.words(param("at"), param("step"))
	one, i, b := s.word(1), GP64(), GP64()
	lowest, next := s.reg(), s.reg()
	VPBROADCASTQ(Mem{Base: bounds}, lowest)
	VPBROADCASTQ(Mem{Base: bounds, Disp: 8}, next)
	s.each("addCounts", i, n, func() {
		w, count, some, more, found := words(), s.reg(), K(), K(), GP32()
		VPCMPUQ(notBelow, lowest, w, some)
		VPCMPUQ(notBelow, next, w, more)
		VMOVDQA64_Z(one, some, count)
		VPADDQ(one, count, more, count)
		KMOVB(more, found)
		MOVQ(U64(2), b)
		again, done := "addCountsBound", "addCountsCounted"
		TESTL(found, found)
		JZ(LabelRef(done))
		Label(again)
		CMPQ(b, m)
		JGE(LabelRef(done))
		bound := s.reg()
		VPBROADCASTQ(Mem{Base: bounds, Index: b, Scale: 8}, bound)
		VPCMPUQ(notBelow, bound, w, more)
		KMOVB(more, found)
		TESTL(found, found)
		JZ(LabelRef(done))
		VPADDQ(one, count, more, count)
		INCQ(b)
		JMP(LabelRef(again))
		Label(done)
		VCVTUQQ2PD(count, count)
		VMULPD(count, each, count)
		VADDPD(at(v, i, 0), count, count)
		VMOVUPD(count, at(v, i, 0))
	})
	end()
}

// addLines emits the kernel that adds values of a function of straight lines. Each of them is loaded by
// itself, at an offset from a general register: gathering takes longer, and so does storing the numbers to
// load them one by one.
func (s isa) addLines() {
	s.begin("addLines", "(v *float64, n int, lines *float64, hit *uint64, at, step uint64)")
	v, n, lines := param("v"), param("n"), param("lines")
	if s.lanes == 8 {
		s.addLinesOfEight(v, n, lines, param("hit"))
	} else {
		s.addLinesOfFour(v, n, lines, s.hits())
	}
	end()
}

// addLinesOfEight has the numbers of eight lines in a general register.
func (s isa) addLinesOfEight(v, n, lines, hit reg.GPVirtual) {
	words := s.words(param("at"), param("step"))
	unit, zero, i := s.number(0x1p-53), s.number(0), GP64()
	s.each("addLines", i, n, func() {
		p, line, x, slope, odd := words(), s.reg(), s.reg(), s.reg(), s.reg()
		none, has := K(), K()
		numbers := GP64()
		VPSRLQ(U8(56), p, line)
		VPMOVQB(line, line.AsX())
		VMOVQ(line.AsX(), numbers)
		lineOf := func(k int) Mem {
			offset := GP64()
			if MOVQ(numbers, offset); k == 0 {
				SHLQ(U8(4), offset)
			} else {
				SHRQ(U8(8*k-4), offset)
			}
			ANDQ(U32(0xff0), offset)
			return Mem{Base: lines, Index: offset, Scale: 1}
		}
		for k, four := range []reg.VecVirtual{x, odd} { // of the even and of the odd numbers
			last := s.reg()
			VMOVUPD(lineOf(k), four.AsX())
			VINSERTF128(U8(1), lineOf(k+2), four.AsY(), four.AsY())
			VMOVUPD(lineOf(k+4), last.AsX())
			VINSERTF128(U8(1), lineOf(k+6), last.AsY(), last.AsY())
			VINSERTF64X4(U8(1), last.AsY(), four, four)
		}
		VUNPCKHPD(odd, x, slope)
		VUNPCKLPD(odd, x, x)
		VPSRLQ(U8(11), p, p)
		VCVTUQQ2PD(p, p)
		VMULPD(p, unit, p)
		VMULPD(p, slope, p)
		VADDPD(p, x, x)
		VCMPPD(noLess, zero, x, has)
		KNOTB(has, none)
		byteAt := GP64()
		MOVQ(i, byteAt)
		SHRQ(U8(3), byteAt)
		KMOVB(none, Mem{Base: hit, Index: byteAt, Scale: 1})
		VADDPD(at(v, i, 0), x, x)
		VMOVUPD(x, has, at(v, i, 0))
	})
}

// addLinesOfFour has the offsets of four lines in the lanes of registers.
func (s isa) addLinesOfFour(v, n, lines reg.GPVirtual, hits hits) {
	words := s.words(param("at"), param("step"))
	unit, i := s.units(), GP64()
	s.each("addLines", i, n, func() {
		for offset := 0; offset < chunk; offset += s.lanes {
			p, line, upper := words(), s.reg(), XMM()
			VPSRLQ(U8(56), p, line)
			VPSLLQ(U8(4), line, line)
			VEXTRACTI128(U8(1), line, upper)
			lineOf := func(two reg.VecVirtual, k int) Mem {
				offset := GP64()
				if k == 0 {
					VMOVQ(two.AsX(), offset)
				} else {
					VPEXTRQ(U8(k), two.AsX(), offset)
				}
				return Mem{Base: lines, Index: offset, Scale: 1}
			}
			y, slope, odd := s.reg(), s.reg(), s.reg()
			for k, two := range []reg.VecVirtual{y, odd} { // the even and the odd ones
				VMOVUPD(lineOf(line, k), two.AsX())
				VINSERTF128(U8(1), lineOf(upper, k), two, two)
			}
			VUNPCKHPD(odd, y, slope)
			VUNPCKLPD(odd, y, y)
			unit(p)
			VMULPD(p, slope, p)
			VADDPD(p, y, y)
			zero, none, start := s.reg(), s.reg(), s.reg()
			VXORPD(zero, zero, zero)
			VCMPPD(isLess, zero, y, none)
			VMOVUPD(at(v, i, offset), start)
			VADDPD(start, y, y)
			hits.except(none, nil, start, y, i, offset)
			VMOVUPD(y, at(v, i, offset))
		}
	})
}

// notBelow is the predicate of a comparison of words.
const notBelow = U8(5)
