package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A train is what kernels know of detours that come once a period, for AVX-512.
type train struct {
	isa
	period, length, margin, zero, one, most reg.VecVirtual
}

func (s isa) train() *train {
	t := &train{isa: s, period: s.all("period"), length: s.all("length"), margin: s.all("margin")}
	t.zero, t.one, t.most = s.reg(), s.word(0x3ff0000000000000), s.word(0x4202a05f20000000) // 1e10, as farthestGap
	VPXORQ(t.zero, t.zero, t.zero)
	return t
}

// work emits that the concerned lanes do work from start in the gap where it begins or that
// comes next, as genericResume: start becomes when it is done, of those for whom it fits, whose
// gapEnd is set.
func (t *train) work(start, work reg.VecVirtual, concerned reg.OpmaskVirtual, begins, gapEnd Mem) (fits reg.OpmaskVirtual) {
	begun, inside, near := K(), K(), K()
	fits = K()
	offset, gap, since, until, rest := t.reg(), t.reg(), t.reg(), t.reg(), t.reg()
	VSUBPD(begins, start, offset)
	VSUBPD(offset, t.zero, until)
	VCMPPD(noLess, t.zero, offset, begun)
	VDIVPD(t.period, offset, gap)
	VRNDSCALEPD(U8(9), gap, gap) // the floor
	VMULPD(t.period, gap, since)
	VSUBPD(since, offset, since)
	VCMPPD(less, t.length, since, begun, inside)
	VSUBPD(since, t.length, rest)
	VADDPD(rest, start, inside, start)
	VMOVAPD(t.length, inside, since)
	VSUBPD(since, t.period, begun, until)
	VCMPPD(notGreater, until, work, concerned, fits)
	VADDPD(work, start, start)
	VCMPPD(less, t.most, gap, fits, near)
	VADDPD(t.one, gap, gap)
	VMULPD(t.period, gap, gap)
	VADDPD(begins, gap, gap)
	VSUBPD(t.margin, gap, gap)
	KNOTB(begun, begun)
	VMOVUPD(begins, begun, gap)
	VMOVUPD(gap, near, gapEnd)
	return fits
}

// resume emits the kernel that lets work be done among detours, for the chunks that have bits
// set. It clears the bits of the numbers that it does.
func (s isa) resume() {
	s.begin("resume", "t, first, gapEnd *float64, held *uint64, n int, work, period, length, margin float64",
		"has work done in the gaps where it began or that come next, for the numbers whose bits are set in held.")
	t, first, gapEnd, held, n := param("t"), param("first"), param("gapEnd"), param("held"), param("n")
	work, detours := s.all("work"), s.train()
	i, group, bits := GP64(), GP64(), GP32()
	s.each("resume", i, n, func() {
		MOVQ(i, group)
		SHRQ(U8(3), group)
		set := Mem{Base: held, Index: group, Scale: 1}
		MOVBLZX(set, bits)
		TESTL(bits, bits)
		none := "resumeNone"
		JZ(LabelRef(none))
		concerned, start := K(), s.reg()
		KMOVB(bits, concerned)
		VMOVUPD(at(t, i, 0), start)
		fits := detours.work(start, work, concerned, at(first, i, 0), at(gapEnd, i, 0))
		VMOVUPD(start, fits, at(t, i, 0))
		KANDNB(concerned, fits, concerned)
		KMOVB(concerned, set)
		Label(none)
	})
	end()
}
