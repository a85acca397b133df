package network

import "math"

// A calendar has one time for each slot and finds the earliest: a tree of minima
// with eight children to a node, which are one line of the cache. Simultaneous
// slots come in the order of their numbers, whatever happened before.
type calendar struct {
	levels [][]float64 // of the slots; of eights of them; of eights of those …
}

const fan = 8

func newCalendar(slots int) calendar {
	var c calendar
	for n := slots; ; n = len(c.levels[len(c.levels)-1]) / fan {
		level := make([]float64, (n+fan-1)/fan*fan)
		for i := range level {
			level[i] = math.Inf(1)
		}
		c.levels = append(c.levels, level)
		if n <= fan {
			return c
		}
	}
}

// clear sets all slots to never.
func (c *calendar) clear() {
	for _, level := range c.levels {
		for i := range level {
			level[i] = math.Inf(1)
		}
	}
}

// first is the earliest time.
func (c *calendar) first() float64 {
	return least(c.levels[len(c.levels)-1])
}

func least(times []float64) float64 {
	t := times[0]
	for _, u := range times[1:] {
		if u < t {
			t = u
		}
	}
	return t
}

// set gives a slot its time.
func (c *calendar) set(slot int, t float64) {
	was := c.levels[0][slot]
	c.levels[0][slot] = t
	for i, above := range c.levels[1:] {
		group := slot / fan
		before := above[group]
		if t >= before {
			if was != before || t == before {
				return // another of the group is as early
			}
			t = least(c.levels[i][group*fan:][:fan])
			if t == before {
				return
			}
		}
		was, slot = before, group
		above[group] = t
	}
}

// until appends the slots whose times are at most t.
func (c *calendar) until(t float64, slots []int32) []int32 {
	return c.within(len(c.levels)-1, 0, t, slots)
}

func (c *calendar) within(level, group int, t float64, slots []int32) []int32 {
	for i, u := range c.levels[level][group*fan:][:fan] {
		if u > t {
			continue
		}
		if level == 0 {
			slots = append(slots, int32(group*fan+i))
		} else {
			slots = c.within(level-1, group*fan+i, t, slots)
		}
	}
	return slots
}
