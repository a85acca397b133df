package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels of rounds in which two ranks receive from each other, and may work then. Both of a pair
// are changed at once, since each needs what the other was.

// A pick is the number of two that a kernel keeps, whether its own is as much later as the messages
// that it sends take, and whether the kernel then adds work below a limit.
type pick struct {
	name         string
	of           func(...Op)
	sends, works bool
}

var pairKernels = []pick{
	{"pairsLater", VMAXPD, true, false},
	{"pairsEarlier", VMINPD, false, false},
	{"pairsWork", VMAXPD, true, true},
}

// A side is one of the two vectors of ranks.
type side struct {
	name               string // in parameters
	clock, delay, ends reg.GPVirtual
	least, most        reg.VecVirtual
}

// A pairKernel is what such a kernel keeps in registers.
type pairKernel struct {
	isa
	pick
	name       string
	sides      [2]side
	by, bySent reg.VecVirtual // what a message takes, and the own ones on their link
	byWork     reg.VecVirtual // what work takes
	periodic   *periodic
}

// An operand is the numbers of a side from an index on: their clocks in own, what they receive in
// heard, and when their work is done in then.
type operand struct {
	side
	i                reg.GPVirtual
	own, heard, then reg.VecVirtual
	hit              Op // which of them reach the ends of their gaps
}

// of returns their address in a vector.
func (s *operand) of(base reg.GPVirtual) Mem { return at(base, s.i, 0) }

// pairs emits the kernel of two vectors, which may be one. High bits of the mask select the register
// to receive from, in runs of both; indices with the bit skip are left out, and the last is below
// end. Of one vector and a mask that only has low bits, both sides are the same registers.
func (s isa) pairs(p pick) {
	m := &pairKernel{isa: s, pick: p, name: p.name + s.name}
	signature := exchanges
	if p.works {
		signature = exchangesAndWorks
	}
	s.begin(p.name, signature)
	m.begin()
	high := param("mask")
	permute := s.permute(high)
	i, other, stop := GP64(), GP64(), GP64()
	XORQ(i, i)
	m.label("Run")
	MOVQ(i, stop)
	ADDQ(memory(Param("run")), stop)
	MOVQ(i, other)
	XORQ(high, other)
	m.label("Again")
	operands := [2]*operand{m.operand(0, i), m.operand(1, other)}
	permute(operands[1].own, operands[0].heard)
	permute(operands[0].own, operands[1].heard)
	m.receive(operands)
	ADDQ(U32(s.lanes), other)
	ADDQ(U32(s.lanes), i)
	CMPQ(i, stop)
	JL(m.to("Again"))
	skip := GP64() // those with this bit are done with the others
	MOVQ(memory(Param("skip")), skip)
	ANDQ(i, skip)
	ADDQ(skip, i)
	CMPQ(i, memory(Param("end")))
	JL(m.to("Run"))
	for _, q := range m.sides {
		switch {
		case !p.works:
			s.fold(q.least, VMINPD)
			give("least"+q.name, q.least)
			fallthrough
		case s.lanes == chunk:
			s.fold(q.most, VMAXPD)
		default:
			q.most = s.number(-infinity)
		}
		give("most"+q.name, q.most)
	}
	end()
	if p.works {
		m.preempted(operands)
	}
}

// Signatures of kernels without and with work.
const (
	exchanges = "(clockX, delayX, clockY, delayY *float64, end, mask, run, skip int, by, sent float64) " +
		"(leastX, mostX, leastY, mostY float64)"
	exchangesAndWorks = "(clockX, delayX, endX, firstX *float64, hitX *uint64, " +
		"clockY, delayY, endY, firstY *float64, hitY *uint64, end, mask, run, skip int, " +
		"by, sent, work float64, periodic *float64) (mostX, mostY float64)"
)

// begin loads parameters.
func (m *pairKernel) begin() {
	for k, name := range []string{"X", "Y"} {
		q := side{name: name, clock: param("clock" + name), delay: param("delay" + name)}
		if m.works {
			q.ends = param("end" + name)
		} else {
			q.least = m.number(infinity)
		}
		if !m.works || m.lanes == chunk {
			q.most = m.number(-infinity)
		}
		m.sides[k] = q
	}
	m.by = m.all("by")
	if m.sends {
		m.bySent = m.all("sent")
	}
	if m.works {
		m.byWork = m.all("work")
		if m.lanes == chunk {
			m.periodic = m.isa.periodic()
		}
	}
}

func (m *pairKernel) label(name string)       { Label(m.name + name) }
func (m *pairKernel) to(name string) LabelRef { return LabelRef(m.name + name) }

// operand loads the numbers of a side from an index on.
func (m *pairKernel) operand(k int, i reg.GPVirtual) *operand {
	at := &operand{side: m.sides[k], i: i, own: m.reg(), heard: m.reg()}
	VMOVUPD(at.of(at.clock), at.own)
	return at
}

// receive emits the receptions and work of all ranks. Loads come before stores, since a load waits
// for an earlier store whose address has the same last twelve bits.
func (m *pairKernel) receive(operands [2]*operand) {
	for _, at := range operands {
		VADDPD(at.of(at.delay), at.heard, at.heard)
		VADDPD(at.heard, m.by, at.heard)
		if m.sends {
			VADDPD(at.own, m.bySent, at.own)
		}
		m.of(at.own, at.heard, at.heard)
		at.then = at.heard
	}
	if m.works {
		m.work(operands)
	}
	for _, at := range operands {
		VMOVUPD(at.then, at.of(at.clock))
		if !m.works {
			VMINPD(at.then, at.least, at.least)
			VMAXPD(at.then, at.most, at.most)
		}
	}
}

// work emits when work ends for ranks that do not reach the ends of their gaps. preempted emits the
// other ranks.
func (m *pairKernel) work(operands [2]*operand) {
	for _, at := range operands {
		at.then = m.reg()
		at.hit = m.mask()
		VADDPD(at.heard, m.byWork, at.then)
		VCMPPD(noLess, at.of(at.ends), at.then, at.hit)
	}
	x, y := operands[0], operands[1]
	if m.lanes == chunk {
		KORTESTB(x.hit, y.hit)
	} else {
		any, bits := m.reg(), GP32()
		VORPD(x.hit, y.hit, any)
		VMOVMSKPD(any, bits)
		TESTL(bits, bits)
	}
	JNE(m.to("Preempted"))
	m.label("Worked")
}

// preempted emits the work of the others, or with AVX2 only sets their bits.
func (m *pairKernel) preempted(operands [2]*operand) {
	m.label("Preempted")
	for _, at := range operands {
		unaffected := "Unaffected" + at.name
		if m.lanes == chunk {
			first := GP64()
			KORTESTB(at.hit, at.hit)
			JEQ(m.to(unaffected))
			MOVQ(memory(Param("first"+at.name)), first)
			next, near := m.periodic.work(at.heard, m.byWork, at.hit, at.of(first))
			VMOVUPD(next, near, at.of(at.ends))
			VMOVAPD(at.heard, at.hit, at.then)
			VMAXPD(at.then, at.most, at.most)
		} else {
			bits := GP32()
			VMOVMSKPD(at.hit, bits)
			TESTL(bits, bits)
			JEQ(m.to(unaffected))
			VBLENDVPD(at.hit, at.heard, at.then, at.then)
			TESTQ(U32(4), at.i)
			JEQ(m.to("Low" + at.name))
			SHLL(U8(4), bits)
			m.label("Low" + at.name)
			ORB(bits.As8(), m.group(at))
		}
		m.label(unaffected)
	}
	JMP(m.to("Worked"))
}

// group returns the address of the bits of the eight numbers that one with index i is among.
func (m *pairKernel) group(at *operand) Mem {
	base, group := GP64(), GP64()
	MOVQ(memory(Param("hit"+at.name)), base)
	MOVQ(at.i, group)
	SHRQ(U8(3), group)
	return Mem{Base: base, Index: group, Scale: 1}
}
