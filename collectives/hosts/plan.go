package hosts

import "jitterfly/collectives"

// A Plan is a schedule as a list of exchanges, in each of which a rank sends at most one message and
// receives at most one. Its ranks are those of the program.
type Plan struct {
	Exchanges []Exchange
	ranks     int
	rounds    []round
	// place is the rank of the program that a rank of the schedule is, and rank its inverse; both
	// are nil if they are the same.
	place, rank []int32
	direct      bool
	unsent      int
}

// An Exchange is the messages from one source of a round.
type Exchange struct {
	Round     int
	Bytes     float64 // of each message
	peers     collectives.Peers
	receivers collectives.Span
}

// A round is what ranks do after an exchange, or without any.
type round struct {
	receivers collectives.Span
	exchange  int // the first
	sources   int
	combine   float64 // work on what was received [s]
	lag       int     // rounds before it that a message need not wait for
}

// NoRank is the partner of a rank that does not send, or does not receive, in an exchange.
const NoRank = -1

// newPlan returns the plan of a schedule.
func newPlan(s *collectives.Schedule) Plan {
	p := Plan{ranks: s.Ranks, direct: s.Direct, unsent: s.Unsent}
	for i, r := range s.Rounds {
		p.rounds = append(p.rounds, round{r.Receivers, len(p.Exchanges), len(r.Sources), r.Combine, r.Lag})
		for _, source := range r.Sources {
			p.Exchanges = append(p.Exchanges, Exchange{i, r.Bytes, source.Peers, r.Receivers})
		}
	}
	if s.Place != nil {
		p.place, p.rank = make([]int32, s.Ranks), make([]int32, s.Ranks)
		for r := range p.place {
			p.place[r] = int32(s.Place(r))
			p.rank[p.place[r]] = int32(r)
		}
	}
	return p
}

// To returns the rank that a rank sends to in an exchange, or [NoRank].
func (p *Plan) To(exchange, rank int) int {
	e, own := &p.Exchanges[exchange], p.scheduled(rank)
	to := e.peers.To(own)
	if to == own || to < e.receivers.Lo || to >= e.receivers.Hi {
		return NoRank
	}
	return p.placed(to)
}

// From returns the rank that a rank receives from in an exchange, or [NoRank].
func (p *Plan) From(exchange, rank int) int {
	e, own := &p.Exchanges[exchange], p.scheduled(rank)
	if own < e.receivers.Lo || own >= e.receivers.Hi {
		return NoRank
	}
	from := e.peers.From(own)
	if from == own {
		return NoRank
	}
	return p.placed(from)
}

// scheduled returns the rank of the schedule that a rank of the program is.
func (p *Plan) scheduled(rank int) int {
	if p.rank == nil {
		return rank
	}
	return int(p.rank[rank])
}

// placed returns the rank of the program that a rank of the schedule is.
func (p *Plan) placed(rank int) int {
	if p.place == nil {
		return rank
	}
	return int(p.place[rank])
}

// Direct reports whether no message carries what another one brought.
func (p *Plan) Direct() bool { return p.direct }

// Messages returns the number of messages of an exchange.
func (p *Plan) Messages(exchange int) int {
	e := &p.Exchanges[exchange]
	return e.receivers.Hi - e.receivers.Lo - p.unsent
}

// All returns the number of messages of all exchanges.
func (p *Plan) All() (n float64) {
	for e := range p.Exchanges {
		n += float64(p.Messages(e))
	}
	return n
}

// EveryRankSends reports whether all ranks send a message in every exchange, and there is one.
func (p *Plan) EveryRankSends() bool {
	sent := p.All()
	return sent > 0 && sent == float64(p.ranks)*float64(len(p.Exchanges))
}

// Walk calls f for every message, in the order of exchanges and ranks.
func (p *Plan) Walk(f func(exchange, from, to int)) {
	for e := range p.Exchanges {
		for from := range p.ranks {
			if to := p.To(e, from); to != NoRank {
				f(e, from, to)
			}
		}
	}
}

// Sum returns the sum of what f returns for the bytes of each message.
func (p *Plan) Sum(f func(bytes float64) float64) (sum float64) {
	for e := 0; e < len(p.Exchanges); {
		messages, bytes := 0.0, p.Exchanges[e].Bytes
		for ; e < len(p.Exchanges) && p.Exchanges[e].Bytes == bytes; e++ {
			messages += float64(p.Messages(e))
		}
		sum += messages * f(bytes)
	}
	return sum
}

// Shortest returns the bytes of the shortest message, 0 without any.
func (p *Plan) Shortest() float64 {
	shortest := 0.0
	for e := range p.Exchanges {
		if bytes := p.Exchanges[e].Bytes; e == 0 || bytes < shortest {
			shortest = bytes
		}
	}
	return shortest
}
