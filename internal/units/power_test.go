package units

import "testing"

func TestPowerOfTwo(t *testing.T) {
	for e, want := range map[int]string{0: "2⁰", 7: "2⁷", 10: "2¹⁰", -3: "2⁻³"} {
		if got := PowerOfTwo(e); got != want {
			t.Errorf("%d: %s, want %s", e, got, want)
		}
	}
}
