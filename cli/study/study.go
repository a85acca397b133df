package study

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/collectives"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A Study is read, checked and multiplied out.
type Study struct {
	montecarlo.Study
	// Configs are the product of the axes, each in Fields by itself, and
	// Points the axes of each.
	Configs []montecarlo.Config
	Points  []Point
	// Work is the rank-rounds of one trial of each, Results how many T it
	// has.
	Work    []float64
	Results []int
	// Values are the canonical texts of every key's values, by path; Hash
	// is a digest of them. The same study has the same, however it was
	// written.
	Values map[string][]string
	Hash   string
	// Notes are what the user may not expect, a line each.
	Notes []string
}

// A Point is one configuration as values of the keys with a column, in the
// order of [Axes]. Values that play no part, such as the period of no jitter,
// are zero.
type Point struct {
	ID     string // digest of the values
	Values []Value
}

// Axes are the keys with a column of their own, in the order of columns.
var Axes = func() []Key {
	return slices.DeleteFunc(slices.Clone(Keys), func(k Key) bool { return k.Column == "" })
}()

// Value returns the value of the key at a path, which must be an axis.
func (p Point) Value(path string) Value { return *p.at(path) }

func (p Point) at(path string) *Value {
	return &p.Values[slices.IndexFunc(Axes, func(k Key) bool { return k.Path == path })]
}

// BytesPerConfig is about what a configuration takes in memory before it is
// played.
const BytesPerConfig = 2048

// Read gathers, checks and multiplies out a study of which at most maxConfigs
// configurations fit in memory. Its errors are the user's, and name a place.
func Read(in Input, maxConfigs float64) (*Study, error) {
	texts, err := in.load()
	if err != nil {
		return nil, err
	}
	axes, err := parseAll(texts)
	if err != nil {
		return nil, err
	}
	s := &Study{Values: axes.canonical()}
	s.Hash = hash(s.Values)
	if n := axes.size(); n > maxConfigs {
		return nil, fmt.Errorf("the axes multiply to %.4g configurations, and memory holds about %.2g; split the study", n, maxConfigs)
	}
	if err := s.settings(axes); err != nil {
		return nil, err
	}
	if err := s.multiply(axes); err != nil {
		return nil, err
	}
	if err := s.bound(axes); err != nil {
		return nil, err
	}
	if in.Choose {
		return s, s.choices(axes)
	}
	for i := range s.Configs {
		s.Fields = append(s.Fields, s.Configs[i:i+1])
	}
	return s, nil
}

// bound checks that the bound of T, if there is one, is of use.
func (s *Study) bound(a *axes) error {
	value := a.only("redundancy.max")
	if value.Name == all || len(s.Results) == 0 {
		return nil
	}
	most, fewer := slices.Max(s.Results)-1, 0
	for _, results := range s.Results {
		if results-1 < value.int() {
			fewer++
		}
	}
	switch {
	case most < value.int():
		return fmt.Errorf("%s: %d is more than the %d redundant exchanges that any of the collectives can use; write all", a.place("redundancy.max"), value.Whole, most)
	case fewer > 0:
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %d of %d configurations can use fewer than %d redundant exchanges, and have those",
			a.place("redundancy.max"), fewer, len(s.Results), value.Whole))
	}
	return nil
}

// axes are the parsed values of every key, and which keys follow another.
type axes struct {
	lists
	values  map[string][]Value
	follows map[string]string
}

func parseAll(l lists) (*axes, error) {
	a := &axes{lists: l, values: map[string][]Value{}, follows: map[string]string{}}
	for _, k := range Keys {
		texts := l.values[k.Path]
		if len(texts) == 1 && strings.HasPrefix(texts[0], "=") {
			a.follows[k.Path] = strings.TrimSpace(texts[0][1:])
			continue
		}
		for _, text := range texts {
			values, err := k.parse(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.place(k.Path), err)
			}
			a.values[k.Path] = append(a.values[k.Path], values...)
		}
		if k.Column == "" && len(a.values[k.Path]) > 1 {
			return nil, fmt.Errorf("%s: takes one value, as it is not an axis", l.place(k.Path))
		}
	}
	for _, k := range Keys {
		if _, ok := a.follows[k.Path]; ok {
			if err := a.resolve(k); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// resolve checks that a reference leads, through others, to a key whose values
// read the same way and are good for this key too, and makes it lead there
// directly.
func (a *axes) resolve(from Key) error {
	target := from.Path
	for range Keys {
		next, ok := a.follows[target]
		if !ok {
			break
		}
		if _, ok := Find(next); !ok {
			return fmt.Errorf("%s: =%s refers to an unknown key; did you mean =%s?", a.place(target), next, nearest(next))
		}
		target = next
	}
	to, _ := Find(target)
	switch {
	case a.follows[target] != "":
		return fmt.Errorf("%s: the reference leads back to itself", a.place(from.Path))
	case from.Dimension != to.Dimension || from.Whole != to.Whole || (from.Names != nil) != (to.Names != nil):
		return fmt.Errorf("%s: %s is not the same kind of value", a.place(from.Path), to.Path)
	case from.Column != "" && to.Column == "" || from.Column == "" && to.Column != "":
		return fmt.Errorf("%s: an axis can follow an axis only, and what is none cannot, unlike %s", a.place(from.Path), to.Path)
	}
	for _, v := range a.values[target] {
		if err := from.admit(v, to.Text(v)); err != nil {
			return fmt.Errorf("%s: =%s: %w", a.place(from.Path), target, err)
		}
	}
	a.follows[from.Path] = target
	return nil
}

func (a *axes) canonical() map[string][]string {
	texts := map[string][]string{}
	for _, k := range Keys {
		if target, ok := a.follows[k.Path]; ok {
			texts[k.Path] = []string{"=" + target}
		}
		for _, v := range a.values[k.Path] {
			texts[k.Path] = append(texts[k.Path], v.canonical())
		}
	}
	return texts
}

func hash(values map[string][]string) string {
	var text strings.Builder
	for _, k := range Keys {
		fmt.Fprintf(&text, "%s=%s\n", k.Path, strings.Join(values[k.Path], ","))
	}
	return digest(text.String())
}

// digest is the first 16 hexadecimal digits of a text's SHA-256.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// size is the length of the product.
func (a *axes) size() float64 {
	n := 1.0
	for _, k := range Axes {
		if a.follows[k.Path] == "" {
			n *= float64(len(a.values[k.Path]))
		}
	}
	return n
}

// only returns the value of a key that is not an axis.
func (a *axes) only(path string) Value {
	if target, ok := a.follows[path]; ok {
		path = target
	}
	return a.values[path][0]
}

// settings reads what holds for all configurations.
func (s *Study) settings(a *axes) error {
	s.Seed = a.only("seed").Whole
	s.Tolerance = a.only("choose.tolerance").Number
	s.Trials = montecarlo.Trials{
		Min:        min(a.only("trials.min").int(), math.MaxInt32),
		Max:        min(a.only("trials.max").int(), math.MaxInt32),
		Precision:  a.only("trials.precision").Number,
		Confidence: a.only("trials.confidence").Number,
		Effort:     a.only("trials.effort").Number,
	}
	if a.only("trials.until").Name == choice {
		s.Trials.Until = montecarlo.UntilSure
	}
	var err error
	if s.Objective, err = montecarlo.FindObjective(a.only("choose.objective").Name); err != nil {
		return fmt.Errorf("%s: %w", a.place("choose.objective"), err)
	}
	if s.Trials.Max < s.Trials.Min {
		return fmt.Errorf("%s: %d is below trials.min, %d", a.place("trials.max"), s.Trials.Max, s.Trials.Min)
	}
	return nil
}

// multiply makes the configurations, in the order of columns with the last
// axis varying fastest, and leaves out those that differ only in what plays no
// part.
func (s *Study) multiply(a *axes) error {
	seen := map[string]bool{}
	digits := make([]int, len(Axes))
	for {
		p := a.point(digits)
		p.ignore()
		p.identify()
		if !seen[p.ID] {
			seen[p.ID] = true
			if err := s.add(p, a); err != nil {
				return err
			}
		}
		if !a.advance(digits) {
			return nil
		}
	}
}

// add makes the configuration of a point. A study of choices goes on without
// what cannot be chosen.
func (s *Study) add(p Point, a *axes) error {
	config, err := s.config(p, a)
	if err != nil {
		return err
	}
	schedule, err := config.Algorithm.Schedule(config.Problem)
	if err == nil && a.Choose && schedule.Idempotent && !a.Idempotent {
		err = fmt.Errorf("at %d ranks it may count contributions twice, which needs --idempotent", config.Problem.Ranks)
	}
	switch {
	case err == nil:
		s.Points = append(s.Points, p)
		s.Configs = append(s.Configs, config)
		s.Work = append(s.Work, schedule.Work())
		s.Results = append(s.Results, len(schedule.Results))
	case a.Choose:
		s.leaveOut(p, a, err)
	default:
		return fmt.Errorf("%s: %s: %w", a.place("ranks"), config.Algorithm.Name, err)
	}
	return nil
}

// point picks the values at the digits, one for each axis.
func (a *axes) point(digits []int) Point {
	p := Point{Values: make([]Value, len(Axes))}
	for i, k := range Axes {
		path, at := k.Path, digits[i]
		if target, ok := a.follows[path]; ok {
			path = target
			at = digits[slices.IndexFunc(Axes, func(k Key) bool { return k.Path == target })]
		}
		p.Values[i] = a.values[path][at]
	}
	return p
}

// advance counts up, and says whether there is a next.
func (a *axes) advance(digits []int) bool {
	for i := len(digits) - 1; i >= 0; i-- {
		if a.follows[Axes[i].Path] != "" {
			continue
		}
		digits[i]++
		if digits[i] < len(a.values[Axes[i].Path]) {
			return true
		}
		digits[i] = 0
	}
	return false
}

// ignore sets what plays no part in the configuration to zero: the parameters of
// noise that there is none of, and of nodes where every rank is alone. Only the
// ring has segments.
func (p Point) ignore() {
	for _, noise := range []string{"noise.os", "noise.network"} {
		if p.Value(noise+".kind").Name == none {
			p.clear(noise)
		}
	}
	if p.Value("ranks_per_node").int() == 1 {
		p.clear("node")
		if scope := p.at("noise.os.scope"); scope.Name == node {
			scope.Name = rank
		}
	}
	if p.Value("collective").Name != ring {
		*p.at("segments") = Value{Whole: 1, Number: 1}
	}
}

// clear sets the values of a group to zero, its names to none.
func (p Point) clear(group string) {
	for i, k := range Axes {
		if strings.HasPrefix(k.Path, group+".") {
			p.Values[i] = Value{}
			if k.Names != nil {
				p.Values[i].Name = none
			}
		}
	}
}

// identify gives the point the digest of its values.
func (p *Point) identify() { p.ID = digest(p.canonical(func(Key) bool { return true })) }

// canonical is a text of the values of the keys for which pick holds.
func (p Point) canonical(pick func(Key) bool) string {
	var b strings.Builder
	for i, k := range Axes {
		if pick(k) {
			b.WriteString(k.Column + "=" + p.Values[i].canonical() + " ")
		}
	}
	return b.String()
}

// config builds what the point describes, and checks what its values mean
// together.
func (s *Study) config(p Point, a *axes) (montecarlo.Config, error) {
	number := func(path string) float64 { return p.Value(path).Number }
	is := func(path, name string) bool { return p.Value(path).Name == name }

	algorithm, err := collectives.Find(p.Value("collective").Name)
	if err != nil {
		return montecarlo.Config{}, fmt.Errorf("%s: %w", a.place("collective"), err)
	}
	c := montecarlo.Config{
		Algorithm:   algorithm,
		OS:          noise.None{},
		Network:     noise.None{},
		Environment: p.canonical(func(k Key) bool { return k.Noise }),
	}
	if c.Problem, err = problem(p, a); err != nil {
		return c, err
	}
	if is("noise.os.kind", periodic) {
		os := noise.Periodic{Period: number("noise.os.period"), Duration: number("noise.os.duration")}
		if is("noise.os.launch", stationary) {
			os.Launch = noise.Stationary
		}
		if is("noise.os.scope", node) {
			os.Shared = c.Problem.Node.Ranks
		}
		if os.Duration >= os.Period {
			return c, fmt.Errorf("%s: %s is not below the period, %s: the ranks would never compute",
				a.place("noise.os.duration"), text(p, "noise.os.duration"), text(p, "noise.os.period"))
		}
		c.OS = os
	}
	if is("noise.network.kind", poisson) {
		network := noise.Poisson{Interval: number("noise.network.interval"), Duration: number("noise.network.duration")}
		if events := c.Problem.Wire(c.Problem.Bytes) / network.Interval; events > maxEvents {
			return c, fmt.Errorf("%s: at %s between events a message meets %.3g, and more than %.0g are not drawn",
				a.place("noise.network.interval"), text(p, "noise.network.interval"), events, maxEvents)
		}
		c.Network = network
	}
	return c, nil
}

// problem is the part of config that is not noise.
func problem(p Point, a *axes) (collectives.Problem, error) {
	number := func(path string) float64 { return p.Value(path).Number }
	whole := func(path string) int { return p.Value(path).int() }

	c := collectives.Problem{
		Ranks:           whole("ranks"),
		Bytes:           number("bytes"),
		Latency:         number("network.latency"),
		Bandwidth:       number("network.bandwidth"),
		MemoryBandwidth: number("memory.bandwidth"),
		Node: collectives.Node{
			Ranks:     whole("ranks_per_node"),
			Latency:   number("node.latency"),
			Bandwidth: number("node.bandwidth"),
		},
		Redundancy: collectives.Redundancy{
			Max:          collectives.AllExchanges,
			Sources:      whole("redundancy.sources"),
			SendOverhead: number("redundancy.send_overhead"),
		},
		Segments: whole("segments"),
	}
	if most := a.only("redundancy.max"); most.Name != all {
		c.Redundancy.Max = most.int()
	}
	if p.Value("redundancy.reception").Name == cpu {
		c.Redundancy.Reception = collectives.CPU
	}
	if c.Wire(c.Bytes) == 0 {
		return c, fmt.Errorf("%s: with 0 s of latency and 0 bytes messages take no time", a.place("network.latency"))
	}
	if c.Node.Ranks > 1 && c.Node.Wire(c.Bytes) == 0 {
		return c, fmt.Errorf("%s: with 0 s of latency and 0 bytes messages inside a node take no time", a.place("node.latency"))
	}
	for _, path := range []string{"ranks", "ranks_per_node"} {
		if n := p.Value(path).Whole; n > maxRanks {
			return c, fmt.Errorf("%s: %d is more than the 2^40 ranks that can be counted", a.place(path), n)
		}
	}
	return c, nil
}

// maxRanks is far beyond any memory, maxEvents beyond any message.
const (
	maxRanks  = 1 << 40
	maxEvents = 1e9
)

func text(p Point, path string) string {
	k, _ := Find(path)
	return k.Text(p.Value(path))
}

// Varying are the axes on which the study's points differ, without those that
// follow another.
func (s *Study) Varying() []Key {
	var keys []Key
	for i, k := range Axes {
		if strings.HasPrefix(s.Values[k.Path][0], "=") {
			continue
		}
		differs := func(p Point) bool { return p.Values[i] != s.Points[0].Values[i] }
		if slices.ContainsFunc(s.Points, differs) {
			keys = append(keys, k)
		}
	}
	return keys
}

// Lines describes the point's values of the keys, a line each.
func (p Point) Lines(keys []Key) string {
	var lines []string
	for _, k := range keys {
		lines = append(lines, k.Flag+" "+k.Text(p.Value(k.Path)))
	}
	return strings.Join(lines, "\n")
}

// Others is a text of the point's values of all keys but those that are chosen
// and those at the paths.
func (p Point) Others(paths ...string) string {
	return p.canonical(func(k Key) bool { return !Chosen(k) && !slices.Contains(paths, k.Path) })
}
