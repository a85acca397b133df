package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels in which ranks hear from each other, two by two, and then work. Both sides of a pair change at
// once, since each needs what the other was.

// A pick is which of two numbers a kernel leaves, and whether it then works, below a limit.
type pick struct {
	name, doc string
	of        func(...Op)
	works     bool
}

// meetings are the kernels of pairs.
var meetings = []pick{
	{"pairsLater", "the later", VMAXPD, false},
	{"pairsEarlier", "the earlier", VMINPD, false},
	{"pairsWork", "the later, and works among detours,", VMAXPD, true},
}

// helps emits the kernel that says whether a message that is not late comes before what its receiver has.
func (s isa) helps() {
	s.begin("helps", "clockX, clockY *float64, end, mask, skip int, by float64, some *bool",
		"says whether a number is, by after it, less than its other.")
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

// A party is one of the two sides.
type party struct {
	side              string // of the parameters' names
	clock, late, ends reg.GPVirtual
	least, most       reg.VecVirtual
}

// A meeting is what such a kernel keeps in registers.
type meeting struct {
	isa
	pick
	name       string
	parties    []party
	by, byWork reg.VecVirtual // what a message takes, and work
	train      *train
}

// A seat is where some numbers of a party are: from an index, in own, and what they hear is in heard. Then they are
// where they are when they have worked.
type seat struct {
	party
	i                reg.GPVirtual
	own, heard, then reg.VecVirtual
	limits           reg.VecVirtual    // whether they reach the ends of their gaps, with AVX2
	struck           reg.OpmaskVirtual // the same with AVX-512
}

// of is where their numbers in a vector are.
func (s *seat) of(base reg.GPVirtual) Mem { return at(base, s.i, 0) }

// meet emits the kernel for two vectors, and high bits of the mask that say which registers
// hear from each other, in runs of which both are in a row: indices skip those that have the bit skip, and end at the
// first that is not below end. With lanes it is for one vector and a mask that has none but low bits.
func (s isa) meet(p pick, lanes bool) {
	m := &meeting{isa: s, pick: p, name: p.name + s.name}
	kind, sides := "", []string{"X", "Y"}
	if lanes {
		kind, sides, m.name = "Lanes", sides[:1], p.name+"Lanes"+s.name
	}
	s.begin(p.name+kind, m.parameters(sides),
		"has pairs hear from each other: each number becomes "+p.doc+" of it and, by after it and as late as it is, its other.")
	m.begin(sides)
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
	seats := []*seat{m.seat(0, i)}
	if lanes {
		permute(seats[0].own, seats[0].heard)
	} else {
		seats = append(seats, m.seat(1, other))
		permute(seats[1].own, seats[0].heard)
		permute(seats[0].own, seats[1].heard)
	}
	m.receive(seats)
	if !lanes {
		ADDQ(U32(s.lanes), other)
	}
	ADDQ(U32(s.lanes), i)
	CMPQ(i, stop)
	JL(m.to("Again"))
	skip := GP64() // what has this bit comes with what has not
	MOVQ(m.memory("skip"), skip)
	ANDQ(i, skip)
	ADDQ(skip, i)
	CMPQ(i, m.memory("end"))
	JL(m.to("Run"))
	for _, q := range m.parties {
		if !p.works {
			s.fold(q.least, VMINPD)
			VMOVSD(q.least.AsX(), Mem{Base: param("least" + q.side)})
		}
		if m.hasMost() {
			s.fold(q.most, VMAXPD)
			VMOVSD(q.most.AsX(), Mem{Base: param("most" + q.side)})
		}
	}
	end()
	if p.works {
		m.disturbed(seats)
	}
}

// parameters are those of the kernel.
func (m *meeting) parameters(sides []string) string {
	vectors, work, results := "", "", ""
	if m.works {
		work = ", work"
	}
	if m.works && m.lanes == chunk {
		results = ", train"
	}
	for _, side := range sides {
		vectors += fmt.Sprintf("clock%s, late%s", side, side)
		switch {
		case !m.works:
			vectors += " *float64, "
		case m.lanes == chunk:
			vectors += fmt.Sprintf(", end%s, first%s *float64, ", side, side)
		default:
			vectors += fmt.Sprintf(", end%s *float64, held%s *uint64, ", side, side)
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
	return vectors + "end, mask, run, skip int, by" + work + " float64" + results
}

// begin fills registers.
func (m *meeting) begin(sides []string) {
	for _, side := range sides {
		q := party{side: side, clock: param("clock" + side), late: param("late" + side)}
		if m.works {
			q.ends = param("end" + side)
		} else {
			q.least = m.number(infinity)
		}
		if m.hasMost() {
			q.most = m.number(-infinity)
		}
		m.parties = append(m.parties, q)
	}
	m.by = m.all("by")
	if m.works {
		m.byWork = m.all("work")
		if m.lanes == chunk {
			m.train = m.isa.train()
		}
	}
}

// hasMost says that the kernel returns the largest number: of all, or of chunks with detours.
func (m *meeting) hasMost() bool { return !m.works || m.lanes == chunk }

func (m *meeting) label(name string)       { Label(m.name + name) }
func (m *meeting) to(name string) LabelRef { return LabelRef(m.name + name) }

// seat loads the numbers of a party from an index.
func (m *meeting) seat(k int, i reg.GPVirtual) *seat {
	at := &seat{party: m.parties[k], i: i, own: m.reg(), heard: m.reg()}
	VMOVUPD(at.of(at.clock), at.own)
	return at
}

// receive emits that all hear and work. Loads come before stores, since one from a place whose address has the same last
// twelve bits as that of a store waits for it.
func (m *meeting) receive(seats []*seat) {
	for _, at := range seats {
		VADDPD(at.of(at.late), at.heard, at.heard)
		VADDPD(at.heard, m.by, at.heard)
		m.of(at.own, at.heard, at.heard)
		at.then = at.heard
	}
	if m.works {
		m.work(seats)
	}
	for _, at := range seats {
		VMOVUPD(at.then, at.of(at.clock))
		if !m.works {
			VMINPD(at.then, at.least, at.least)
			VMAXPD(at.then, at.most, at.most)
		}
	}
}

// work emits when they are done who do not reach the ends of their gaps. If any does, disturbed goes on.
func (m *meeting) work(seats []*seat) {
	for _, at := range seats {
		at.then = m.reg()
		VADDPD(at.heard, m.byWork, at.then)
		if m.lanes == chunk {
			at.struck = K()
			VCMPPD(noLess, at.of(at.ends), at.then, at.struck)
			continue
		}
		at.limits = m.reg()
		VMOVUPD(at.of(at.ends), at.limits)
		VCMPPD(noLess, at.limits, at.then, at.limits)
	}
	first, last := seats[0], seats[len(seats)-1]
	if m.lanes == chunk {
		KORTESTB(first.struck, last.struck)
	} else {
		any, bits := first.limits, GP32()
		if first != last {
			any = m.reg()
			VORPD(first.limits, last.limits, any)
		}
		VMOVMSKPD(any, bits)
		TESTL(bits, bits)
	}
	JNE(m.to("Disturbed"))
	m.label("Worked")
}

// disturbed emits what follows for those that do: they work on, or with AVX2 are left where they were, and noted.
func (m *meeting) disturbed(seats []*seat) {
	m.label("Disturbed")
	for _, at := range seats {
		undisturbed := "Undisturbed" + at.side
		if m.lanes == chunk {
			first := GP64()
			KORTESTB(at.struck, at.struck)
			JEQ(m.to(undisturbed))
			MOVQ(m.memory("first"+at.side), first)
			next, near := m.train.work(at.heard, m.byWork, at.struck, at.of(first))
			VMOVUPD(next, near, at.of(at.ends))
			VMOVAPD(at.heard, at.struck, at.then)
			VMAXPD(at.then, at.most, at.most)
		} else {
			bits := GP32()
			VMOVMSKPD(at.limits, bits)
			TESTL(bits, bits)
			JEQ(m.to(undisturbed))
			VBLENDVPD(at.limits, at.heard, at.then, at.then)
			TESTQ(U32(4), at.i)
			JEQ(m.to("Low" + at.side))
			SHLL(U8(4), bits)
			m.label("Low" + at.side)
			ORB(bits.As8(), m.group(at))
		}
		m.label(undisturbed)
	}
	JMP(m.to("Worked"))
}

// group is where the bits are of the eight numbers of which one has index i.
func (m *meeting) group(at *seat) Mem {
	base, group := GP64(), GP64()
	MOVQ(m.memory("held"+at.side), base)
	MOVQ(at.i, group)
	SHRQ(U8(3), group)
	return Mem{Base: base, Index: group, Scale: 1}
}

// memory is where a parameter is.
func (s isa) memory(name string) Mem {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return address.Addr
}
