package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels in which ranks hear from each other, two by two, and then work. Both sides of a pair change at
// once, since each needs what the other was.

// meetings are the picks of rounds by themselves.
var meetings = []pick{
	{"meetLater", "the later", VMAXPD, false},
	{"meetEarlier", "the earlier", VMINPD, false},
	{"meetWorking", "the later, and works where it stays below a limit,", VMAXPD, true},
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
	side        string // of the parameters' names
	clock, late reg.GPVirtual
	ends        reg.GPVirtual
	least, most reg.VecVirtual
}

// A meeting is what such a kernel keeps in registers.
type meeting struct {
	isa
	pick
	name            string
	by, byWork      reg.VecVirtual // what a message takes, and work
	known, infinite reg.VecVirtual
	train           *train
}

// meet emits the kernel for two vectors, and high bits of the mask that say which registers
// hear from each other: indices skip those that have the bit skip, and end at the first that is not below
// end. With lanes it is for one vector and a mask that has none but low bits.
func (s isa) meet(p pick, lanes bool) {
	m := &meeting{isa: s, pick: p, name: p.name + s.name}
	sides, kind := []string{"X", "Y"}, ""
	if lanes {
		sides, kind, m.name = sides[:1], "Lanes", p.name+"Lanes"+s.name
	}
	parameters, work, extremes := "", "", ""
	if p.works && s.lanes == chunk {
		extremes = ", train"
	}
	for _, side := range sides {
		parameters += fmt.Sprintf("clock%s, late%s", side, side)
		extremes += fmt.Sprintf(", least%s, most%s", side, side)
		if p.works {
			parameters += fmt.Sprintf(", end%s *float64, held%s *uint64, ", side, side)
			if s.lanes == chunk {
				parameters += fmt.Sprintf("first%s *float64, ", side)
			}
		} else {
			parameters += " *float64, "
		}
	}
	if p.works {
		work = ", work, known"
	}
	s.begin(p.name+kind, parameters+"end, mask, skip int, by"+work+" float64"+extremes+" *float64",
		"has pairs hear from each other: each number becomes "+p.doc+" of it and, by after it and as late as it is, its other.")
	var parties []party
	for _, side := range sides {
		q := party{side: side, clock: param("clock" + side), late: param("late" + side), least: s.number(infinity), most: s.number(-infinity)}
		if p.works {
			q.ends = param("end" + side)
		}
		parties = append(parties, q)
	}
	high := param("mask")
	permute := s.permute(high)
	m.begin()
	i, other := GP64(), GP64()
	XORQ(i, i)
	again, done := m.name+"Again", m.name+"Done"
	Label(again)
	CMPQ(i, m.memory("end"))
	JGE(LabelRef(done))
	x, there := s.reg(), s.reg()
	VMOVUPD(at(parties[0].clock, i, 0), x)
	if lanes {
		permute(x, there)
		m.receive([]seat{{parties[0], i, x, there}})
	} else {
		MOVQ(i, other)
		XORQ(high, other)
		y, here := s.reg(), s.reg()
		VMOVUPD(at(parties[1].clock, other, 0), y)
		permute(y, there)
		permute(x, here)
		m.receive([]seat{{parties[0], i, x, there}, {parties[1], other, y, here}})
		ORQ(m.memory("skip"), i)
	}
	ADDQ(U32(s.lanes), i)
	if !lanes {
		keep := GP64()
		MOVQ(m.memory("skip"), keep)
		NOTQ(keep)
		ANDQ(keep, i)
	}
	JMP(LabelRef(again))
	Label(done)
	for _, q := range parties {
		s.fold(q.least, VMINPD)
		VMOVSD(q.least.AsX(), Mem{Base: param("least" + q.side)})
		s.fold(q.most, VMAXPD)
		VMOVSD(q.most.AsX(), Mem{Base: param("most" + q.side)})
	}
	end()
}

// A seat is where some numbers of a party are: from an index, in own, and what they hear is in heard.
type seat struct {
	party
	i          reg.GPVirtual
	own, heard reg.VecVirtual
}

// receive emits that all hear. Loads come before stores, since one from a place whose address has the same last twelve
// bits as that of a store waits for it.
func (m *meeting) receive(seats []seat) {
	limits, then, low := make([]reg.VecVirtual, 2), make([]reg.VecVirtual, 2), make([]reg.VecVirtual, 2)
	for k, at := range seats {
		VADDPD(at.of(at.late), at.heard, at.heard)
		if m.works {
			limits[k] = m.reg()
			VMOVUPD(at.of(at.ends), limits[k])
		}
	}
	for k, at := range seats {
		VADDPD(at.heard, m.by, at.heard)
		m.of(at.own, at.heard, at.heard)
		then[k], low[k] = at.heard, at.heard
		if m.works {
			then[k], low[k] = m.work(at, limits[k])
		}
	}
	for k, at := range seats {
		VMOVUPD(then[k], at.of(at.clock))
		VMINPD(low[k], at.least, at.least)
		VMAXPD(then[k], at.most, at.most)
	}
}

// of is where their numbers in a vector are.
func (s *seat) of(base reg.GPVirtual) Mem { return at(base, s.i, 0) }

// work emits that they work from what they have heard on, and returns until when. Those whom it holds are where they
// were, and not among the low: with AVX-512 those of whose detours not enough is known, else all who reach their limit.
func (m *meeting) work(at seat, ends reg.VecVirtual) (then, low reg.VecVirtual) {
	then, low = m.reg(), m.reg()
	start, limit, done := at.heard, m.reg(), m.name+"Undisturbed"+at.side
	VADDPD(start, m.byWork, then)
	VMINPD(ends, m.known, limit)
	VMOVAPD(then, low)
	if m.lanes < chunk {
		bits := GP32()
		VCMPPD(noLess, limit, then, limit)
		VMOVMSKPD(limit, bits)
		TESTL(bits, bits)
		JEQ(LabelRef(done))
		VBLENDVPD(limit, start, then, then)
		VBLENDVPD(limit, m.infinite, low, low)
		TESTQ(U32(4), at.i)
		JEQ(LabelRef(done + "Low"))
		SHLL(U8(4), bits)
		Label(done + "Low")
		ORB(bits.As8(), m.group(at))
		Label(done)
		return then, low
	}
	known, struck, held, first := K(), K(), K(), GP64()
	VCMPPD(noLess, limit, then, struck)
	KORTESTB(struck, struck)
	JEQ(LabelRef(done))
	VCMPPD(less, m.infinite, ends, known)
	KANDNB(struck, known, held)
	KANDB(struck, known, struck)
	KMOVB(held, m.group(at))
	VMOVAPD(start, held, then)
	MOVQ(m.memory("first"+at.side), first)
	next, near := m.train.work(start, m.byWork, struck, at.of(first))
	VMOVUPD(next, near, at.of(at.ends))
	VMOVAPD(start, struck, then)
	VMOVAPD(then, low)
	VMOVAPD(m.infinite, held, low)
	Label(done)
	return then, low
}

// group is where the bits are of the eight numbers of which one has index i.
func (m *meeting) group(at seat) Mem {
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

// begin fills registers.
func (m *meeting) begin() {
	m.by = m.all("by")
	if m.works {
		m.byWork, m.known, m.infinite = m.all("work"), m.all("known"), m.number(infinity)
		if m.lanes == chunk {
			m.train = m.isa.train()
		}
	}
}
