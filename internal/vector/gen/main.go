// Command gen writes the assembly of internal/vector: see the essay in its vector.go.
// It is a module of its own, so that only changes of the kernels need avo:
//
//	go generate ./internal/vector
package main

import (
	"math"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chunk is the smallest number of numbers that kernels take; their n is a multiple of it.
const chunk = 8

// An isa is one width of vector.
type isa struct {
	name  string
	lanes int
	reg   func() reg.VecVirtual

	places Mem // 0 … 7, numbers as long as those that are permuted
}

var isas = []isa{{name: "AVX512", lanes: 8, reg: ZMM}, {name: "AVX2", lanes: 4, reg: YMM}}

func main() {
	ConstraintExpr("amd64,!purego")
	for _, s := range isas {
		s.places = places(s.name, s.lanes)
		s.choose("later", VMAXPD)
		s.choose("earlier", VMINPD)
		s.choose("sum", VADDPD)
		s.shift()
		s.raise()
		s.extremes()
		s.exchange()
		for _, p := range pairKernels {
			s.pairs(p)
		}
		s.advance()
		s.advanceIn()
		if s.lanes == 8 {
			s.draw()
			s.addCounts()
		}
		s.addLines()
		if s.lanes == 8 {
			s.resume()
		}
	}
	Generate()
}

// begin begins a kernel, which does what the function of its name in generic.go or pairs.go does.
func (s isa) begin(name, signature string) {
	TEXT(name+s.name, NOSPLIT, "func"+signature)
	Pragma("noescape")
}

// end ends a kernel. SSE instructions that come after must not wait for the upper halves of
// registers.
func end() {
	VZEROUPPER()
	RET()
}

// param loads a parameter.
func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// give returns the lowest number of a register as a result.
func give(name string, v reg.VecVirtual) { VMOVSD(v.AsX(), memory(Return(name))) }

// memory returns the address of a parameter or a result.
func memory(c gotypes.Component) Mem {
	address, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return address.Addr
}

// all fills a register with a parameter.
func (s isa) all(name string) reg.VecVirtual {
	v := s.reg()
	VBROADCASTSD(memory(Param(name)), v)
	return v
}

// number fills a register with a number.
func (s isa) number(x float64) reg.VecVirtual {
	one, all := GP64(), s.reg()
	MOVQ(U64(math.Float64bits(x)), one)
	VMOVQ(one, all.AsX())
	VBROADCASTSD(all.AsX(), all)
	return all
}

var infinity = math.Inf(1)

// loop emits step for n numbers from index i: first four chunks at a time, so that it costs
// loads and stores only, and then one. A step gets the offset of a register from index i; each
// chunk is one or two registers.
func (s isa) loop(name string, i, n reg.GPVirtual, step func(offset int)) {
	XORQ(i, i)
	left := GP64()
	MOVQ(n, left)
	for _, chunks := range []int{4, 1} {
		again, done := name+s.name+"By"+strconv.Itoa(chunks), name+s.name+"After"+strconv.Itoa(chunks)
		Label(again)
		SUBQ(U32(chunks*chunk), left)
		JL(LabelRef(done))
		for offset := 0; offset < chunks*chunk; offset += s.lanes {
			step(offset)
		}
		ADDQ(U32(chunks*chunk), i)
		JMP(LabelRef(again))
		Label(done)
		ADDQ(U32(chunks*chunk), left)
	}
}

// at returns the address of the number offset numbers after index i.
func at(base, i reg.Register, offset int) Mem {
	return Mem{Base: base, Index: i, Scale: 8, Disp: 8 * offset}
}

// choose emits the kernel that picks one of two numbers, or makes one of them. Of equal numbers, such as zeros
// of both signs, it must be a, the operand that the instruction returns.
func (s isa) choose(name string, pick func(...Op)) {
	s.begin(name, "(dst, a, b *float64, n int, by float64)")
	dst, a, b, n, by := param("dst"), param("a"), param("b"), param("n"), s.all("by")
	i := GP64()
	s.loop(name, i, n, func(offset int) {
		v := s.reg()
		VADDPD(at(b, i, offset), by, v)
		pick(at(a, i, offset), v, v)
		VMOVUPD(v, at(dst, i, offset))
	})
	end()
}

// shift emits the kernel that adds a number to all.
func (s isa) shift() {
	s.begin("shift", "(dst, src *float64, n int, by float64)")
	dst, src, n, by := param("dst"), param("src"), param("n"), s.all("by")
	i := GP64()
	s.loop("shift", i, n, func(offset int) {
		v := s.reg()
		VADDPD(at(src, i, offset), by, v)
		VMOVUPD(v, at(dst, i, offset))
	})
	end()
}

// raise emits the kernel that replaces the numbers that are no less than one by another.
func (s isa) raise() {
	s.begin("raise", "(v *float64, n int, from, to float64)")
	v, n, from, to := param("v"), param("n"), s.all("from"), s.all("to")
	i := GP64()
	s.loop("raise", i, n, func(offset int) {
		x, late := s.reg(), s.mask()
		VMOVUPD(at(v, i, offset), x)
		VCMPPD(noLess, from, x, late)
		if s.lanes == chunk {
			VMOVUPD(to, late, at(v, i, offset))
		} else {
			VMASKMOVPD(to, late, at(v, i, offset))
		}
	})
	end()
}

// extremes emits the kernel that finds the least and the largest number. It keeps those of
// several registers, which do not wait for each other.
func (s isa) extremes() {
	s.begin("extremes", "(v *float64, n int) (least, most float64)")
	v, n := param("v"), param("n")
	var least, most [4]reg.VecVirtual
	for k := range least {
		least[k], most[k] = s.reg(), s.reg()
		VBROADCASTSD(Mem{Base: v}, least[k])
		VBROADCASTSD(Mem{Base: v}, most[k])
	}
	i := GP64()
	s.loop("extremes", i, n, func(offset int) {
		x, k := s.reg(), offset/s.lanes%4
		VMOVUPD(at(v, i, offset), x)
		VMINPD(least[k], x, least[k])
		VMAXPD(most[k], x, most[k])
	})
	for k := 1; k < 4; k++ {
		VMINPD(least[k], least[0], least[0])
		VMAXPD(most[k], most[0], most[0])
	}
	s.fold(least[0], VMINPD)
	s.fold(most[0], VMAXPD)
	give("least", least[0])
	give("most", most[0])
	end()
}

// fold picks among all numbers of a register, and leaves the result in the lowest.
func (s isa) fold(v reg.VecVirtual, pick func(...Op)) {
	if s.lanes == 8 {
		upper := YMM()
		VEXTRACTF64X4(U8(1), v, upper)
		pick(upper, v.AsY(), v.AsY())
	}
	upper := XMM()
	VEXTRACTF128(U8(1), v.AsY(), upper)
	pick(upper, v.AsX(), v.AsX())
	VPERMILPD(U8(1), v.AsX(), upper)
	pick(upper, v.AsX(), v.AsX())
}

// exchange emits the kernel that permutes by XOR. The high bits of the mask select the register
// to load, and the low ones permute its numbers.
func (s isa) exchange() {
	s.begin("exchange", "(dst, src *float64, n, mask int)")
	dst, src, n, high := param("dst"), param("src"), param("n"), param("mask")
	permute := s.permute(high)
	i, from := GP64(), GP64()
	s.loop("exchange", i, n, func(offset int) {
		LEAQ(Mem{Base: i, Disp: offset}, from)
		XORQ(high, from)
		v := s.reg()
		permute(at(src, from, 0), v)
		VMOVUPD(v, at(dst, i, offset))
	})
	end()
}

// permute takes the bits that permute a register from a mask, and returns what emits that.
func (s isa) permute(mask reg.Register) func(from, to Op) {
	low, lanes := GP64(), s.reg()
	MOVQ(mask, low)
	ANDQ(I32(s.lanes-1), low)
	XORQ(low, mask)
	if s.lanes == 8 {
		VPBROADCASTQ(low, lanes)
		VPXORQ(s.places, lanes, lanes)
		return func(from, to Op) { VPERMPD(from, lanes, to) }
	}
	x := XMM() // AVX2 permutes halves of numbers
	ADDQ(low, low)
	MOVQ(low, x)
	VPBROADCASTD(x, lanes)
	VPXOR(s.places, lanes, lanes)
	return func(from, to Op) { VPERMPS(from, lanes, to) }
}

// places declares the numbers 0 … 7, each of a number of bytes.
func places(name string, bytes int) Mem {
	m := GLOBL("places"+name, RODATA|NOPTR)
	for i := range 8 {
		if bytes == 4 {
			DATA(i*bytes, U32(i))
		} else {
			DATA(i*bytes, U64(i))
		}
	}
	return m
}

// Predicates of comparisons, which are false for NaN.
const (
	less       = U8(0x01)
	notGreater = U8(0x02)
	noLess     = U8(0x0d)
	isLess     = U8(0x09) // or one is NaN, unlike less
)

// advance emits the kernel that adds where the sum stays below a limit of each number and one of
// all, and sets bits where it does not, and where a number is more than a width below its limit.
func (s isa) advance() {
	s.begin("advance", "(t, limit *float64, hit *uint64, n int, by, known, width float64)")
	t, limit, hits, n := param("t"), param("limit"), s.hits(), param("n")
	by, known, width, infinite := s.all("by"), s.all("known"), s.all("width"), s.number(infinity)
	i := GP64()
	s.loop("advance", i, n, func(offset int) {
		start, then, limits, most := s.reg(), s.reg(), s.reg(), s.reg()
		late, early, finite := s.mask(), s.mask(), s.mask()
		VMOVUPD(at(t, i, offset), start)
		VMOVUPD(at(limit, i, offset), limits)
		VMINPD(limits, known, most)
		VADDPD(start, by, then)
		VCMPPD(noLess, most, then, late)
		VSUBPD(width, limits, limits)
		VCMPPD(less, infinite, limits, finite)
		VCMPPD(less, limits, start, early)
		s.and(finite, early)
		hits.except(late, early, start, then, i, offset)
		VMOVUPD(then, at(t, i, offset))
	})
	end()
}

// advanceIn emits the kernel that adds to the numbers that are no less than one limit, where the sum
// stays below another, and sets bits for the rest.
func (s isa) advanceIn() {
	s.begin("advanceIn", "(t, since, until *float64, hit *uint64, n int, by float64)")
	t, since, until, hits, n := param("t"), param("since"), param("until"), s.hits(), param("n")
	by, i := s.all("by"), GP64()
	s.loop("advanceIn", i, n, func(offset int) {
		start, then, late, early := s.reg(), s.reg(), s.mask(), s.mask()
		VMOVUPD(at(t, i, offset), start)
		VADDPD(start, by, then)
		VCMPPD(noLess, at(until, i, offset), then, late)
		VCMPPD(less, at(since, i, offset), start, early)
		hits.except(late, early, start, then, i, offset)
		VMOVUPD(then, at(t, i, offset))
	})
	end()
}

// mask returns a register for the result of a comparison.
func (s isa) mask() Op {
	if s.lanes == chunk {
		return K()
	}
	return s.reg()
}

// and leaves in a mask what another has too.
func (s isa) and(other, mask Op) {
	if s.lanes == chunk {
		KANDB(other, mask, mask)
	} else {
		VANDPD(other, mask, mask)
	}
}

// or adds to a mask what another has.
func (s isa) or(other, mask Op) {
	if s.lanes == chunk {
		KORB(other, mask, mask)
	} else {
		VORPD(other, mask, mask)
	}
}

// hits are the bits that a kernel sets, in the memory of the parameter hit.
type hits struct {
	isa
	hit, group, bits reg.GPVirtual
}

func (s isa) hits() hits { return hits{s, param("hit"), GP64(), GP32()} }

// except leaves the numbers of either mask, the second of which may be nil, in then as they were at the
// start, and sets their bits, at an offset from index i. AVX2 has half of the bits of a chunk in a
// register.
func (h hits) except(late, early Op, start, then reg.VecVirtual, i reg.GPVirtual, offset int) {
	if offset == 0 {
		MOVQ(i, h.group)
		SHRQ(U8(3), h.group)
	}
	to := Mem{Base: h.hit, Index: h.group, Scale: 1, Disp: offset / chunk}
	if early != nil {
		h.or(early, late)
	}
	if h.lanes == chunk {
		VMOVAPD(start, late, then)
		KMOVB(late, to)
		return
	}
	VBLENDVPD(late, start, then, then)
	if offset%chunk == 0 {
		VMOVMSKPD(late, h.bits)
		return
	}
	more := GP32()
	VMOVMSKPD(late, more)
	SHLL(U8(4), more)
	ORL(more, h.bits)
	MOVB(h.bits.As8(), to)
}
