package noise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

// addCurves adds the curves of a file, curves of the same operation together. Of several operations
// the first is used, preferably of messages: half a round trip of a read or an atomic is not the
// time of a message.
func (im *importer) addCurves(all []formats.Curve) {
	var names []string
	tables := map[string][]formats.Curve{}
	for _, c := range all {
		if c.Pattern != formats.OneWay {
			of := ""
			if c.Processes > 0 {
				of = fmt.Sprintf(" of %d processes", c.Processes)
			}
			im.say("  %s%s: times of whole collectives, of no use for a profile", c.Operation, of)
			continue
		}
		if tables[c.Operation] == nil {
			names = append(names, c.Operation)
		}
		tables[c.Operation] = append(tables[c.Operation], c)
	}
	slices.SortStableFunc(names, func(a, b string) int { return remote(a) - remote(b) })
	for i, name := range names {
		if i > 0 {
			im.say("  %s: not used, since %s is", name, names[0])
			continue
		}
		if n := len(tables[name]); n > 1 {
			im.say("  %s: the average of %d tables%s", name, n, apart(tables[name]))
		}
		im.addCurve(formats.Pool(tables[name]))
	}
}

// apart says by how much tables differ at the same size, if that is more than between runs of the
// same two places: as between latencies inside a node and between two, or of hosts and of devices.
func apart(tables []formats.Curve) string {
	times, most := map[float64][]float64{}, 0.0 // by size
	for _, c := range tables {
		for _, p := range c.Points {
			times[p.Size] = append(times[p.Size], p.Seconds)
		}
	}
	for _, all := range times {
		if least := slices.Min(all); least > 0 {
			most = max(most, slices.Max(all)/least)
		}
	}
	if most < 2 {
		return ""
	}
	return fmt.Sprintf(", though they differ by up to %.2g×; give the tables of one kind only", most)
}

// remote returns 1 for an operation on the memory of another process, 0 for one of messages.
func remote(operation string) int {
	if strings.HasPrefix(operation, "read ") || strings.HasPrefix(operation, "atomic ") {
		return 1
	}
	return 0
}

// bulk is the size [bytes] from which repetitions of one size measure the bandwidth.
const bulk = 1 << 16

// addCurve fits α and β of the protocol that is used for messages of the size asked for.
// Of a single size there is α only.
func (im *importer) addCurve(c formats.Curve) {
	switch p := c.Points[0]; {
	case len(c.Points) > 1:
	case p.Size >= bulk && p.Base() > 0: // then its mean gives the bandwidth, 1/G
		im.network.Bandwidth = new(rounded(p.Size / p.Mean))
		im.say("  %s, %s: 1/G = %s, on average; of the fastest %s", c.Operation, sizeText(p.Size),
			rateText(p.Size/p.Mean), rateText(p.Size/p.Base()))
		return
	default:
		im.network.Latency = new(rounded(p.Seconds))
		im.say("  %s, %s: %s; only one message size: no bandwidth fitted; give --bandwidth (default 1 GB/s)",
			c.Operation, sizeText(p.Size), output.Seconds(p.Seconds))
		im.addLatencies(c.Points)
		return
	}
	f, err := measured.FitCurve(c.Points)
	if err != nil {
		im.say("  %s: %v", c.Operation, err)
		return
	}
	im.curves = append(im.curves, fitted{c, f})
	segment := f.At(im.bytes)
	for _, s := range f {
		mark := ""
		if s == segment && len(f) > 1 {
			mark = ", which is used"
		}
		bandwidth := "no limit of bandwidth"
		if s.Beta > 0 {
			bandwidth = "1/β = " + rateText(1/s.Beta)
		}
		im.say("  %s, %s to %s: α = %s, %s; residual %.1f%%, at most %.1f%%%s", c.Operation, sizeText(s.From),
			sizeText(s.To), output.Seconds(s.Alpha), bandwidth, 100*s.RMS, 100*s.Largest, mark)
	}
	im.network.Latency = new(rounded(segment.Alpha))
	if segment.Beta > 0 {
		im.network.Bandwidth = new(rounded(1 / segment.Beta))
	}
	im.addLatencies(c.Points)
}

// addLatencies makes network noise of the quantiles of the latency, if the tool gives any, at the
// size nearest to the one asked for: of what exceeds the least, which then gives α.
func (im *importer) addLatencies(points []formats.Point) {
	var nearest formats.Point
	var excess noise.Empirical
	for _, p := range points {
		e, ok := p.Excess()
		if ok && (excess.Points == nil || math.Abs(p.Size-im.bytes) < math.Abs(nearest.Size-im.bytes)) {
			nearest, excess = p, e
		}
	}
	if excess.Points == nil {
		return
	}
	for i := range excess.Points {
		excess.Points[i].Length = rounded(excess.Points[i].Length)
	}
	im.network.Noise, im.least = &profile.MessageNoise{Duration: excess}, nearest.Base()
	im.network.Latency = new(rounded(max(0, *im.network.Latency-(nearest.Seconds-nearest.Base()))))
	im.say("  %s: α comes from the shortest time, %s, and noise of the network is what exceeds it, "+
		"%s on average", sizeText(nearest.Size), output.Seconds(nearest.Base()),
		output.Seconds(excess.Mean()))
	im.doubtLeast(nearest, excess)
}

// doubtLeast says if the least time is below half of the first percentile, or of all others if they are
// fewer than a hundred: no network is twice as fast that rarely.
func (im *importer) doubtLeast(p formats.Point, excess noise.Empirical) {
	share := 0.01
	if p.Samples > 1 {
		share = max(share, 1.5/float64(p.Samples)) // in the middle of the second
	}
	if others := p.Base() + excess.Quantile(share); others > 2*p.Base() {
		im.say("  the shortest time is below half of nearly all others, which are at least %s: α may be too "+
			"short, and the noise too long; remove that time from the file if it is wrong",
			output.Seconds(others))
	}
}

// addLogGP uses the parameters at the size nearest to the one asked for, each at the
// nearest at which it could be measured, and the G of the best fit of larger sizes.
func (im *importer) addLogGP(sizes []formats.LogGP) {
	if len(sizes) == 0 {
		return
	}
	n, found := &im.network, []string(nil)
	set := func(to **float64, name string, of func(formats.LogGP) float64, format func(x float64) string) bool {
		nearest, x := math.Inf(1), 0.0
		for _, p := range sizes {
			if d := math.Abs(p.Size - im.bytes); of(p) >= 0 && d < nearest {
				nearest, x = d, of(p)
			}
		}
		if math.IsInf(nearest, 1) {
			found = append(found, name+" could not be measured")
			return false
		}
		*to = new(rounded(x))
		found = append(found, name+" = "+format(x))
		return true
	}
	latency := set(&n.Latency, "L", func(p formats.LogGP) float64 { return p.L }, output.Seconds)
	set(&n.Overhead, "o", func(p formats.LogGP) float64 { return (p.Os + p.Or) / 2 }, output.Seconds)
	set(&n.Gap, "g", func(p formats.LogGP) float64 { return p.Gs }, output.Seconds)
	set(&n.Bandwidth, "1/G", func(p formats.LogGP) float64 {
		if p.G == 0 {
			return math.NaN()
		}
		return 1 / p.G
	}, rateText)
	im.say("  LogGP nearest to %s: %s", sizeText(im.bytes), strings.Join(found, ", "))
	if best := bestG(sizes); best.Size > im.bytes {
		n.Bandwidth = new(rounded(1 / best.G))
		im.say("  1/G = %s at %s is taken, where the fit of g and G is closest",
			rateText(1/best.G), sizeText(best.Size))
	}
	if latency && n.Bandwidth != nil {
		// L is half the round trip of the smallest message, with its bytes (printparams in ptrn_loggp.c).
		least := slices.MinFunc(sizes, func(a, b formats.LogGP) int { return cmp.Compare(a.Size, b.Size) }).Size
		n.Latency = new(rounded(max(0, *n.Latency - least / *n.Bandwidth)))
	}
}

// takeLatency takes the latency that the user gives, L of LogGP, and scales measured latencies to
// it if asked to. Without one it takes overheads off the measured latency.
func (im *importer) takeLatency() error {
	n := &im.network
	if im.latency == nil {
		im.takeOverheads()
		return nil
	}
	n.Latency = im.latency
	switch {
	case im.rescale != "":
		scaled, err := n.Rescaled(im.least, middles[im.rescale])
		if err != nil {
			return fmt.Errorf("--rescale: %w; give the time of each message", err)
		}
		im.say("measured latencies are scaled by %.4g", *scaled.Latency/im.least)
		scaled.Latency = new(rounded(*scaled.Latency))
		*n = scaled
	case n.Noise != nil && *im.latency < im.least:
		im.say("α is %s, below the shortest latency measured, %s: messages are faster than any that was "+
			"measured; --rescale median scales these", output.Seconds(*im.latency), output.Seconds(im.least))
	}
	return nil
}

// takeOverheads takes the overheads of sender and receiver off the latency, which is half a
// round trip, and so has both. Where they are longer than that, they overlap with the transfer,
// and are taken to be all of it.
func (im *importer) takeOverheads() {
	n := &im.network
	if n.Latency == nil || n.Overhead == nil || *n.Overhead == 0 {
		return
	}
	trip := *n.Latency
	overhead := min(*n.Overhead, trip/2)
	n.Overhead, n.Latency = new(rounded(overhead)), new(rounded(trip-2*overhead))
	im.say("half a round trip, %s, has both overheads: o = %s, α = %s", output.Seconds(trip),
		output.Seconds(overhead), output.Seconds(*n.Latency))
}

// bestG returns the parameters of the size up to which the tool's fit of g and G is the closest.
// Fits of a few small sizes have a G that is many times the G of the network, where the protocol
// changes between them. Its size is 0 if no fit has a G.
func bestG(sizes []formats.LogGP) formats.LogGP {
	best := formats.LogGP{Deviation: math.Inf(1)}
	for _, p := range sizes {
		if p.G > 0 && p.Deviation < best.Deviation {
			best = p
		}
	}
	return best
}

func rateText(rate float64) string { return units.Format(units.Rate, rate, 3) }

// sizeText returns a number of bytes in full, in the largest unit of which it is a multiple.
func sizeText(bytes float64) string {
	text := units.Format(units.Size, bytes, 4)
	if strings.Contains(text, "e+") {
		return strconv.FormatFloat(bytes, 'f', -1, 64) + " B"
	}
	return text
}

// addBench uses what a benchmark of the MPI library measured, if there is one.
func (im *importer) addBench(b *formats.Bench) {
	if b == nil {
		return
	}
	im.network.Latency = new(rounded(b.Latency))
	im.network.SendOverhead = new(rounded(b.SendOverhead))
	bandwidth := "no bandwidth"
	if b.Bandwidth > 0 {
		im.network.Bandwidth = new(rounded(b.Bandwidth))
		bandwidth = "1/β = " + rateText(b.Bandwidth)
	}
	im.say("  %d operations of %d ranks; α = %s, %s, c = %s", len(b.Operations), b.Ranks,
		output.Seconds(b.Latency), bandwidth, output.Seconds(b.SendOverhead))
}

// rounded returns x with five digits, as many as a measurement of a network has.
func rounded(x float64) float64 {
	text := strconv.FormatFloat(x, 'g', 5, 64)
	x, _ = strconv.ParseFloat(text, 64) // the text is a number
	return x
}
