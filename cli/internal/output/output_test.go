package output_test

import (
	"testing"

	"jitterfly/cli/internal/output"
)

// Numbers of bytes keep all digits, also if they are not whole in a larger unit.
func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 8: "8 B", 1023: "1023 B", 4096: "4 KiB", 16420: "16420 B", 1234567: "1234567 B", 3 << 20: "3 MiB",
	} {
		if got := output.Bytes(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
