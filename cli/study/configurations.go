package study

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
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

// Field makes a field.
func (s *Study) Field(i int) montecarlo.Field {
	first, end := s.First(i), s.First(i+1)
	field := make(montecarlo.Field, end-first)
	for j := range field {
		field[j] = s.Config(first + j)
	}
	if s.in.Choose {
		s.order(field, first)
	}
	return field
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
	return slices.Collect(vector.Sequence(to-from, func(i int) Point { return s.Point(from + i) }))
}

// Config makes a configuration.
func (s *Study) Config(i int) montecarlo.Config {
	p, of, most := s.Point(i), &s.Configurations[i], collectives.AllExchanges
	if of.bare {
		most = 0
	}
	c, _ := s.Remedied(i, nil, most) // it was made before
	if !s.in.Choose {
		return c
	}
	c.Reference = of.reference != nil
	c.Plain = p.isPlain(s.in.Baseline)
	c.Algorithm, c.Single = p.algorithm(), p.Whole(Sources) == 1
	c.Native = p.isPlain("") && operation(p.Name(Collective)) == collectives.Allreduce
	if !of.bare && !p.OnTopology() {
		c.Upto = func(redundancy int) montecarlo.Model {
			few, _ := s.Remedied(i, nil, redundancy)
			return few.Model
		}
	}
	return c
}

// eligible fails if the point's collective, whose trials have that shape, cannot be chosen.
func (p Point) eligible(s *Study, shape *montecarlo.Shape) error {
	switch {
	case s.in.Choose && !s.in.Idempotent && shape.Idempotent:
		return fmt.Errorf("at %d ranks it may count contributions twice, which needs --idempotent",
			p.Int(Ranks))
	case s.in.Choose && !s.given(Collective) && p.Name(Collective) == leaders && p.Whole(RanksPerNode) == 1:
		return errors.New("with one rank on each node it is the butterfly")
	case s.in.Deployable && !p.Deploys(0):
		return errors.New("no MPI library has it")
	case s.in.Choose && p.OnTopology() && !s.given(Collective) && shape.Work > mostOfCandidate:
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
	p := s.point(at, values)
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
func (s *Study) derive(c *Configuration, values []Value, effective []atomic.Bool) (Point, error) {
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

// A finding is what a study keeps of a place in the product of its axes.
type finding struct {
	Configuration
	fits    bool   // else it is skipped or left out
	number  uint64 // of the configuration, as of [Study.number]
	notes   []string
	skipped error  // why it is impossible
	left    string // which it is of a study of choices that leaves it out, and why
	memory  float64
	ranks   uint64
	profile string // if its noise is a profile's
	job     job
	err     error // that ends the study
}

// note adds a note.
func (x *finding) note(format string, args ...any) {
	x.notes = append(x.notes, fmt.Sprintf(format, args...))
}

// together is how many places a processor derives before what it has found is kept.
const together = 1 << 12

// multiply adds the configurations in the order of columns, the last axis varying fastest, without
// configurations that differ only in keys that have no effect. It returns for each axis whether it
// has an effect on any. It fails with the first place at which values do not fit together, or in a
// strict study with the first configuration that is impossible.
func (s *Study) multiply() (effective []atomic.Bool, err error) {
	n, seen := int(s.size()), map[uint64]bool{}
	effective = make([]atomic.Bool, len(Axes))
	found := make([]finding, min(n, runtime.GOMAXPROCS(0)*together))
	for from := 0; from < n; from += len(found) {
		found = found[:min(len(found), n-from)]
		var workers sync.WaitGroup
		first := from
		for part := range slices.Chunk(found, together) {
			at := first
			first += len(part)
			workers.Go(func() { s.find(part, at, effective) })
		}
		workers.Wait()
		for i := range found {
			x := &found[i]
			if x.fits && !seen[x.number] {
				seen[x.number] = true
				s.Configurations = append(s.Configurations, x.Configuration)
			}
			if s.take(x); x.err != nil {
				return nil, x.err
			}
		}
	}
	return effective, nil
}

// take keeps what is found besides the configuration.
func (s *Study) take(x *finding) {
	for _, note := range x.notes {
		s.note(note)
	}
	if x.skipped != nil {
		s.skip(x.skipped)
	}
	if least, ok := s.jobs[x.profile]; x.profile != "" && (!ok || x.job.nodes < least.nodes) {
		s.jobs[x.profile] = x.job
	}
	s.Memory, s.Ranks = max(s.Memory, x.memory), max(s.Ranks, x.ranks)
	s.left = cmp.Or(s.left, x.left)
}

// number returns a number for a point at a place, the same for the same configuration; in a study
// of choices only if it belongs to the same deployment. The text that it is the digest of is after
// b.
func (s *Study) number(p Point, at int, b []byte) (uint64, []byte) {
	number, b := p.number(b)
	if s.in.Choose {
		sum := sha256.Sum256(append(b, s.asked(at).ID...))
		number = binary.BigEndian.Uint64(sum[:])
	}
	return number, b
}

// find derives the configurations of places in the product of the axes from a place on. It marks the axes
// that have an effect on any.
func (s *Study) find(found []finding, from int, effective []atomic.Bool) {
	values, text := make([]Value, len(Axes)), []byte(nil)
	for i := range found {
		x := &found[i]
		*x = finding{Configuration: Configuration{at: uint32(from + i)}}
		var p Point
		if p, x.err = s.derive(&x.Configuration, values, effective); x.err == nil {
			x.number, text = s.number(p, from+i, text[:0])
			s.add(p, x)
		}
	}
}

// add finds what a study keeps of the configuration of a point. If the collective cannot run there
// it is skipped, or in a strict study ends it; a study of choices leaves such a configuration
// out.
func (s *Study) add(p Point, x *finding) {
	m := s.profile(p)
	model, err := s.model(p, &m, collectives.AllExchanges, x)
	if err != nil && !errors.As(err, new(impossible)) {
		x.err = err
		return
	}
	var shape montecarlo.Shape
	if err == nil {
		shape, err = model.Shape()
	}
	if err == nil {
		err = p.eligible(s, &shape)
	}
	switch {
	case err == nil:
		x.fits = true
		x.Work, x.Results = shape.Work, shape.Checkpoints[len(shape.Checkpoints)-1].T+1
		x.bare = x.bare || s.in.Deployable && !p.Deploys(1)
		if x.bare {
			x.Results = 1
		}
		x.reported, x.memory, x.ranks = float32(p.reported()), shape.Memory, p.Whole(Ranks)
		if p.Name(OSKind) == kindProfile {
			x.profile, x.job = p.Name(NoiseProfile), job{p.Int(Ranks), p.Int(Nodes)}
		}
		p.noteCut(s, x)
		return
	case s.in.Choose:
		p.leaveOut(s, err, x)
		return
	}
	wrong := new(collectives.Invalid) // of its ranks, unless the error says what else
	errors.As(err, &wrong)
	err = s.wrong(faults[wrong.Parameter], "%s: %w", p.Name(Collective), err)
	if s.in.Strict {
		x.err = err
	} else {
		x.skipped = err
	}
}

// A skip is why n configurations of a study are impossible.
type skip struct {
	why error
	n   int
}

// maxSkipped is the largest number of reasons to skip configurations that are listed. The skip after them
// has all others.
const maxSkipped = 10

// skip counts a configuration that is impossible.
func (s *Study) skip(why error) {
	at := slices.IndexFunc(s.skipped, func(x skip) bool { return x.why.Error() == why.Error() })
	if at < 0 {
		if at = min(len(s.skipped), maxSkipped); at == len(s.skipped) {
			s.skipped = append(s.skipped, skip{why: why})
		}
	}
	s.skipped[at].n++
}

// noteSkipped notes how many configurations were skipped, and why. It fails with the first reason
// if all were.
func (s *Study) noteSkipped() error {
	all := 0
	for _, x := range s.skipped {
		all += x.n
	}
	switch {
	case all == 0:
		return nil
	case len(s.Configurations) == 0:
		return s.skipped[0].why
	}
	s.note(fmt.Sprintf("skipped %d of %d configurations, which are impossible; --strict refuses them",
		all, all+len(s.Configurations)))
	for i, x := range s.skipped {
		if i < maxSkipped {
			s.note(fmt.Sprintf("skipped %d: %s", x.n, x.why))
		} else {
			s.note(fmt.Sprintf("skipped %d for other reasons", x.n))
		}
	}
	return nil
}

// faults are the keys of the parameters of a collective.
var faults = map[collectives.Parameter]*Key{
	collectives.ParameterRanks: Ranks, collectives.ParameterSources: Sources,
	collectives.ParameterSegments: Segments, collectives.ParameterNodeRanks: RanksPerNode,
	collectives.ParameterMessages: Messages, collectives.ParameterSides: Topology,
	collectives.ParameterEngine: Engine, collectives.ParameterLeaders: Leaders,
	collectives.ParameterBytes: Bytes, collectives.ParameterControllers: Controllers,
	collectives.ParameterFlits: PacketFlits, collectives.ParameterChannels: PacketChannels,
	collectives.ParameterBuffer: PacketBuffer, collectives.ParameterHop: PacketHop,
	collectives.ParameterCredit: PacketCredit,
}
