package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels that play up to three rounds at once on numbers that stay in registers, for
// AVX-512, which has enough of these.

// A pick is which of two numbers a round leaves, and what else there is to it.
type pick struct {
	name, doc string
	of        func(...Op)
	works     bool // and then works, below a limit
}

var picks = []pick{
	{"laterRounds", "the later, and works up to a limit,", VMAXPD, true},
	{"earlierRounds", "the earlier", VMINPD, false},
}

// state is what the kernels of a pick keep in registers.
type state struct {
	isa
	pick
	name, next   string // the kernel's, and its label of what follows a chunk
	x, to        reg.GPVirtual
	marks, i     reg.GPVirtual
	by, work     []reg.VecVirtual
	known, least reg.VecVirtual
	most         []reg.VecVirtual // after each round, or after the last if they work
	masks, where reg.GPVirtual
}

// rounds emits the kernel for k rounds, across rows or lanes.
func (s isa) rounds(p pick, kind string, k int) {
	name := fmt.Sprintf("%s%s%d", p.name, kind, k)
	limit, work, known := "", "", ""
	if p.works {
		limit, work, known = ", limit", ", work", ", known float64"
	}
	s.begin(name, "x"+limit+" *float64, size, skip int, masks *int, by"+work+" *float64, marks *byte, most, least *float64"+known,
		fmt.Sprintf("plays %d rounds across %s: each number becomes %s of it and, by after it, its other.", k, kind, p.doc))
	st := state{isa: s, pick: p, name: name + s.name, next: name + s.name + "Next"}
	st.x, st.i, st.masks, st.marks = param("x"), GP64(), param("masks"), param("marks")
	if p.works { // how far the limits are from the numbers
		st.to = param("limit")
		SUBQ(st.x, st.to)
	}
	st.by = s.broadcasts("by", k)
	results := k
	if p.works {
		st.work, st.known = s.broadcasts("work", k), s.all("known")
		results = 1
	}
	for range results {
		st.most = append(st.most, s.number(-infinity))
	}
	st.least = s.number(infinity)
	size, skip, keep := param("size"), param("skip"), GP64()
	MOVQ(skip, keep)
	NOTQ(keep)
	again, done, one := st.name+"Again", st.name+"Done", st.name+"One"
	var play func()
	var four func()
	if kind == "Rows" {
		play = st.rows(k)
	} else {
		play, four = st.lanes(k, one)
	}
	XORQ(st.i, st.i)
	st.where = GP64()
	Label(again)
	CMPQ(st.i, size)
	JGE(LabelRef(done))
	MOVQ(st.i, st.where)
	SHRQ(U8(3), st.where)
	mark := Mem{Base: st.marks, Index: st.where, Scale: 1}
	if four != nil {
		TESTQ(U32(4*chunk-1), st.i)
		JNE(LabelRef(one))
		after := GP64()
		LEAQ(Mem{Base: st.i, Disp: 4 * chunk}, after)
		CMPQ(after, size)
		JG(LabelRef(one))
		CMPL(mark, U8(0))
		JNE(LabelRef(one))
		four()
		ADDQ(U32(4*chunk), st.i)
		JMP(LabelRef(again))
		Label(one)
	}
	CMPB(mark, U8(0))
	JNE(LabelRef(st.next))
	play()
	Label(st.next)
	if kind == "Rows" {
		ORQ(skip, st.i)
		ADDQ(U32(8), st.i)
		ANDQ(keep, st.i)
	} else {
		ADDQ(U32(8), st.i)
	}
	JMP(LabelRef(again))
	Label(done)
	for r, most := range st.most {
		s.fold(most, VMAXPD)
		VMOVSD(most.AsX(), Mem{Base: param("most"), Disp: 8 * r})
	}
	s.fold(st.least, VMINPD)
	VMOVSD(st.least.AsX(), Mem{Base: param("least")})
	end()
}

// broadcasts has every lane of k registers hold one of the parameter's numbers.
func (s isa) broadcasts(name string, k int) []reg.VecVirtual {
	base, all := param(name), make([]reg.VecVirtual, k)
	for r := range all {
		all[r] = s.reg()
		VBROADCASTSD(Mem{Base: base, Disp: 8 * r}, all[r])
	}
	return all
}

// rows returns what emits the rounds of one chunk of each row: row j hears from row
// j XOR 2^r in round r, which is masks[r] numbers away.
func (st *state) rows(k int) func() {
	offset, pointers := make([]reg.GPVirtual, k), make([]reg.GPVirtual, 1<<k/2)
	for r := range offset {
		offset[r] = GP64()
		MOVQ(Mem{Base: st.masks, Disp: 8 * r}, offset[r])
		SHLQ(U8(3), offset[r])
	}
	for p := range pointers {
		pointers[p] = GP64()
	}
	address := func(j int) Mem {
		m := Mem{Base: pointers[j>>1]}
		if j&1 == 1 {
			m.Index, m.Scale = offset[0], 1
		}
		return m
	}
	return func() {
		LEAQ(Mem{Base: st.x, Index: st.i, Scale: 8}, pointers[0])
		for p := 1; p < len(pointers); p++ {
			high := 1
			if p >= 2 {
				high = 2
			}
			LEAQ(Mem{Base: pointers[p&^high], Index: offset[high], Scale: 1}, pointers[p])
		}
		x := make([]reg.VecVirtual, 1<<k)
		for j := range x {
			x[j] = st.reg()
			VMOVUPD(address(j), x[j])
		}
		for r := range k {
			for j := range x {
				if other := j | 1<<r; other != j {
					st.meet(r, x, j, other)
				}
			}
			st.finish(r, k, x)
		}
		st.store(x, address, func(forth bool) {
			for _, p := range pointers {
				st.move(p, forth)
			}
		}, st.mark)
	}
}

// meet has two rows hear from each other.
func (st *state) meet(r int, x []reg.VecVirtual, j, other int) {
	here, there := st.reg(), st.reg()
	VADDPD(x[other], st.by[r], here)
	VADDPD(x[j], st.by[r], there)
	st.of(x[j], here, here)
	st.of(x[other], there, there)
	x[j], x[other] = here, there
}

// lanes returns what emits the rounds of one chunk, in which lane l hears from lane
// l XOR masks[r], and of four that do not wait for each other: if one of these reaches
// its limit, they are left to be played one by one.
func (st *state) lanes(k int, one string) (chunk, four func()) {
	permutations := make([]reg.VecVirtual, k)
	for r := range permutations {
		permutations[r] = st.reg()
		VPBROADCASTQ(Mem{Base: st.masks, Disp: 8 * r}, permutations[r])
		VPXORQ(st.places, permutations[r], permutations[r])
	}
	play := func(n int, bad func()) {
		address := func(j int) Mem { return Mem{Base: st.x, Index: st.i, Scale: 8, Disp: 64 * j} }
		x := make([]reg.VecVirtual, n)
		for j := range x {
			x[j] = st.reg()
			VMOVUPD(address(j), x[j])
		}
		for r := range k {
			for j := range x {
				there := st.reg()
				VPERMPD(x[j], permutations[r], there)
				VADDPD(there, st.by[r], there)
				st.of(x[j], there, there)
				x[j] = there
			}
			st.finish(r, k, x)
		}
		st.store(x, address, func(forth bool) { st.move(st.x, forth) }, bad)
	}
	return func() { play(1, st.mark) }, func() { play(4, func() { JMP(LabelRef(one)) }) }
}

// move takes a pointer from numbers to their limits, or back.
func (st *state) move(p reg.GPVirtual, forth bool) {
	if forth {
		ADDQ(st.to, p)
	} else {
		SUBQ(st.to, p)
	}
}

// mark marks a chunk, and goes on with the next.
func (st *state) mark() {
	MOVB(U8(1), Mem{Base: st.marks, Index: st.where, Scale: 1})
	JMP(LabelRef(st.next))
}

// finish ends a round: the work is done, or the last is kept.
func (st *state) finish(r, k int, x []reg.VecVirtual) {
	if st.works {
		for j := range x {
			VADDPD(st.work[r], x[j], x[j])
		}
		return
	}
	st.extreme(st.most[r], x, VMAXPD)
	if r == k-1 {
		st.extreme(st.least, x, VMINPD)
	}
}

// extreme picks of a result and all rows.
func (st *state) extreme(result reg.VecVirtual, x []reg.VecVirtual, pick func(...Op)) {
	pick(st.ofAll(x, pick), result, result)
}

// ofAll picks of all rows, by twos, so that none waits for all others.
func (s isa) ofAll(x []reg.VecVirtual, pick func(...Op)) reg.VecVirtual {
	for len(x) > 1 {
		var half []reg.VecVirtual
		for j := 0; j < len(x); j += 2 {
			v := s.reg()
			pick(x[j], x[j+1], v)
			half = append(half, v)
		}
		x = half
	}
	return x[0]
}

// store ends a chunk. With work, where a number is not below its limit, and the one for all, all are
// left as they were. Times only grow, so that the last says so for all rounds.
func (st *state) store(x []reg.VecVirtual, address func(j int) Mem, move func(forth bool), bad func()) {
	if st.works {
		move(true)
		last, below := st.ofAll(x, VMAXPD), K()
		VCMPPD(less, st.known, last, below)
		for j := range x {
			VCMPPD(less, address(j), x[j], below, below)
		}
		move(false)
		KORTESTB(below, below)
		good := fmt.Sprint(st.name, "Good", len(x))
		JCS(LabelRef(good)) // all bits are set
		bad()
		Label(good)
		VMAXPD(last, st.most[0], st.most[0])
		st.extreme(st.least, x, VMINPD)
	}
	for j := range x {
		VMOVUPD(x[j], address(j))
	}
}
