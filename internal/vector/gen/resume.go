package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// resume emits the kernel that lets work be done among detours that come once a period,
// for AVX-512: as its twin, for the chunks that have bits set. It clears the bits of the
// numbers that it does.
func (s isa) resume() {
	s.begin("resume", "t, first, gapEnd *float64, held *uint64, n int, work, period, length, margin float64",
		"has work done in the gaps where it began or that come next, for the numbers whose bits are set in held.")
	t, first, gapEnd, held, n := param("t"), param("first"), param("gapEnd"), param("held"), param("n")
	work, period, length, margin := s.all("work"), s.all("period"), s.all("length"), s.all("margin")
	zero, one, most := s.reg(), s.word(0x3ff0000000000000), s.word(0x4202a05f20000000) // 1e10, as farthestGap
	VPXORQ(zero, zero, zero)
	i, group, bits := GP64(), GP64(), GP32()
	s.each("resume", i, n, func() {
		MOVQ(i, group)
		SHRQ(U8(3), group)
		set := Mem{Base: held, Index: group, Scale: 1}
		MOVBLZX(set, bits)
		TESTL(bits, bits)
		none := "resumeNone"
		JZ(LabelRef(none))
		concerned, begun, inside, fits, near := K(), K(), K(), K(), K()
		KMOVB(bits, concerned)
		start, offset, gap, since, until := s.reg(), s.reg(), s.reg(), s.reg(), s.reg()
		VMOVUPD(at(t, i, 0), start)
		begins := at(first, i, 0)
		VSUBPD(begins, start, offset)
		VSUBPD(offset, zero, until)
		VCMPPD(noLess, zero, offset, begun)
		VDIVPD(period, offset, gap)
		VRNDSCALEPD(U8(9), gap, gap) // the floor
		VMULPD(period, gap, since)
		VSUBPD(since, offset, since)
		VCMPPD(less, length, since, begun, inside)
		rest := s.reg()
		VSUBPD(since, length, rest)
		VADDPD(rest, start, inside, start)
		VMOVAPD(length, inside, since)
		VSUBPD(since, period, begun, until)
		VCMPPD(notGreater, until, work, concerned, fits)
		VADDPD(work, start, start)
		VMOVUPD(start, fits, at(t, i, 0))
		VCMPPD(less, most, gap, fits, near)
		VADDPD(one, gap, gap)
		VMULPD(period, gap, gap)
		VADDPD(begins, gap, gap)
		VSUBPD(margin, gap, gap)
		KNOTB(begun, begun)
		VMOVUPD(begins, begun, gap)
		VMOVUPD(gap, near, at(gapEnd, i, 0))
		KANDNB(concerned, fits, concerned)
		KMOVB(concerned, set)
		Label(none)
	})
	end()
}
