package rng

import "math"

// The ziggurat of Marsaglia and Tsang ("The ziggurat method for generating random variables",
// Journal of Statistical Software 5, 2000, section 2) covers exp(−x²/2) by layers of one area:
// layer 0 is the tail from tailBegin on and the strip below it.
const (
	layers    = 256
	tailBegin = 3.6541528853610088
	layerArea = 0.004928673233974658 // tailBegin·f(tailBegin) and the tail
)

// edge[i] is how far layer i reaches, and height[i] is f there.
var edge, height = zigguratOf()

func zigguratOf() (edge, height [layers + 1]float64) {
	f := math.Exp(-tailBegin * tailBegin / 2)
	edge[0], edge[1], height[1] = layerArea/f, tailBegin, f
	for i := 1; i < layers-1; i++ {
		height[i+1] = height[i] + layerArea/edge[i]
		edge[i+1] = math.Sqrt(-2 * math.Log(height[i+1]))
	}
	height[layers] = 1
	return edge, height
}

// Normal returns the i-th standard normal number of the counter, from its i-th word; of the few
// that are not inside a layer also from words that follow from that one. The upper bits of a
// word are the place in a layer, the lowest the layer, so that they are independent.
func (c Counter) Normal(i int) float64 {
	word := c.Word(i)
	layer := word % layers
	x := float64(int64(word)>>11) * 0x1p-52 * edge[layer]
	if math.Abs(x) < edge[layer+1] {
		return x
	}
	return outside(word)
}

// outside returns the number of a word whose place is outside the layer above its own.
func outside(word uint64) float64 {
	uniform := func() float64 { // from (0, 1]
		word = mix(word + 0x9e3779b97f4a7c15)
		return 1 - Unit(word)
	}
	for {
		layer := word % layers
		x := float64(int64(word)>>11) * 0x1p-52 * edge[layer]
		switch {
		case math.Abs(x) < edge[layer+1]:
			return x
		case layer == 0:
			for {
				beyond := -math.Log(uniform()) / tailBegin
				if -2*math.Log(uniform()) > beyond*beyond {
					return math.Copysign(tailBegin+beyond, x)
				}
			}
		}
		y := height[layer] + float64(uniform()*(height[layer+1]-height[layer]))
		if y < math.Exp(-x*x/2) {
			return x
		}
		uniform()
	}
}
