package study

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives/rounds"
	"jitterfly/datasets"
)

// byTimes are the keys that such a file stands for.
var byTimes = []*Key{Compute, Imbalance, ImbalancePersistent}

// readTimes reads the files of compute times, and replaces their names by name@digest. It fails
// if a file cannot be read, or if what it stands for is given too.
func (s *Study) readTimes() error {
	a := s.axes
	s.times = map[string]*datasets.Times{}
	values := a.values[ComputeFile]
	if i := slices.IndexFunc(byTimes, a.given); i >= 0 && len(values) == 1 && values[0].Name != none {
		return fmt.Errorf("%s: it is what the file %s says; leave one of them out",
			a.place(byTimes[i]), values[0].Name)
	}
	return a.rename(ComputeFile, func(name string) (string, error) {
		content, err := a.content(name)
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
func (s *Study) timesOf(p Point, note func(string)) *rounds.Times {
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
	if s.axes.Choose { // few of many iterations are simulated
		t.Resampled = measured.Iterations != iterations
	}
	resampled := func(what string, simulated, measured int) {
		if measured < simulated || what == "iterations" && t.Resampled {
			note(fmt.Sprintf("%s: each of %d %s is one of the %d of %s, drawn at random",
				s.axes.place(ComputeFile), simulated, what, measured, id))
		}
	}
	resampled("ranks", ranks, t.Ranks)
	resampled("iterations", iterations, t.Iterations)
	return t
}
