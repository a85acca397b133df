package rng

import (
	"math"
	"slices"
	"testing"
)

// The layers have one area, and the last ends at the top.
func TestZiggurat(t *testing.T) {
	tail := math.Sqrt(math.Pi/2) * math.Erfc(tailBegin/math.Sqrt2)
	if area := tailBegin*height[1] + tail; math.Abs(area-layerArea) > 1e-14 {
		t.Errorf("the lowest layer has the area %v, want %v", area, layerArea)
	}
	for i := 1; i < layers; i++ {
		if want := math.Exp(-edge[i] * edge[i] / 2); math.Abs(height[i]-want) > 1e-13 {
			t.Errorf("height %d is %v, want %v", i, height[i], want)
		}
		if area := edge[i] * (height[i+1] - height[i]); math.Abs(area-layerArea) > 1e-10 {
			t.Errorf("layer %d has the area %v, want %v", i, area, layerArea)
		}
	}
}

// The distribution is normal: Kolmogorov's distance of n numbers exceeds 2.6/√n once in 10^5
// times. So are the tails, which few numbers are in.
func TestNormal(t *testing.T) {
	const n = 1 << 21
	c, x := NewKey(1, "normal").Counter(), make([]float64, n)
	for i := range x {
		x[i] = c.Normal(i)
	}
	slices.Sort(x)
	farthest := 0.0
	for i, at := range x {
		below := math.Erfc(-at/math.Sqrt2) / 2
		farthest = max(farthest, math.Abs(below-float64(i)/n), math.Abs(below-float64(i+1)/n))
	}
	if farthest > 2.6/math.Sqrt(n) {
		t.Errorf("the distance from the normal distribution is %.2g, want at most %.2g",
			farthest, 2.6/math.Sqrt(n))
	}
	for _, at := range []float64{3, tailBegin, 4, 4.5} {
		for _, side := range []float64{-1, 1} {
			count := 0.0
			for _, v := range x {
				if side*v > at {
					count++
				}
			}
			if want := n * math.Erfc(at/math.Sqrt2) / 2; math.Abs(count-want) > 5*math.Sqrt(want) {
				t.Errorf("%g are beyond %g, want %.0f", count, side*at, want)
			}
		}
	}
}

// Neighbours are not correlated, nor are the same numbers of two keys.
func TestNormalsAreIndependent(t *testing.T) {
	const n = 1 << 20
	c, d := NewKey(1, "a").Counter(), NewKey(1, "a").Derive(1).Counter()
	next, other, squares := 0.0, 0.0, 0.0
	for i := range n {
		x := c.Normal(i)
		next += x * c.Normal(i+1)
		other += x * d.Normal(i)
		squares += (x*x - 1) * (c.Normal(i+1)*c.Normal(i+1) - 1) / 2
	}
	for name, sum := range map[string]float64{"next": next, "other key": other, "squares": squares} {
		if math.Abs(sum) > 5*math.Sqrt(n) {
			t.Errorf("%s: correlation %.2g, want 0 ± %.2g", name, sum/n, 1/math.Sqrt(n))
		}
	}
}

func BenchmarkNormal(b *testing.B) {
	c, sum := NewKey(1, "normal").Counter(), 0.0
	for i := range b.N {
		sum += c.Normal(i)
	}
	if math.IsNaN(sum) {
		b.Fatal(sum)
	}
}
