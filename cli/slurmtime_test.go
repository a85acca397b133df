package cli

import "testing"

// The forms are those of the manual of sbatch.
func TestSlurmSeconds(t *testing.T) {
	for text, want := range map[string]int{
		"2": 120, "2:30": 150, "1:00:00": 3600, "1-2": 93600, "1-2:03": 93780, "1-2:03:04": 93784,
		"0": 0, "": 0, "0:00": 0, "x": 0, "1:2:3:4": 0, "-5": 0, "1-": 0, "UNLIMITED": 0,
	} {
		if got, ok := slurmSeconds(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q is %d s, %v, want %d", text, got, ok, want)
		}
	}
}
