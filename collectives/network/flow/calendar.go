package flow

import "math/bits"

// A calendar stores one time for each slot and finds the earliest. It is a tree of minima
// in which each node has eight children, which fill one cache line. Slots of the same time
// come in the order of their numbers.
type calendar struct {
	levels [][]order // times of slots, minima of eight slots each, of eight of those, …
}

// fan is the number of children of each node.
const fan = 8

func newCalendar(slots int) calendar {
	var c calendar
	for n := slots; ; n = len(c.levels[len(c.levels)-1]) / fan {
		c.levels = append(c.levels, make([]order, (n+fan-1)/fan*fan))
		if n <= fan {
			return c
		}
	}
}

func (c *calendar) clear() {
	for _, level := range c.levels {
		for i := range level {
			level[i] = never
		}
	}
}

// first returns the earliest time, +∞ if all slots are set to never.
func (c *calendar) first() float64 {
	return least((*[fan]order)(c.levels[len(c.levels)-1])).number()
}

// least returns the minimum of the children of a node.
func least(t *[fan]order) order {
	return min(min(min(t[0], t[1]), min(t[2], t[3])), min(min(t[4], t[5]), min(t[6], t[7])))
}

func (c *calendar) set(slot int, time float64) {
	t := orderOf(time)
	was := c.levels[0][slot]
	c.levels[0][slot] = t
	for i, above := range c.levels[1:] {
		group := slot / fan
		before := above[group]
		if t >= before {
			if was != before || t == before {
				return // the group's minimum belongs to another slot
			}
			t = least((*[fan]order)(c.levels[i][group*fan:]))
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
	return c.within(len(c.levels)-1, 0, orderOf(t), slots)
}

// within appends the slots of one group of a level whose times are at most t.
func (c *calendar) within(level, group int, t order, slots []int32) []int32 {
	due := uint(0)
	for i, u := range (*[fan]order)(c.levels[level][group*fan:]) {
		is := uint(0)
		if u <= t {
			is = 1
		}
		due |= is << i
	}
	for ; due != 0; due &= due - 1 {
		i := group*fan + bits.TrailingZeros(due)
		if level == 0 {
			slots = append(slots, int32(i))
		} else {
			slots = c.within(level-1, i, t, slots)
		}
	}
	return slots
}
