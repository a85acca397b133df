package montecarlo

import "slices"

// A nomination chooses among candidates of which any may be the best.
//
// At each look the first candidate within the tolerance of the best, as far as is known, is
// nominated, and the first within half of it. A nominee's evidence is of the trials after its
// nomination, which know nothing of why it was nominated. It has to hold against each rival;
// and that the m-th nominee is good is only held true at the share 1/(m(m+1)) of the risk, so
// that all nominees together err no more often than is allowed.
//
// A rival that is shown to be worse than a nominee is not the best, and is not compared with further
// nominees. That takes no more of the risk. It is an error only if the rival is the best; then bets
// that it is worse than the nominee earn in no trial more than bets that the nominee is good. So a
// nominee that is not good makes both errors only with what already is one, and a nominee that is
// good can only make the first.
type nomination struct {
	nominees []*nominee
	refused  []bool    // places that are too large by more than half of the tolerance
	rivals   []int     // places that a nominee has to be compared with
	best     []float64 // the least probability so far that each rival may be the best
	leaders  []leader  // for objectives that are sequential
}

// A leader is what candidates with fewer messages are compared with, in the trials after a look and
// up to the next leader.
//
// Of many candidates the one that seems best in some trials does so partly by chance. In these it
// exceeds one that is as good more often than is allowed; of further trials its choice knows
// nothing. What is not too large is so against no leader, so that bets against one after the other
// are not expected to gain either.
type leader struct{ place, from int }

type nominee struct {
	place, from int
	share       float64   // of the risk
	probability []float64 // the least so far, of being wrong about each rival
}

// newNomination returns a nomination among candidates. Of a collective whose completion falls
// with T in every trial only the largest T is a rival.
func newNomination(places []place, jobs []*job) *nomination {
	n := &nomination{refused: make([]bool, len(places))}
	last := make([]int, len(jobs))
	for i, x := range places {
		last[x.Config] = i
	}
	for i, x := range places {
		if !jobs[x.Config].shape.Monotone || last[x.Config] == i {
			n.rivals = append(n.rivals, i)
		}
	}
	n.best = slices.Repeat([]float64{1}, len(n.rivals))
	return n
}

// current returns the candidates to nominate at a look.
func (n *nomination) current(l *look) []int {
	return slices.Compact([]int{l.within(l.tolerance), l.within(l.tolerance / 2)})
}

// find returns the nominee of a place, nil if it is none.
func (n *nomination) find(place int) *nominee {
	for _, nominee := range n.nominees {
		if nominee.place == place {
			return nominee
		}
	}
	return nil
}

func (n *nomination) lagging(l *look) []*job {
	needed := map[*job]bool{}
	for _, place := range n.current(l) {
		nominee := n.find(place)
		needed[l.job(place)] = true
		for r, rival := range n.rivals {
			settled := nominee != nil && nominee.probability[r] <= l.allowed || n.best[r] <= l.allowed
			if !settled && l.job(rival).lowest() < l.values[place] {
				needed[l.job(rival)] = true
			}
		}
	}
	for place := range n.star(l) {
		if !n.refused[place] && l.job(place).lowest() <= (1+l.tolerance/2)*l.values[l.best] {
			needed[l.job(place)] = true
		}
	}
	if last := len(n.leaders) - 1; last >= 0 {
		needed[l.job(n.leaders[last].place)] = true
	}
	return l.behind(func(j *job) bool { return needed[j] })
}

// star returns the first nominee that is good; if none is, the one that is nearest to it, or
// the first candidate that is good as far as is known.
func (n *nomination) star(l *look) int {
	star, least := l.within(l.tolerance), 1.0
	good := len(l.places)
	for _, nominee := range n.nominees {
		p := slices.Max(nominee.probability)
		if p <= l.allowed {
			good = min(good, nominee.place)
		}
		if p < least {
			star, least = nominee.place, p
		}
	}
	if good < len(l.places) {
		return good
	}
	return star
}

func (n *nomination) judge(l *look) claim {
	for _, place := range n.current(l) {
		if n.find(place) == nil {
			nominee := &nominee{place: place, share: 1,
				probability: slices.Repeat([]float64{1}, len(n.rivals))}
			n.nominees = append(n.nominees, nominee)
			if m := len(n.nominees); l.objective.sequential {
				nominee.from, nominee.share = l.trials, 1/float64(m*(m+1))
			}
		}
	}
	n.compare(l)
	c := claim{star: n.star(l)}
	for place := range c.star { // one that is not refused keeps no later one from being refused
		n.refused[place] = n.refused[place] || n.tooLarge(l, place).holds()
	}
	c.low = slices.Index(append(n.refused[:c.star:c.star], false), false)
	if last := len(n.leaders) - 1; last < 0 || n.leaders[last].place != l.leader() {
		n.leaders = append(n.leaders, leader{l.leader(), l.trials})
	}
	nominee := n.find(c.star)
	c.from = nominee.from
	for r := range n.rivals {
		s := n.good(l, nominee, r)
		s.evidence = atMost{s.evidence, nominee.probability[r] / s.factor}
		s.notBest = n.best[r] <= l.allowed
		c.statements = append(c.statements, s)
	}
	return c
}

// compare compares the nominees with the rivals that are not known to be worse.
func (n *nomination) compare(l *look) {
	for _, nominee := range n.nominees {
		for r, rival := range n.rivals {
			worse := l.values[rival] > (1+l.tolerance)*l.values[nominee.place]
			if n.best[r] > l.allowed && worse && l.objective.sequential {
				s := n.against(l, nominee, r, 1)
				n.best[r] = min(n.best[r], s.probability(1))
			}
		}
	}
	for _, nominee := range n.nominees {
		for r := range n.rivals {
			switch p := nominee.probability[r]; {
			case p <= l.allowed:
			case n.best[r] <= l.allowed:
				nominee.probability[r] = n.best[r]
			default:
				s := n.good(l, nominee, r)
				nominee.probability[r] = min(p, s.probability(1))
			}
		}
	}
}

// open returns the questions whether the choice is good, and whether smaller candidates may be.
func (n *nomination) open(l *look, c *claim) []question {
	var open []question
	if c.risk() > l.allowed {
		open = append(open, question{n.hardest(l, n.find(c.star))})
	}
	for place := c.low; place < c.star; place++ {
		if n.refused[place] {
			continue
		}
		q := question{n.tooLarge(l, place)}
		if nominee := n.find(place); nominee != nil {
			q = append(q, n.hardest(l, nominee))
		}
		open = append(open, q)
	}
	return open
}

// hardest returns the statement on a nominee that is least certain.
func (n *nomination) hardest(l *look, nominee *nominee) statement {
	r := 0
	for i, p := range nominee.probability {
		if p > nominee.probability[r] {
			r = i
		}
	}
	return n.good(l, nominee, r)
}

// good returns the statement that a nominee exceeds the r-th rival by at most the tolerance.
func (n *nomination) good(l *look, nominee *nominee, r int) statement {
	return n.against(l, nominee, r, 1+l.tolerance)
}

// against returns the statement that a nominee is at most a times the r-th rival.
func (n *nomination) against(l *look, nominee *nominee, r int, a float64) statement {
	rival := n.rivals[r]
	s := statement{
		factor:  1 / (l.objective.share(l.number) * nominee.share),
		allowed: l.allowed, other: rival,
	}
	if rival == nominee.place {
		s.evidence = certain{}
		return s
	}
	s.evidence = l.notWorse(nominee.place, rival, nominee.from, a,
		outsideShare*l.allowed/s.factor)
	return s
}

// tooLarge returns the statement that a candidate is not as good as another.
func (n *nomination) tooLarge(l *look, place int) statement {
	s := statement{factor: 1 / l.objective.share(l.number), allowed: l.allowed, other: l.leader()}
	from, others := 0, l.columns[s.other][:l.have[s.other]]
	if l.objective.sequential {
		from, others = n.leading(l)
	}
	s.evidence = l.tooLarge(place, from, others, l.hit, outsideShare*l.allowed/s.factor)
	return s
}

// leading returns the leaders' completions [s], each in its trials, and the first of these.
func (n *nomination) leading(l *look) (from int, column []float64) {
	if len(n.leaders) == 0 {
		return 0, nil
	}
	for i, x := range n.leaders {
		to := l.trials
		if i+1 < len(n.leaders) {
			to = n.leaders[i+1].from
		}
		column = append(column, l.columns[x.place][x.from:to]...)
	}
	return n.leaders[0].from, column
}
