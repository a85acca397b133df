package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
)

// HdrHistogram writes, by HistogramLogWriter, a line for each interval of time, with a histogram in the
// compressed encoding of version 2 and base64:
//
//	#[Histogram log format version 1.3]
//	#[StartTime: 1441812279.474 (seconds since epoch), …]
//	"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
//	Tag=A,0.127,1.007,2.769,HISTFAAA…
//
// Values are in ns, as in those of jHiccup: by how much a thread that sleeps for a millisecond was late.
// Interval_Max is in ms. The intervals of a tag are added up.

const (
	hdrCompressed = 0x1c849304 // cookies of version 2
	hdrPlain      = 0x1c849303
	hdrHeader     = 40
	mostHdr       = 64 << 20 // bytes of a histogram
)

func readHdrLog(s *source, m *Measurement) {
	var tags []string
	of := tallies[string]{} // by tag, in ns
	span, most := map[string]float64{}, map[string]float64{}
	s.each(
		rule{`^#\[Histogram log format version ([\d.]+)\]`, func(s *source) { s.fact("version", s.fields[1]) }},
		rule{`^(?:Tag=([^,]*),)?([\d.]+),([\d.]+),([\d.]+),"?([A-Za-z0-9+/]+=*)"?$`, func(s *source) {
			tag, length, longest := s.fields[1], s.seconds(3, 1), s.seconds(4, 1e3)
			h, err := decodeHdr(s.fields[5])
			if err != nil {
				s.fail("it is no histogram of HdrHistogram: %s", printable(err.Error(), 80))
			}
			if _, known := span[tag]; !known {
				keep(s, &tags, tag)
			}
			span[tag], most[tag] = span[tag]+length, max(most[tag], longest)
			for _, b := range h {
				of.add(s, tag, b)
			}
		}},
	)
	for _, tag := range tags {
		h := Histogram{Column: strings.TrimSpace("intervals " + printable(tag, 40)), Kind: Wakeups,
			Unit: 1. / perNano, Most: most[tag], Span: span[tag]}.of(of[tag], perNano)
		end, overlap := 0.0, false
		for _, b := range h.Bins {
			overlap, end = overlap || b.From < end*(1-1e-12), b.To
		}
		if math.Abs(h.Most-end) < 1./perMicro {
			h.Most = end // which was rounded
		}
		if overlap {
			s.note("the histograms of %s have bins of different widths, and are not used", h.Column)
		} else if h.Samples > 0 {
			m.Histograms = append(m.Histograms, h)
		}
	}
}

// decodeHdr returns the bins, with values as they are, of a compressed histogram.
func decodeHdr(text string) ([]Bin, error) {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	if len(packed) < 8 || binary.BigEndian.Uint32(packed)&^0xf0 != hdrCompressed&^0xf0 {
		return nil, errors.New("it is not in the compressed encoding of version 2")
	}
	r, err := zlib.NewReader(bytes.NewReader(packed[8:]))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostHdr+1))
	switch {
	case err != nil:
		return nil, err
	case len(plain) < hdrHeader || len(plain) > mostHdr ||
		binary.BigEndian.Uint32(plain)&^0xf0 != hdrPlain&^0xf0:
		return nil, errors.New("its header is another")
	}
	length, digits := binary.BigEndian.Uint32(plain[4:]), binary.BigEndian.Uint32(plain[12:])
	lowest := int64(binary.BigEndian.Uint64(plain[16:]))
	ratio := math.Float64frombits(binary.BigEndian.Uint64(plain[32:]))
	payload := plain[hdrHeader:]
	if int64(length) > int64(len(payload)) || digits > 5 || lowest < 1 || !(ratio > 0) || ratio > 1e9 {
		return nil, errors.New("its header contradicts itself")
	}
	return hdrBins(payload[:length], int(digits), lowest, ratio)
}

// hdrBins decodes counts, of which a negative one is a number of zeros, and the values that they are of: the
// bins of a bucket are twice as wide as those of the one before.
func hdrBins(payload []byte, digits int, lowest int64, ratio float64) (bins []Bin, err error) {
	unit := uint(math.Floor(math.Log2(float64(lowest))))
	half := uint(math.Ceil(math.Log2(2*math.Pow10(digits)))) - 1 // log2 of half of the bins of a bucket
	for index := int64(0); len(payload) > 0; {
		count, n := binary.Varint(payload)
		if n <= 0 {
			return nil, errors.New("its counts are cut off")
		}
		payload = payload[n:]
		if count < 0 {
			if index -= count; index < 0 || index > 1<<32 {
				return nil, errors.New("it has too many counts")
			}
			continue
		}
		bucket, sub := uint(index>>half), index&(1<<half-1)
		shift := unit
		if bucket > 0 {
			shift, sub = unit+bucket-1, sub+1<<half
		}
		from, to := float64(sub<<shift)*ratio, float64((sub+1)<<shift)*ratio
		switch {
		case shift > 62-half-1:
			return nil, errors.New("it has values beyond 2^62")
		case count > MaxCount:
			return nil, errors.New("it has too many samples")
		case count > 0 && to > MaxLength*perNano:
			return nil, errors.New("it has values beyond any measurement")
		case count > 0:
			bins = append(bins, Bin{from, to, count})
		}
		index++
	}
	return bins, nil
}

// bpftrace prints, for each map of hist() or lhist(), a histogram with bins of powers of two or of one
// width, where K is 1024 and M its square:
//
//	@usecs:
//	[0]                    2 |@                                                   |
//	[2, 4)               120 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//	[1K, 2K)               1 |                                                    |
//
// The unit is in the name of the map alone, as in runqlat.bt, whose times are for how long threads wait
// for a processor. A map that is printed again replaces the one before.

const (
	bpfMap  expression = `^@(\w*)(\[.*\])?: *$`
	bpfBin  expression = `^[\[(](-?\d+[KMGT]?|\.\.\.)(?:, *(\d+[KMGT]?|\.\.\.)\))?\]? +(\d+) +\|@* *\|$`
	bpfUnit expression = `(?i)(?:^|_)(n|u|µ|m)(?:s|secs?|seconds)(?:_|$)`
)

func readBpftrace(s *source, m *Measurement) {
	all, at := map[string]int{}, -1
	per := 0.0
	s.each(
		rule{bpfMap, func(s *source) {
			at, per = -1, 0
			unit := bpfUnit.regexp().FindStringSubmatch(s.fields[1])
			if unit == nil {
				s.otherwise("the name of the map %q does not say its unit; name it @usecs or @nsecs",
					printable(s.text, 40))
				refuse("a map without a unit in its name")
			}
			per = inSecond[strings.ToLower(unit[1])+"s"]
			name := printable(strings.TrimSuffix(s.text, ":"), 60)
			var again bool
			if at, again = all[name]; !again {
				at = len(m.Histograms)
				all[name] = at
				m.Histograms = append(m.Histograms, Histogram{})
			}
			m.Histograms[at] = Histogram{Column: name, Kind: Wakeups, Unit: 1 / per}
			s.record()
		}},
		rule{bpfBin, func(s *source) {
			if at < 0 {
				refuse(notARow)
			}
			m.Histograms[at].addBpf(s, per)
		}},
	)
	m.Histograms = slices.DeleteFunc(m.Histograms, func(h Histogram) bool { return h.Samples == 0 })
}

// addBpf adds the bin of the current line. What is below 0 is no time, and what is beyond the last bin of
// lhist has no longest.
func (h *Histogram) addBpf(s *source, per float64) {
	n := s.count(3)
	from := must(bpfLength(s.fields[1], per))
	to := from + 1/per
	switch s.fields[2] {
	case "":
	case "...":
		h.Over, h.Samples = h.Over+n, h.Samples+n
		return
	default:
		to = must(bpfLength(s.fields[2], per))
	}
	if k := len(h.Bins); k > 0 && from < h.Bins[k-1].To || to <= from {
		refuse(notARow)
	}
	if n > 0 {
		keep(s, &h.Bins, Bin{from, to, n})
		h.Samples += n
	}
}

// bpfLength returns a length [s] of a bin, as 2K.
func bpfLength(text string, per float64) (float64, string) {
	if i := strings.IndexByte("KMGT", text[len(text)-1]); i >= 0 {
		return seconds(text[:len(text)-1], math.Ldexp(per, -10*(i+1)))
	}
	return seconds(text, per)
}
