package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// periodic is the numbers of a vector.PeriodicDetours in registers, for AVX-512.
type periodic struct {
	isa
	period, length, margin, gap, inside, perPeriod, perGap reg.VecVirtual
	zero, one, most                                        reg.VecVirtual
}

// periodic loads them.
func (s isa) periodic() *periodic {
	t, numbers := &periodic{isa: s}, param("periodic")
	for i, to := range []*reg.VecVirtual{
		&t.period, &t.length, &t.margin, &t.gap, &t.inside, &t.perPeriod, &t.perGap,
	} {
		*to = s.reg()
		VBROADCASTSD(Mem{Base: numbers, Disp: 8 * i}, *to)
	}
	t.zero, t.one, t.most = s.reg(), s.number(1), s.number(1e10) // as farthestGap
	VPXORQ(t.zero, t.zero, t.zero)
	return t
}

// work emits vector.PeriodicDetours.Work: start becomes when the work is done. It returns the ends
// of the gaps in which that is, and a mask of those that are to be stored.
func (t *periodic) work(
	start, work reg.VecVirtual, concerned, begins Op,
) (gapEnd reg.VecVirtual, near reg.OpmaskVirtual) {
	over, under, inside, further, first := K(), K(), K(), K(), K()
	near = K()
	offset, gap, since, until := t.reg(), t.reg(), t.reg(), t.reg()
	VSUBPD(begins, start, offset)
	VMULPD(t.perPeriod, offset, gap)
	VRNDSCALEPD(U8(9), gap, gap) // rounds down
	VMULPD(t.period, gap, since)
	VSUBPD(since, offset, since)
	VCMPPD(noLess, t.period, since, over)
	VADDPD(t.one, gap, over, gap)
	VSUBPD(t.period, since, over, since)
	VCMPPD(less, t.zero, since, under)
	VSUBPD(t.one, gap, under, gap)
	VADDPD(t.period, since, under, since)
	VCMPPD(less, t.zero, offset, first)
	VSUBPD(since, t.length, until)
	KNOTB(first, inside)
	VCMPPD(less, t.inside, since, inside, inside)
	VADDPD(until, start, inside, start)
	VMOVAPD(t.length, inside, since)
	VSUBPD(since, t.period, until)
	VSUBPD(offset, t.zero, first, until)
	VSUBPD(t.one, t.zero, first, gap)
	VADDPD(t.one, gap, gap)
	VADDPD(work, start, start)
	VSUBPD(until, work, until)
	VCMPPD(less, until, t.zero, further) // 0 < until
	detours, done := t.reg(), t.reg()
	VMULPD(t.perGap, until, detours)
	VRNDSCALEPD(U8(10), detours, detours) // rounds up
	VMULPD(t.gap, detours, done)
	VCMPPD(less, until, done, under)
	VSUBPD(t.gap, done, done)
	VCMPPD(noLess, until, done, over)
	VADDPD(t.one, detours, under, detours)
	VSUBPD(t.one, detours, over, detours)
	VMULPD(t.length, detours, since)
	VADDPD(since, start, further, start)
	VADDPD(detours, gap, further, gap)
	VCMPPD(notGreater, t.most, gap, concerned, near)
	VCMPPD(notGreater, t.zero, gap, first)
	gapEnd = t.reg()
	VMULPD(t.period, gap, gapEnd)
	VADDPD(begins, gapEnd, gapEnd)
	VSUBPD(t.margin, gapEnd, gapEnd)
	VMOVUPD(begins, first, gapEnd)
	return gapEnd, near
}

// resume emits the kernel that does work among detours, for the chunks that have bits set, which
// it clears.
func (s isa) resume() {
	s.begin("resume", "(t, first, gapEnd *float64, hit *uint64, n int, work float64, periodic *float64)")
	t, first, gapEnds, hit, n := param("t"), param("first"), param("gapEnd"), param("hit"), param("n")
	work, detours := s.all("work"), s.periodic()
	i, group, bits := GP64(), GP64(), GP32()
	s.each("resume", i, n, func() {
		MOVQ(i, group)
		SHRQ(U8(3), group)
		set := Mem{Base: hit, Index: group, Scale: 1}
		MOVBLZX(set, bits)
		TESTL(bits, bits)
		none := "resumeNone"
		JZ(LabelRef(none))
		concerned, start := K(), s.reg()
		KMOVB(bits, concerned)
		VMOVUPD(at(t, i, 0), start)
		gapEnd, near := detours.work(start, work, concerned, at(first, i, 0))
		VMOVUPD(gapEnd, near, at(gapEnds, i, 0))
		VMOVUPD(start, concerned, at(t, i, 0))
		MOVB(U8(0), set)
		Label(none)
	})
	end()
}
