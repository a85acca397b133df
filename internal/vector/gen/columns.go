package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columns emits the kernel that plays the marked columns of rounds, with messages that are held and,
// if p works, work among detours. It is a loop over rounds and over rows, whose numbers are in one
// buffer before a round and in another after it. Columns that meet a detour which is not known stay marked.
//
// Offsets of rows are in bytes, and so are lastRow, which is 64 times the last row, rounds, 8 times
// as many, and row, how far the delays of rows are from each other: 0 where there are none. Scratch is
// for the buffers: 160 numbers.
func (s isa) columns(p pick) {
	gaps, work, train := "", "", ""
	if p.works {
		gaps, work, train = ", first, ends", ", work", ", known float64, train *float64"
	}
	s.begin(p.name+"Columns", "x"+gaps+", delays *float64, row, size, skip, rounds, lastRow int, offsets, masks *int, by"+work+" *float64, marks *byte, most, least, scratch *float64"+train,
		fmt.Sprintf("plays rounds in marked columns: each number becomes %s of it and, by after it and its delay, its other.", p.doc))
	c := &columns{isa: s, pick: p, name: p.name + "Columns" + s.name}
	c.start()
	c.label("Again")
	CMPQ(c.i, c.memory("size"))
	JGE(c.to("Done"))
	CMPB(c.mark(), U8(0))
	JEQ(c.to("Next"))
	c.each("Load", func(row, buffer Mem) {
		v := c.reg()
		VMOVUPD(row, v)
		VMOVUPD(v, buffer)
	})
	c.rounds()
	c.each("Store", func(row, buffer Mem) {
		v := c.reg()
		VMOVUPD(buffer, v)
		VMOVUPD(v, row)
		VMINPD(c.least, v, c.least)
		VMAXPD(c.last, v, c.last)
	})
	MOVB(U8(0), c.mark())
	c.label("Next")
	skip := GP64()
	MOVQ(c.memory("skip"), skip)
	ORQ(skip, c.i)
	ADDQ(U32(8), c.i)
	NOTQ(skip)
	ANDQ(skip, c.i)
	JMP(c.to("Again"))
	c.label("Done")
	c.results()
	end()
}

// columns is what such a kernel keeps in registers.
type columns struct {
	isa
	pick
	name          string
	i             reg.GPVirtual // the column
	before, after reg.GPVirtual // the buffers of rows
	most          reg.GPVirtual // those after each round
	last, least   reg.VecVirtual
	known         reg.VecVirtual
	infinite      reg.VecVirtual
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
	c.before, c.after, c.most, c.i = GP64(), GP64(), GP64(), GP64()
	MOVQ(c.memory("scratch"), c.before)
	ADDQ(I32(63), c.before)
	ANDQ(I32(-64), c.before)
	LEAQ(Mem{Base: c.before, Disp: 512}, c.after)
	LEAQ(Mem{Base: c.after, Disp: 512}, c.most)
	c.last, c.least = c.number(-infinity), c.number(infinity)
	for n := range 3 {
		VMOVUPD(c.last, Mem{Base: c.most, Disp: 64 * n})
	}
	if c.works {
		c.known, c.infinite, c.train = c.all("known"), c.number(infinity), c.isa.train()
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

// offset returns how many bytes row j, whose buffer is that far in buffers, is from where rows begin.
func (c *columns) offset(j reg.GPVirtual) reg.GPVirtual {
	offset := GP64()
	MOVQ(j, offset)
	SHRQ(U8(3), offset)
	ADDQ(c.memory("offsets"), offset)
	MOVQ(Mem{Base: offset}, offset)
	LEAQ(Mem{Base: offset, Index: c.i, Scale: 8}, offset)
	return offset
}

// each emits a step for all rows: with where they are, and in the buffer.
func (c *columns) each(name string, step func(row, buffer Mem)) {
	j := GP64()
	XORQ(j, j)
	c.label(name)
	step(Mem{Base: c.pointer("x"), Index: c.offset(j), Scale: 1}, Mem{Base: c.before, Index: j, Scale: 1})
	ADDQ(U32(64), j)
	CMPQ(j, c.memory("lastRow"))
	JLE(c.to(name))
}

// rounds emits all rounds of a column.
func (c *columns) rounds() {
	r, bit, delays, ofRow, j := GP64(), GP64(), c.pointer("delays"), GP64(), GP64()
	CMPQ(c.memory("row"), U8(0))
	JEQ(c.to("None"))
	LEAQ(Mem{Base: delays, Index: c.i, Scale: 8}, delays)
	c.label("None")
	XORQ(r, r)
	MOVQ(U32(64), bit)
	c.label("Round")
	by, work, lanes, most := c.reg(), c.reg(), c.reg(), c.reg()
	VBROADCASTSD(Mem{Base: c.pointer("by"), Index: r, Scale: 1}, by)
	VPBROADCASTQ(Mem{Base: c.pointer("masks"), Index: r, Scale: 1}, lanes)
	VPXORQ(c.places, lanes, lanes) // of which three bits count
	if c.works {
		VBROADCASTSD(Mem{Base: c.pointer("work"), Index: r, Scale: 1}, work)
	} else {
		VMOVUPD(Mem{Base: c.most, Index: r, Scale: 8}, most)
	}
	XORQ(j, j)
	MOVQ(delays, ofRow)
	c.label("Row")
	other, x := GP64(), c.reg()
	MOVQ(j, other)
	XORQ(bit, other)
	ANDQ(c.memory("lastRow"), other)
	VMOVUPD(Mem{Base: c.before, Index: other, Scale: 1}, x)
	VPERMPD(x, lanes, x)
	VADDPD(Mem{Base: ofRow}, x, x)
	VADDPD(by, x, x)
	c.of(Mem{Base: c.before, Index: j, Scale: 1}, x, x)
	if c.works {
		x = c.work(j, x, work)
	} else {
		VMAXPD(most, x, most)
	}
	VMOVUPD(x, Mem{Base: c.after, Index: j, Scale: 1})
	ADDQ(c.memory("row"), ofRow)
	ADDQ(U32(64), j)
	CMPQ(j, c.memory("lastRow"))
	JLE(c.to("Row"))
	if !c.works {
		VMOVUPD(most, Mem{Base: c.most, Index: r, Scale: 8})
	}
	XCHGQ(c.before, c.after)
	SHLQ(U8(1), bit)
	ofRound := c.pointer("row")
	SHLQ(U8(3), ofRound)
	ADDQ(ofRound, delays)
	ADDQ(U32(8), r)
	CMPQ(r, c.memory("rounds"))
	JL(c.to("Round"))
}

// work emits that row j works from start on, and returns until when.
func (c *columns) work(j reg.GPVirtual, start, work reg.VecVirtual) reg.VecVirtual {
	end, limit, struck, unknown := c.reg(), c.reg(), K(), K()
	VADDPD(start, work, end)
	offset := c.offset(j)
	gapEnd := Mem{Base: c.pointer("ends"), Index: offset, Scale: 1}
	VMOVUPD(gapEnd, limit)
	VCMPPD(noLess, c.infinite, limit, unknown)
	VMINPD(c.known, limit, limit)
	VCMPPD(noLess, limit, end, struck)
	KORTESTB(struck, struck)
	JEQ(c.to("Undisturbed"))
	first := Mem{Base: c.pointer("first"), Index: offset, Scale: 1}
	KTESTB(struck, unknown)
	JNE(c.to("Next"))
	next, near := c.train.work(start, work, struck, first)
	VMOVUPD(next, near, gapEnd)
	VMOVAPD(start, struck, end)
	c.label("Undisturbed")
	return end
}

// results stores the extremes.
func (c *columns) results() {
	c.fold(c.least, VMINPD)
	VMOVSD(c.least.AsX(), Mem{Base: c.pointer("least")})
	if c.works {
		c.fold(c.last, VMAXPD)
		VMOVSD(c.last.AsX(), Mem{Base: c.pointer("most")})
		return
	}
	for n := range 3 {
		v := c.reg()
		VMOVUPD(Mem{Base: c.most, Disp: 64 * n}, v)
		c.fold(v, VMAXPD)
		VMOVSD(v.AsX(), Mem{Base: c.pointer("most"), Disp: 8 * n})
	}
}
