package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels of rounds in which two ranks receive from each other, and may work then. Both of a pair
// are changed at once, since each needs what the other was.

// A pick is the number of two that a kernel keeps, whether its own is as much later as the messages
// that it sends take, and whether the kernel then adds work below a limit.
type pick struct {
	name, doc    string
	of           func(...Op)
	sends, works bool
}

var pairKernels = []pick{
	{"pairsLater", "the later", VMAXPD, true, false},
	{"pairsEarlier", "the earlier", VMINPD, false, false},
	{"pairsWork", "the later, and then when work among detours is done,", VMAXPD, true, true},
}

// helps emits the kernel that reports whether a message without delay would arrive before its
// receiver's clock.
func (s isa) helps() {
	s.begin("helps", "clockX, clockY *float64, end, mask, skip int, by float64, some *bool",
		"reports whether a number plus by is less than the number at its index XOR mask.")
	x, y, high, by := param("clockX"), param("clockY"), param("mask"), s.all("by")
	permute := s.permute(high)
	i, other, keep, bits := GP64(), GP64(), GP64(), GP32()
	MOVQ(s.memory("skip"), keep)
	NOTQ(keep)
	XORQ(i, i)
	again, found, done := "helps"+s.name+"Again", "helps"+s.name+"Found", "helps"+s.name+"Done"
	Label(again)
	CMPQ(i, s.memory("end"))
	JGE(LabelRef(done))
	MOVQ(i, other)
	XORQ(high, other)
	here, there := s.reg(), s.reg()
	permute(at(y, other, 0), there)
	VADDPD(there, by, there)
	VADDPD(at(x, i, 0), by, here)
	if s.lanes == chunk {
		xs, ys := K(), K()
		VCMPPD(less, at(x, i, 0), there, xs)
		permute(here, here)
		VCMPPD(less, at(y, other, 0), here, ys)
		KORTESTB(xs, ys)
	} else {
		VCMPPD(less, at(x, i, 0), there, there)
		permute(here, here)
		VCMPPD(less, at(y, other, 0), here, here)
		VORPD(here, there, there)
		VMOVMSKPD(there, bits)
		TESTL(bits, bits)
	}
	JNE(LabelRef(found))
	ORQ(s.memory("skip"), i)
	ADDQ(U32(s.lanes), i)
	ANDQ(keep, i)
	JMP(LabelRef(again))
	Label(found)
	MOVB(U8(1), Mem{Base: param("some")})
	Label(done)
	end()
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
	sides      []side
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
	limits           reg.VecVirtual    // which of them reach the ends of their gaps, with AVX2
	hit              reg.OpmaskVirtual // the same with AVX-512
}

// of returns their address in a vector.
func (s *operand) of(base reg.GPVirtual) Mem { return at(base, s.i, 0) }

// pairs emits the kernel for two vectors. High bits of the mask select the register to receive
// from, in runs of both; indices with the bit skip are left out, and the last is below end. With
// lanes the kernel is for one vector and a mask that only has low bits.
func (s isa) pairs(p pick, lanes bool) {
	m := &pairKernel{isa: s, pick: p, name: p.name + s.name}
	kind, names := "", []string{"X", "Y"}
	if lanes {
		kind, names, m.name = "Lanes", names[:1], p.name+"Lanes"+s.name
	}
	s.begin(p.name+kind, m.parameters(names),
		"replaces each number by "+p.doc+" of it and, after by and its delay, the number at its index XOR mask.")
	m.begin(names)
	high := param("mask")
	permute := s.permute(high)
	i, other, stop := GP64(), GP64(), GP64()
	XORQ(i, i)
	m.label("Run")
	MOVQ(i, stop)
	ADDQ(m.memory("run"), stop)
	if !lanes {
		MOVQ(i, other)
		XORQ(high, other)
	}
	m.label("Again")
	operands := []*operand{m.operand(0, i)}
	if lanes {
		permute(operands[0].own, operands[0].heard)
	} else {
		operands = append(operands, m.operand(1, other))
		permute(operands[1].own, operands[0].heard)
		permute(operands[0].own, operands[1].heard)
	}
	m.receive(operands)
	if !lanes {
		ADDQ(U32(s.lanes), other)
	}
	ADDQ(U32(s.lanes), i)
	CMPQ(i, stop)
	JL(m.to("Again"))
	skip := GP64() // those with this bit are done with the others
	MOVQ(m.memory("skip"), skip)
	ANDQ(i, skip)
	ADDQ(skip, i)
	CMPQ(i, m.memory("end"))
	JL(m.to("Run"))
	for _, q := range m.sides {
		if !p.works {
			s.fold(q.least, VMINPD)
			VMOVSD(q.least.AsX(), Mem{Base: param("least" + q.name)})
		}
		if m.hasMost() {
			s.fold(q.most, VMAXPD)
			VMOVSD(q.most.AsX(), Mem{Base: param("most" + q.name)})
		}
	}
	end()
	if p.works {
		m.preempted(operands)
	}
}

// parameters returns those of the kernel.
func (m *pairKernel) parameters(names []string) string {
	vectors, sent, work, results := "", "", "", ""
	if m.sends {
		sent = ", sent"
	}
	if m.works {
		work = ", work"
	}
	if m.works && m.lanes == chunk {
		results = ", periodic"
	}
	for _, side := range names {
		vectors += fmt.Sprintf("clock%s, delay%s", side, side)
		switch {
		case !m.works:
			vectors += " *float64, "
		case m.lanes == chunk:
			vectors += fmt.Sprintf(", end%s, first%s *float64, ", side, side)
		default:
			vectors += fmt.Sprintf(", end%s *float64, hit%s *uint64, ", side, side)
		}
		if !m.works {
			results += ", least" + side
		}
		if m.hasMost() {
			results += ", most" + side
		}
	}
	if results != "" {
		results += " *float64"
	}
	return vectors + "end, mask, run, skip int, by" + sent + work + " float64" + results
}

// begin loads parameters.
func (m *pairKernel) begin(names []string) {
	for _, name := range names {
		q := side{name: name, clock: param("clock" + name), delay: param("delay" + name)}
		if m.works {
			q.ends = param("end" + name)
		} else {
			q.least = m.number(infinity)
		}
		if m.hasMost() {
			q.most = m.number(-infinity)
		}
		m.sides = append(m.sides, q)
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

// hasMost reports whether the kernel returns the largest number: of all, or of chunks with detours.
func (m *pairKernel) hasMost() bool { return !m.works || m.lanes == chunk }

func (m *pairKernel) label(name string)       { Label(m.name + name) }
func (m *pairKernel) to(name string) LabelRef { return LabelRef(m.name + name) }

// operand loads the numbers of a side from an index on.
func (m *pairKernel) operand(k int, i reg.GPVirtual) *operand {
	at := &operand{side: m.sides[k], i: i, own: m.reg(), heard: m.reg()}
	VMOVUPD(at.of(at.clock), at.own)
	return at
}

// receive emits that all receive and work. Loads come before stores, since a load from an address
// with the same last twelve bits as that of an earlier store waits for it.
func (m *pairKernel) receive(operands []*operand) {
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

// work emits when the work of those is done that do not reach the ends of their gaps. If any does,
// preempted emits the rest.
func (m *pairKernel) work(operands []*operand) {
	for _, at := range operands {
		at.then = m.reg()
		VADDPD(at.heard, m.byWork, at.then)
		if m.lanes == chunk {
			at.hit = K()
			VCMPPD(noLess, at.of(at.ends), at.then, at.hit)
			continue
		}
		at.limits = m.reg()
		VMOVUPD(at.of(at.ends), at.limits)
		VCMPPD(noLess, at.limits, at.then, at.limits)
	}
	first, last := operands[0], operands[len(operands)-1]
	if m.lanes == chunk {
		KORTESTB(first.hit, last.hit)
	} else {
		any, bits := first.limits, GP32()
		if first != last {
			any = m.reg()
			VORPD(first.limits, last.limits, any)
		}
		VMOVMSKPD(any, bits)
		TESTL(bits, bits)
	}
	JNE(m.to("Preempted"))
	m.label("Worked")
}

// preempted emits the work of the others, or with AVX2 only sets their bits.
func (m *pairKernel) preempted(operands []*operand) {
	m.label("Preempted")
	for _, at := range operands {
		unaffected := "Unaffected" + at.name
		if m.lanes == chunk {
			first := GP64()
			KORTESTB(at.hit, at.hit)
			JEQ(m.to(unaffected))
			MOVQ(m.memory("first"+at.name), first)
			next, near := m.periodic.work(at.heard, m.byWork, at.hit, at.of(first))
			VMOVUPD(next, near, at.of(at.ends))
			VMOVAPD(at.heard, at.hit, at.then)
			VMAXPD(at.then, at.most, at.most)
		} else {
			bits := GP32()
			VMOVMSKPD(at.limits, bits)
			TESTL(bits, bits)
			JEQ(m.to(unaffected))
			VBLENDVPD(at.limits, at.heard, at.then, at.then)
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
	MOVQ(m.memory("hit"+at.name), base)
	MOVQ(at.i, group)
	SHRQ(U8(3), group)
	return Mem{Base: base, Index: group, Scale: 1}
}

// memory returns the address of a parameter.
func (s isa) memory(name string) Mem {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return address.Addr
}
