package noise

import (
	"cmp"
	"errors"
	"slices"

	"jitterfly/cli/internal/output"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
)

// stages are the kinds of delays of timers, in the order in which a wake-up passes them:
// each delay contains those before it.
var stages = []formats.Kind{formats.Interrupts, formats.Wakeups, formats.Returns}

// delays are by how much wake-ups were later than the earliest, of one stage.
type delays struct {
	stage formats.Kind
	measured.Histogram
}

// addHistograms adds the lengths of the histograms of a file. It fails if one lacks the time over
// which its lengths were seen.
func (im *importer) addHistograms(all []formats.Histogram) error {
	last := -1
	for _, h := range all {
		if len(h.Bins) > 0 {
			last = max(last, slices.Index(stages, h.Kind))
		}
	}
	for _, h := range all {
		switch {
		case h.Samples > 0 && len(h.Bins) == 0 && h.OverMean == 0:
			im.say("  %s: %d %s of at most %s, without a histogram of no use for a profile", h.Column,
				h.Samples, h.Kind, output.Seconds(h.Most))
		case h.Kind == formats.Detours:
			if err := im.addDetours(h); err != nil {
				return err
			}
		case h.Kind == stages[last]:
			im.addDelays(h)
		default:
			im.say("  %s: %d %s, which are part of the %s", h.Column, h.Samples, h.Kind, stages[last])
		}
	}
	return nil
}

func (im *importer) addDetours(h formats.Histogram) error {
	span := cmp.Or(h.Span, im.span)
	if span == 0 {
		return errors.New("the histogram does not say over which time it was taken; give --span, such as 60s")
	}
	im.detours.Span += span
	im.detours.Cores++
	if h.Samples == 0 { // a core without noise
		im.detours.Values, im.detours.Counts = append(im.detours.Values, 0), append(im.detours.Counts, 0)
		im.say("  %s: none in %s", h.Column, output.Seconds(span))
		return nil
	}
	taken := addBins(&im.detours, h, 0)
	im.say("  %s: %d detours in %s take %.3g%% of the time", h.Column, h.Samples, output.Seconds(span),
		100*taken/span)
	return nil
}

// addDelays adds what exceeds the least of the delays, since waking a thread takes some time
// without noise too. A least that is rounded down is half a unit longer. The delays of the last
// stage replace lengths of other stages.
func (im *importer) addDelays(h formats.Histogram) {
	if slices.Index(stages, h.Kind) > slices.Index(stages, im.delays.stage) {
		im.delays = delays{h.Kind, measured.Histogram{Wakeups: true}}
	}
	if h.Kind != im.delays.stage || len(h.Bins) == 0 {
		return
	}
	least := cmp.Or(h.Least, h.Bins[0].From)
	im.delays.Cores++
	addBins(&im.delays.Histogram, h, least+h.Unit/2)
	im.say("  %s: %d %s, at least %s", h.Column, h.Samples, h.Kind, output.Seconds(least))
}

// addBins adds to lengths the lengths of the histogram beyond the least [s], in the middle of their
// bins; with a least, the first bin adds none. Of the lengths beyond the bins, one is the longest,
// and the others are as long as [beyond] returns. It returns the sum [s] of what it adds.
func addBins(lengths *measured.Histogram, h formats.Histogram, least float64) (sum float64) {
	add := func(length, count float64) {
		length = max(0, length-least)
		lengths.Values, lengths.Counts = append(lengths.Values, length), append(lengths.Counts, count)
		sum += count * length
	}
	for i, b := range h.Bins {
		length := (b.From + b.To) / 2
		if h.Kind != formats.Detours && i == 0 {
			length = least
		}
		add(length, float64(b.Count))
	}
	if h.Over > 0 {
		length, longest := beyond(h)
		add(length, float64(h.Over-1))
		add(longest, 1)
	}
	return sum
}

// beyond returns the length [s] of the samples beyond the bins, and the length of the longest. They
// have the mean that was estimated, and otherwise are in the middle between the bins and the longest.
func beyond(h formats.Histogram) (length, longest float64) {
	end := 0.0
	if n := len(h.Bins); n > 0 {
		end = h.Bins[n-1].To
	}
	longest = max(end, h.Most)
	if h.OverMean > 0 && h.Over > 1 {
		others := (h.OverMean*float64(h.Over) - longest) / float64(h.Over-1)
		return min(max(others, end), longest), longest
	}
	return (end + longest) / 2, longest
}
