package study

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
)

// A Configuration is what a study keeps of one of its configurations. [Study.Point] and
// [Study.Config] derive the rest from the axes, so that millions take little memory.
type Configuration struct {
	Work    float64 // simulated messages of one trial
	Results int     // number of T
	// reported is how many completions as much memory holds as what is reported for each T.
	reported float32
	Met      float32 // detours simulated in a trial, about, where they may take long
	at       uint32  // place in the product of the axes
	bare     bool    // without redundant exchanges
	// reference is the name of a collective that is simulated from one source instead of the
	// point's, to compare candidates with; nil for candidates.
	reference *string
}

// Len returns the number of fields.
func (s *Study) Len() int {
	if s.ends != nil {
		return len(s.ends)
	}
	return len(s.Configurations)
}

// First returns the index of the first configuration of a field; given the number of fields, it
// returns the number of configurations.
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
	if s.axes.Choose {
		s.order(field, first)
	}
	return field, nil
}

// Point returns the values of a configuration.
func (s *Study) Point(i int) Point {
	p, _ := s.derive(&s.Configurations[i], nil, nil) // it was derived before
	p.ID = digest(p.canonical(p.names))
	return p
}

// FieldPoints returns the values of the configurations of a field.
func (s *Study) FieldPoints(field int) []Point { return s.points(s.First(field), s.First(field+1)) }

// points returns the values of the configurations from one index up to another.
func (s *Study) points(from, to int) []Point {
	points := make([]Point, to-from)
	for i := range points {
		points[i] = s.Point(from + i)
	}
	return points
}

// Config makes a configuration. It fails if its files cannot be read any more.
func (s *Study) Config(i int) (montecarlo.Config, error) {
	p, of := s.Point(i), &s.Configurations[i]
	m := s.profile(p)
	c, _, err := s.config(p, &m, func(string) {})
	if err != nil {
		return c, err
	}
	c.Environment = p.environment()
	if s.axes.Choose {
		c.Reference = of.reference != nil
		c.Plain = p.isPlain(s.axes.Baseline)
		c.Algorithm, c.Single = p.algorithm(), p.Whole(Sources) == 1
		c.Native = p.isPlain("") && operation(p.Name(Collective)) == collectives.Allreduce
	}
	switch {
	case of.bare:
		c.Model.(rounds.Limited).Limit(0)
	case s.axes.Choose && !p.OnTopology():
		c.Upto = func(redundancy int) montecarlo.Model {
			few, _, _ := s.config(p, &m, func(string) {}) // it was made before
			few.Model.(rounds.Limited).Limit(redundancy)
			return few.Model
		}
	}
	return c, nil
}

// eligible fails if the point's collective, whose trials have that shape, cannot be chosen.
func (p Point) eligible(a *axes, shape *montecarlo.Shape) error {
	switch {
	case a.Choose && !a.Idempotent && shape.Idempotent:
		return fmt.Errorf("at %d ranks it may count contributions twice, which needs --idempotent",
			p.Int(Ranks))
	case a.Choose && !a.given(Collective) && p.Name(Collective) == leaders && p.Whole(RanksPerNode) == 1:
		return errors.New("with one rank on each node it is the butterfly")
	case a.Deployable && !p.Deploys(0):
		return errors.New("no MPI library has it")
	case a.Choose && p.OnTopology() && !a.given(Collective) && shape.Work > mostOfCandidate:
		return fmt.Errorf("%w of %d ranks: %.2g messages a trial; name it with --collective to compare it anyway",
			errCostly, p.Int(Ranks), shape.Checkpoints[0].Messages)
	}
	return nil
}

// mostOfCandidate is the work of a trial, about 20 s, beyond which a candidate on a network is left
// out.
const mostOfCandidate = 2e9

// errCostly is the error of a candidate that takes too long.
var errCostly = errors.New("takes long on a network")

// raw returns the point at a place in the product of the axes, without its ID and before keys that
// have no effect are ignored, with its values in a slice if that is not nil. It fails if the values
// do not fit together.
func (s *Study) raw(at int, values []Value) (Point, error) {
	p := s.axes.point(at, values)
	for _, step := range pointSteps {
		if err := step(s, p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// derive returns the point of a configuration, without its ID, with its values in a slice if that
// is not nil. It fails if the values do not fit together. It marks in effective, unless that is
// nil, the axes that have an effect there.
func (s *Study) derive(c *Configuration, values []Value, effective []bool) (Point, error) {
	p, err := s.raw(int(c.at), values)
	if err != nil {
		return p, err
	}
	if c.reference != nil {
		*p.at(Collective) = Value{Name: *c.reference}
		*p.at(Sources) = Value{Whole: 1, Number: 1}
	}
	p.ignore(effective)
	return p, nil
}

// A stretch is what a study keeps of consecutive places in the product of its axes.
type stretch struct {
	configurations []Configuration
	numbers        []uint64 // of the configurations, as of [Study.number]
	effective      []bool   // by axis, whether it has an effect anywhere
	notes          []string
	skipped        []error // of impossible configurations
	left           string  // which was left out first of a study of choices, and why
	memory         float64
	ranks          uint64
	jobs           jobs
	err            error
}

const stretchLength = 1 << 12

// multiply adds the configurations in the order of columns, the last axis varying fastest, without
// configurations that differ only in keys that have no effect. It returns for each axis whether it
// has an effect on any. It fails with the first place at which values do not fit together, or in a
// strict study with the first configuration that is impossible.
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
			s.take(&x)
			if x.err != nil {
				return nil, x.err
			}
		}
	}
	return effective, nil
}

func (s *Study) take(x *stretch) {
	for _, note := range x.notes {
		s.note(note)
	}
	for _, err := range x.skipped {
		s.skipped.add(err)
	}
	for id, of := range x.jobs {
		s.jobs.keep(id, of)
	}
	s.Memory, s.Ranks = max(s.Memory, x.memory), max(s.Ranks, x.ranks)
	if s.left == "" {
		s.left = x.left
	}
}

// number returns a number for a point at a place, the same for the same configuration; in a study
// of choices only if it belongs to the same deployment. The text that it is the digest of is after
// b.
func (s *Study) number(p Point, at int, b []byte) (uint64, []byte) {
	number, b := p.number(b)
	if s.axes.Choose {
		sum := sha256.Sum256(append(b, s.asked(at).ID...))
		number = binary.BigEndian.Uint64(sum[:])
	}
	return number, b
}

// stretch derives the configurations of places in the product of the axes, up to the first at which
// values do not fit together.
func (s *Study) stretch(from, to int) stretch {
	x := stretch{effective: make([]bool, len(Axes)), jobs: jobs{}}
	values, text := make([]Value, len(Axes)), []byte(nil)
	for at := from; at < to && x.err == nil; at++ {
		c := Configuration{at: uint32(at)}
		var p Point
		if p, x.err = s.derive(&c, values, x.effective); x.err != nil {
			break
		}
		var number uint64
		number, text = s.number(p, at, text[:0])
		var fits bool
		if fits, x.err = s.add(&c, p, &x); fits {
			x.configurations, x.numbers = append(x.configurations, c), append(x.numbers, number)
		}
	}
	return x
}

// add sets what a study keeps of the configuration of a point. If the collective cannot run there
// it is skipped, or in a strict study add fails; a study of choices leaves such a configuration
// out.
func (s *Study) add(c *Configuration, p Point, x *stretch) (fits bool, err error) {
	a, note := s.axes, func(text string) { x.notes = append(x.notes, text) }
	m := s.profile(p)
	config, met, err := s.config(p, &m, note)
	if err != nil && !errors.As(err, new(impossible)) {
		return false, err
	}
	var shape montecarlo.Shape
	if err == nil {
		shape, err = config.Model.Shape()
	}
	if err == nil {
		err = p.eligible(a, &shape)
	}
	switch {
	case err == nil:
		c.Work, c.Results = shape.Work, shape.Checkpoints[len(shape.Checkpoints)-1].T+1
		c.bare = c.bare || a.Deployable && !p.Deploys(1)
		if c.bare {
			c.Results = 1
		}
		c.reported, c.Met = float32(p.reported()), float32(met)
		x.memory, x.ranks = max(x.memory, shape.Memory), max(x.ranks, p.Whole(Ranks))
		x.jobs.add(p)
		p.noteCut(a, note)
		return true, nil
	case a.Choose:
		p.leaveOut(a, err, x)
		return false, nil
	}
	err = fmt.Errorf("%s: %s: %w", a.place(fault(err)), p.Name(Collective), err)
	if a.Strict {
		return false, err
	}
	x.skipped = append(x.skipped, err)
	return false, nil
}
