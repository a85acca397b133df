package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columns emits the kernel that plays the marked columns of k rounds, across rows or lanes, with messages that are held
// in columns of mark 2 and, if p works, work among detours. Columns that meet a detour which is not known stay marked.
//
// As in rounds, the numbers stay in registers. Whether any of them meets a detour is seen after each round,
// and if so they all go to a buffer, scratch, in which each row works.
//
// Offsets of rows are in bytes, and so is row, how far the delays of rows are from each other. Scratch is
// for 72 numbers.
func (s isa) columns(p pick, kind string, k int) {
	gaps, offsets, work, rest := "", "", "", " *float64"
	if p.works {
		gaps, offsets, work, rest = ", first, ends", "offsets, ", ", work", ", scratch *float64, known float64, train *float64"
	}
	name := fmt.Sprintf("%sMarked%s%d", p.name, kind, k)
	s.begin(name, "x"+gaps+", delays *float64, row, size, skip int, "+offsets+"masks *int, by"+work+" *float64, marks *byte, most, least"+rest,
		fmt.Sprintf("plays %d rounds in marked columns across %s: each number becomes %s of it and, by after it and its delay, its other.", k, kind, p.doc))
	c := &columns{isa: s, pick: p, name: name + s.name, k: k, rows: 1}
	if kind == "Rows" {
		c.rows = 1 << k
	}
	c.start()
	c.label("Again")
	CMPQ(c.i, c.memory("size"))
	JGE(c.to("Done"))
	CMPB(c.mark(), U8(0))
	JEQ(c.to("Next"))
	x := c.load()
	for r := range k {
		x = c.receive(r, x)
		if p.works {
			x = c.work(r, x)
		} else {
			VMAXPD(c.ofAll(x, VMAXPD), c.most[r], c.most[r])
		}
	}
	c.store(x)
	c.label("Next")
	skip := GP64()
	MOVQ(c.memory("skip"), skip)
	ORQ(skip, c.i)
	ADDQ(U32(8), c.i)
	NOTQ(skip)
	ANDQ(skip, c.i)
	JMP(c.to("Again"))
	c.label("Done")
	for r, most := range c.most {
		c.fold(most, VMAXPD)
		VMOVSD(most.AsX(), Mem{Base: c.pointer("most"), Disp: 8 * r})
	}
	c.fold(c.least, VMINPD)
	VMOVSD(c.least.AsX(), Mem{Base: c.pointer("least")})
	end()
}

// columns is what such a kernel keeps in registers.
type columns struct {
	isa
	pick
	name          string
	k, rows       int
	i             reg.GPVirtual   // the column
	even          []reg.GPVirtual // pointers to its numbers in every other row
	odd           reg.GPVirtual   // how far the rows between are from these
	ends, oddEnds reg.GPVirtual   // how far the ends of gaps are from numbers of both
	delays, row   reg.GPVirtual   // the first row's in a round, and how far the next row's are
	buffer        reg.GPVirtual
	permutations  []reg.VecVirtual // of lanes in each round, if they hear from each other
	known, least  reg.VecVirtual
	most          []reg.VecVirtual // after each round, or after the last if they work
	train         *train
}

func (c *columns) label(name string)       { Label(c.name + name) }
func (c *columns) to(name string) LabelRef { return LabelRef(c.name + name) }

// pointer loads a parameter.
func (c *columns) pointer(name string) reg.GPVirtual {
	p := GP64()
	MOVQ(c.memory(name), p)
	return p
}

func (c *columns) start() {
	c.i, c.delays, c.row = GP64(), GP64(), c.pointer("row")
	c.least = c.isa.number(infinity)
	results := c.k
	if c.works {
		results = 1
		c.ends, c.known, c.train = c.pointer("ends"), c.all("known"), c.isa.train()
		SUBQ(c.memory("x"), c.ends)
		c.buffer = c.pointer("scratch")
		ADDQ(I32(63), c.buffer)
		ANDQ(I32(-64), c.buffer)
	}
	for range results {
		c.most = append(c.most, c.isa.number(-infinity))
	}
	masks := c.pointer("masks")
	if c.rows == 1 {
		for r := range c.k {
			v := c.reg()
			VPBROADCASTQ(Mem{Base: masks, Disp: 8 * r}, v)
			VPXORQ(c.places, v, v)
			c.permutations = append(c.permutations, v)
		}
	} else {
		c.odd = GP64()
		MOVQ(Mem{Base: masks}, c.odd)
		SHLQ(U8(3), c.odd)
		if c.works {
			c.oddEnds = GP64()
			LEAQ(Mem{Base: c.ends, Index: c.odd, Scale: 1}, c.oddEnds)
		}
	}
	for range max(1, c.rows/2) {
		c.even = append(c.even, GP64())
	}
	XORQ(c.i, c.i)
}

// mark is the column's.
func (c *columns) mark() Mem {
	at := c.pointer("marks")
	column := GP64()
	MOVQ(c.i, column)
	SHRQ(U8(3), column)
	return Mem{Base: at, Index: column, Scale: 1}
}

// number is where those of row j are.
func (c *columns) number(j int) Mem {
	if j%2 == 0 {
		return Mem{Base: c.even[j/2]}
	}
	return Mem{Base: c.even[j/2], Index: c.odd, Scale: 1}
}

// end is where the ends of their gaps are.
func (c *columns) end(j int) Mem {
	if j%2 == 0 {
		return Mem{Base: c.even[j/2], Index: c.ends, Scale: 1}
	}
	return Mem{Base: c.even[j/2], Index: c.oddEnds, Scale: 1}
}

// late is where the delays of the messages to row j are.
func (c *columns) late(j int) Mem {
	m := Mem{Base: c.delays}
	for bit := 1; bit <= j; bit *= 2 {
		if j&bit == 0 {
			continue
		}
		if m.Index != nil {
			sum := GP64()
			LEAQ(m, sum)
			m.Base = sum
		}
		m.Index, m.Scale = c.row, uint8(bit)
	}
	return m
}

// load loads a column.
func (c *columns) load() []reg.VecVirtual {
	masks, mask := c.pointer("masks"), GP64()
	MOVQ(c.memory("x"), c.even[0])
	LEAQ(Mem{Base: c.even[0], Index: c.i, Scale: 8}, c.even[0])
	for p := 1; p < len(c.even); p++ {
		bit := bits.TrailingZeros(uint(p))
		MOVQ(Mem{Base: masks, Disp: 8 * (bit + 1)}, mask)
		LEAQ(Mem{Base: c.even[p&^(1<<bit)], Index: mask, Scale: 8}, c.even[p])
	}
	MOVQ(c.memory("delays"), c.delays)
	LEAQ(Mem{Base: c.delays, Index: c.i, Scale: 8}, c.delays)
	return c.loadFrom(c.number)
}

func (c *columns) loadFrom(row func(j int) Mem) []reg.VecVirtual {
	x := make([]reg.VecVirtual, c.rows)
	for j := range x {
		x[j] = c.reg()
		VMOVUPD(row(j), x[j])
	}
	return x
}

// receive emits that the rows receive what they are sent in round r.
func (c *columns) receive(r int, x []reg.VecVirtual) []reg.VecVirtual {
	then, by := make([]reg.VecVirtual, len(x)), c.pointer("by")
	held, arrived := fmt.Sprint("Held", r), fmt.Sprint("Arrived", r)
	from := func(j int) reg.VecVirtual {
		other := x[(j^1<<r)&(len(x)-1)]
		if c.permutations == nil {
			return other
		}
		VPERMPD(other, c.permutations[r], then[j])
		return then[j]
	}
	CMPB(c.mark(), U8(2))
	JEQ(c.to(held))
	for j := range x {
		then[j] = c.reg()
		VADDPD_BCST(Mem{Base: by, Disp: 8 * r}, from(j), then[j])
	}
	JMP(c.to(arrived))
	c.label(held)
	for j := range x {
		VADDPD(c.late(j), from(j), then[j])
		VADDPD_BCST(Mem{Base: by, Disp: 8 * r}, then[j], then[j])
	}
	LEAQ(Mem{Base: c.delays, Index: c.row, Scale: 8}, c.delays)
	c.label(arrived)
	for j := range x {
		c.of(x[j], then[j], then[j])
	}
	return then
}

// work emits that they work then.
func (c *columns) work(r int, x []reg.VecVirtual) []reg.VecVirtual {
	work, below := Mem{Base: c.pointer("work"), Disp: 8 * r}, K()
	then := make([]reg.VecVirtual, len(x))
	for j := range x {
		limit := c.reg()
		then[j] = c.reg()
		VADDPD_BCST(work, x[j], then[j])
		VMINPD(c.end(j), c.known, limit)
		if j == 0 {
			VCMPPD(less, limit, then[j], below)
		} else {
			VCMPPD(less, limit, then[j], below, below)
		}
	}
	undisturbed := fmt.Sprint("Undisturbed", r)
	KORTESTB(below, below)
	JCS(c.to(undisturbed)) // all bits are set
	buffer := func(j int) Mem { return Mem{Base: c.buffer, Disp: 64 * j} }
	for j := range x {
		VMOVUPD(x[j], buffer(j))
	}
	c.workInBuffer(r, work)
	for j := range then {
		VMOVUPD(buffer(j), then[j])
	}
	c.label(undisturbed)
	return then
}

// workInBuffer emits a loop over rows in the buffer, in which detours come between.
func (c *columns) workInBuffer(r int, takes Mem) {
	row, at, work := GP64(), GP64(), c.reg()
	VBROADCASTSD(takes, work)
	XORQ(row, row)
	again, next := fmt.Sprint("Row", r), fmt.Sprint("Worked", r)
	c.label(again)
	MOVQ(c.pointer("offsets"), at)
	MOVQ(Mem{Base: at, Index: row, Scale: 8}, at)
	LEAQ(Mem{Base: at, Index: c.i, Scale: 8}, at)
	SHLQ(U8(6), row)
	buffer := Mem{Base: c.buffer, Index: row, Scale: 1}
	start, end, limit, struck, unknown := c.reg(), c.reg(), c.reg(), K(), K()
	VMOVUPD(buffer, start)
	VADDPD(start, work, end)
	gapEnd := Mem{Base: c.pointer("ends"), Index: at, Scale: 1}
	VMOVUPD(gapEnd, limit)
	VCMPPD(noLess, c.isa.number(infinity), limit, unknown)
	VMINPD(c.known, limit, limit)
	VCMPPD(noLess, limit, end, struck)
	VMOVUPD(end, buffer)
	KORTESTB(struck, struck)
	JEQ(c.to(next))
	KTESTB(struck, unknown)
	JNE(c.to("Next"))
	until, near := c.train.work(start, work, struck, Mem{Base: c.pointer("first"), Index: at, Scale: 1})
	VMOVUPD(until, near, gapEnd)
	VMOVUPD(start, struck, buffer)
	c.label(next)
	SHRQ(U8(6), row)
	INCQ(row)
	CMPQ(row, U8(c.rows))
	JL(c.to(again))
}

// store ends a column.
func (c *columns) store(x []reg.VecVirtual) {
	for j := range x {
		VMOVUPD(x[j], c.number(j))
	}
	VMINPD(c.ofAll(x, VMINPD), c.least, c.least)
	if c.works {
		VMAXPD(c.ofAll(x, VMAXPD), c.most[0], c.most[0])
	}
	MOVB(U8(0), c.mark())
}
