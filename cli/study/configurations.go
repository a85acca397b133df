package study

import (
	"fmt"
	"runtime"
	"sync"

	"jitterfly/collectives/alphabeta"
	"jitterfly/montecarlo"
)

// A Configuration is what a study keeps of one of its configurations. [Study.Point] and
// [Study.Config] derive the rest from the axes, so that millions take little memory.
type Configuration struct {
	Work    float64 // simulated messages of one trial
	Results int     // number of T
	// reported is how many completions as much memory holds as what is reported for each T.
	reported  float32
	Met       float32 // detours simulated in a trial, about, where they may take long
	at        uint32  // place in the product of the axes
	reference bool    // the plain collective there, to compare with
}

// Len returns the number of fields.
func (s *Study) Len() int {
	if s.ends != nil {
		return len(s.ends)
	}
	return len(s.Configurations)
}

// First returns the index of the first configuration of a field; of the number of fields that of
// all configurations.
func (s *Study) First(field int) int {
	switch {
	case s.ends == nil:
		return field
	case field == 0:
		return 0
	}
	return s.ends[field-1]
}

// Of returns the configurations of a field.
func (s *Study) Of(field int) []Configuration {
	return s.Configurations[s.First(field):s.First(field+1)]
}

// Field makes a field. It fails if its files cannot be read any more.
func (s *Study) Field(i int) (montecarlo.Field, error) {
	first, end := s.First(i), s.First(i+1)
	field := make(montecarlo.Field, end-first)
	for j := range field {
		var err error
		if field[j], err = s.Config(first + j); err != nil {
			return nil, err
		}
	}
	return field, nil
}

// Point returns the values of a configuration.
func (s *Study) Point(i int) Point {
	c := s.Configurations[i]
	p, _ := s.derive(int(c.at), nil, nil) // it was derived before
	if c.reference {
		p = p.plain()
	}
	p.identify()
	return p
}

// FieldPoints returns the values of the configurations of a field.
func (s *Study) FieldPoints(field int) []Point {
	var points []Point
	for i := s.First(field); i < s.First(field+1); i++ {
		points = append(points, s.Point(i))
	}
	return points
}

// Config makes a configuration. It fails if its files cannot be read any more.
func (s *Study) Config(i int) (montecarlo.Config, error) {
	p := s.Point(i)
	c, _, err := s.config(p, func(string) {})
	c.Environment = p.canonical(func(k *Key) bool { return k.Environment })
	if err != nil || !s.Configurations[i].reference {
		return c, err
	}
	c.Reference = true
	switch m := c.Model.(type) {
	case *alphabeta.Model:
		m.Problem.Redundancy.Max = 0
	case *alphabeta.Application:
		m.Collective.Problem.Redundancy.Max = 0
	}
	return c, nil
}

// derive returns the point at a place in the product of the axes, without its ID, with its values
// in a slice if that is not nil. It fails if the values do not fit together. It marks in effective,
// unless that is nil, the axes that have an effect there.
func (s *Study) derive(at int, values []Value, effective []bool) (Point, error) {
	p := s.axes.point(at, values)
	if err := s.measured(p, s.axes); err != nil {
		return p, err
	}
	if err := p.place(s.axes); err != nil {
		return p, err
	}
	s.measure(p)
	if err := p.iterate(s.axes); err != nil {
		return p, err
	}
	p.ignore(effective)
	return p, nil
}

// A stretch is what a study keeps of consecutive places in the product of its axes.
type stretch struct {
	configurations []Configuration
	numbers        []uint64 // of the configurations, as of [Point.number]
	effective      []bool   // by axis, whether it has an effect anywhere
	notes          []string
	memory         float64
	ranks          uint64
	err            error
}

// stretchLength is the number of places in a stretch.
const stretchLength = 1 << 12

// multiply adds the configurations in the order of columns, the last axis varying fastest,
// without those that differ only in keys that have no effect. It returns for each axis whether it
// has an effect on any, and fails with the first that is impossible.
func (s *Study) multiply() (effective []bool, err error) {
	n, seen := int(s.axes.size()), map[uint64]bool{}
	effective = make([]bool, len(Axes))
	stretches := make([]stretch, runtime.GOMAXPROCS(0))
	for from := 0; from < n; from += len(stretches) * stretchLength {
		var workers sync.WaitGroup
		for i := range stretches {
			first := min(n, from+i*stretchLength)
			workers.Go(func() { stretches[i] = s.stretch(first, min(n, first+stretchLength)) })
		}
		workers.Wait()
		for _, x := range stretches {
			for i, c := range x.configurations {
				if !seen[x.numbers[i]] {
					seen[x.numbers[i]] = true
					s.Configurations = append(s.Configurations, c)
				}
			}
			for i, has := range x.effective {
				effective[i] = effective[i] || has
			}
			for _, note := range x.notes {
				s.note(note)
			}
			s.Memory, s.Ranks = max(s.Memory, x.memory), max(s.Ranks, x.ranks)
			if x.err != nil {
				return nil, x.err
			}
		}
	}
	return effective, nil
}

// stretch derives the configurations of places in the product of the axes, up to the first that is
// impossible.
func (s *Study) stretch(from, to int) stretch {
	x := stretch{effective: make([]bool, len(Axes))}
	values, text := make([]Value, len(Axes)), []byte(nil)
	for at := from; at < to && x.err == nil; at++ {
		var p Point
		if p, x.err = s.derive(at, values, x.effective); x.err != nil {
			break
		}
		var number uint64
		number, text = p.number(text[:0])
		c := Configuration{at: uint32(at)}
		var fits bool
		if fits, x.err = s.add(&c, p, &x); fits {
			x.configurations, x.numbers = append(x.configurations, c), append(x.numbers, number)
		}
	}
	return x
}

// add sets what a study keeps of the configuration of a point. It fails if the collective cannot
// run there; a study of choices leaves such a configuration out.
func (s *Study) add(c *Configuration, p Point, x *stretch) (fits bool, err error) {
	a, note := s.axes, func(text string) { x.notes = append(x.notes, text) }
	config, met, err := s.config(p, note)
	if err != nil {
		return false, err
	}
	shape, err := config.Model.Shape()
	if err == nil && a.Choose && !a.Idempotent && shape.Idempotent {
		err = fmt.Errorf("at %d ranks it may count contributions twice, which needs --idempotent",
			p.Value("ranks").int())
	}
	switch {
	case err == nil:
		c.Work, c.Results = shape.Work, shape.Checkpoints[len(shape.Checkpoints)-1].T+1
		c.reported, c.Met = float32(p.reported()), float32(met)
		x.memory, x.ranks = max(x.memory, shape.Memory), max(x.ranks, p.Value("ranks").Whole)
		p.noteCut(a, note)
		return true, nil
	case a.Choose:
		p.leaveOut(a, err, note)
		return false, nil
	}
	return false, fmt.Errorf("%s: %s: %w", a.place("ranks"), p.Value("collective").Name, err)
}
