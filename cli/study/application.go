package study

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
)

// Iterations of an application unless they are given, and one in how many of them is not counted. A
// choice, which compares many candidates in a limited time, has as few as do not feel the launch:
// the ranks meet in every call, so that after one or two their mean is the mean of all later ones.
const (
	defaultIterations = 200
	warmupShare       = 10
)

// ofChoices has how many iterations a trial of a choice has, and how many of these are not counted.
var ofChoices = []iterated{{16384, 12, 2}, {131072, 5, 1}, {math.MaxUint64, 4, 1}}

type iterated struct{ ranks, iterations, warmup uint64 } // up to a number of ranks

// Application reports whether the point is iterations of an application, not one launch.
func (p Point) Application() bool { return p.Whole(Iterations) > 0 }

// reported returns how many completions as much memory holds as what is reported for each T.
func (p Point) reported() float64 {
	if !p.Application() {
		return 1
	}
	counted := p.Number(Iterations) - p.Number(Warmup)
	return 2 + min(counted, rounds.MaxSamples)/4 // samples are in memory once
}

// iterate sets the number of iterations and how many of the first are not counted. It fails if this
// leaves none.
func (s *Study) iterate(p Point) error {
	iterations, warmup := p.at(Iterations), p.at(Warmup)
	if p.Number(Compute) == 0 {
		*p.at(Imbalance), *p.at(ImbalancePersistent) = Value{}, Value{}
	}
	if iterations.Name == auto {
		n := uint64(0)
		switch {
		case s.application && s.in.Choose:
			row := slices.IndexFunc(ofChoices, func(x iterated) bool { return p.Whole(Ranks) <= x.ranks })
			n = ofChoices[row].iterations
			if warmup.Name == auto {
				*warmup = wholeValue(ofChoices[row].warmup)
			}
		case s.application:
			n = defaultIterations
		}
		*iterations = wholeValue(n)
	}
	n := iterations.Whole
	if warmup.Name == auto {
		*warmup = wholeValue(n / warmupShare)
	}
	if n > maxIterations {
		return s.wrong(Iterations, "%d iterations are too many; at most %d are allowed", n, maxIterations)
	}
	if calls := p.Whole(Calls); calls > maxIterations {
		return s.wrong(Calls, "%d calls are too many; at most %d are allowed", calls, maxIterations)
	}
	if n > 0 && warmup.Whole >= n {
		return s.wrong(Warmup, "of %d iterations %d are not counted, which leaves none", n, warmup.Whole)
	}
	return nil
}

// maxIterations is the largest number of iterations, and of calls in one.
const maxIterations = 1 << 20

// application returns the point's iterations with calls of a collective, and with measured times
// to compute unless they are nil.
func application(p Point, m rounds.Model, times *rounds.Times) *rounds.Application {
	return &rounds.Application{
		Collective: m,
		Iterations: p.Int(Iterations),
		Warmup:     p.Int(Warmup),
		Calls:      p.Int(Calls),
		Overlap:    p.Name(Overlap) == all,
		Compute: rounds.Compute{
			Mean:       p.Number(Compute),
			Random:     p.Number(Imbalance),
			Persistent: p.Number(ImbalancePersistent),
			Times:      times,
		},
	}
}

// noticedCut is the share by which cutting work at 0 moves its mean that is noted.
const noticedCut = 0.01

// noteCut notes that the work of a point is on average more than was asked for, since what is
// drawn below 0 is 0.
func (p Point) noteCut(s *Study, x *finding) {
	for _, k := range []*Key{Imbalance, ImbalancePersistent} {
		v := p.Value(k)
		mean := rounds.CutMean(v.Number)
		if mean-1 < noticedCut {
			continue
		}
		x.note("%s: with a standard deviation of %.12g%% ranks would often compute for less "+
			"than no time, which counts as 0; on average they compute %.3g× as long",
			s.place(k), 100*v.Number, mean)
	}
}

// imbalances fails if an imbalance is given, and no computing that it could be of.
func (s *Study) imbalances() error {
	computes := func(v Value) bool { return v.Number > 0 }
	_, follows := s.reference(Compute)
	if s.in.Recorded != nil || follows || slices.ContainsFunc(s.keys[Compute].values, computes) ||
		!slices.Equal(s.keys[ComputeFile].values, []Value{{Name: none}}) {
		return nil
	}
	for _, k := range []*Key{Imbalance, ImbalancePersistent} {
		if s.given(k) && !s.onlyZero(k) {
			return s.wrong(k, "%s of no computing; write --compute too, as --compute 100us, or leave it out",
				s.texts(k))
		}
	}
	return nil
}

// byTimes are the keys that a file of compute times stands for.
var byTimes = []*Key{Compute, Imbalance, ImbalancePersistent}

// readTimes reads the files of compute times, and replaces their names by name@digest. It fails
// if a file cannot be read, or if what it stands for is given too.
func (s *Study) readTimes() error {
	s.times = map[string]*datasets.Times{}
	values := s.keys[ComputeFile].values
	if i := slices.IndexFunc(byTimes, s.given); i >= 0 && len(values) == 1 && values[0].Name != none {
		return s.wrong(byTimes[i], "it is what the file %s says; leave one of them out", values[0].Name)
	}
	return s.rename(ComputeFile, func(name string) (string, error) {
		content, err := s.in.content(name)
		if err != nil {
			return "", err
		}
		times, err := datasets.DecodeTimes(content)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		base := path.Base(filepath.ToSlash(name))
		id := strings.TrimSuffix(base, path.Ext(base)) + "@" + digest(string(content))[:8]
		s.times[id] = times
		return id, nil
	})
}

// measure sets the keys that a point's file of compute times stands for.
func (s *Study) measure(p Point) error {
	times := s.times[p.Name(ComputeFile)]
	if times == nil {
		return nil
	}
	for _, key := range byTimes {
		*p.at(key) = Value{}
	}
	p.at(Compute).Number = stat.Mean(times.Seconds, nil)
	return nil
}

// timesOf returns the compute times of a point, nil if none were measured, and notes whether they
// are resampled.
func (s *Study) timesOf(p Point, x *finding) *rounds.Times {
	id := p.Name(ComputeFile)
	measured := s.times[id]
	if measured == nil {
		return nil
	}
	ranks, iterations := p.Int(Ranks), p.Int(Iterations)
	t := &rounds.Times{
		Ranks: measured.Ranks, Iterations: measured.Iterations, Seconds: measured.Seconds,
		Resampled: measured.Iterations < iterations,
	}
	if s.in.Choose { // few of many iterations are simulated
		t.Resampled = measured.Iterations != iterations
	}
	resampled := func(what string, simulated, measured int) {
		if measured < simulated || what == "iterations" && t.Resampled {
			x.note("%s: each of %d %s is one of the %d of %s, drawn at random",
				s.place(ComputeFile), simulated, what, measured, id)
		}
	}
	resampled("ranks", ranks, t.Ranks)
	resampled("iterations", iterations, t.Iterations)
	return t
}
