package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
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
	of := map[string]map[int64]Bin{} // by tag and least value
	span, most := map[string]float64{}, map[string]float64{}
	s.each(
		rule{`^#\[Histogram log format version ([\d.]+)\]`, func(s *source) { s.fact("version", s.fields[1]) }},
		rule{`^(?:Tag=([^,]*),)?([\d.]+),([\d.]+),([\d.]+),"?([A-Za-z0-9+/]+=*)"?$`, func(s *source) {
			tag, length, longest := s.fields[1], s.seconds(3, 1), s.seconds(4, 1e3)
			h, err := decodeHdr(s.fields[5])
			if err != nil {
				s.fail("it is no histogram of HdrHistogram: %s", printable(err.Error(), 80))
			}
			if !s.ok() || s.err != nil {
				return
			}
			if of[tag] == nil {
				tags = append(tags, tag)
				of[tag] = map[int64]Bin{}
				s.record()
			}
			span[tag], most[tag] = span[tag]+length, max(most[tag], longest)
			for _, b := range h {
				at := int64(b.From)
				if of[tag][at].Count == 0 {
					s.record()
				}
				of[tag][at] = Bin{b.From / perNano, b.To / perNano, of[tag][at].Count + b.Count}
			}
		}},
	)
	for i, tag := range tags {
		h := Histogram{Core: i, Column: strings.TrimSpace("intervals " + printable(tag, 40)), Kind: Wakeups,
			Unit: 1. / perNano, Most: most[tag], Span: span[tag]}
		end, overlap := 0.0, false
		for _, from := range slices.Sorted(maps.Keys(of[tag])) {
			b := of[tag][from]
			overlap, end = overlap || b.From < end*(1-1e-12), b.To
			h.Bins = append(h.Bins, b)
		}
		if math.Abs(h.Most-end) < 1./perMicro {
			h.Most = end // which was rounded
		}
		if h.Samples = h.inBins(); overlap {
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
		if shift > 62-half-1 {
			return nil, fmt.Errorf("it has values beyond 2^62")
		}
		if count > MaxCount {
			return nil, errors.New("it has too many samples")
		}
		if count > 0 {
			bins = append(bins, Bin{float64(sub<<shift) * ratio, float64((sub+1)<<shift) * ratio, count})
			if (float64((sub+1)<<shift))*ratio > MaxLength*perNano {
				return nil, errors.New("it has values beyond any measurement")
			}
		}
		index++
	}
	return bins, nil
}
