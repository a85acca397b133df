package cli

import (
	"strconv"
	"strings"
)

// slurmSeconds returns the seconds of a time as sbatch takes it: minutes, minutes:seconds,
// hours:minutes:seconds, days-hours, days-hours:minutes or days-hours:minutes:seconds. It returns
// false for no limit, 0, and for others, which sbatch may know.
func slurmSeconds(text string) (seconds int, ok bool) {
	days, rest, hasDays := strings.Cut(text, "-")
	units := map[int][]int{1: {60}, 2: {60, 1}, 3: {3600, 60, 1}}
	if hasDays {
		units = map[int][]int{1: {3600}, 2: {3600, 60}, 3: {3600, 60, 1}}
	} else {
		days, rest = "0", text
	}
	parts := append([]string{days}, strings.Split(rest, ":")...)
	of := append([]int{86400}, units[len(parts)-1]...)
	if len(of) != len(parts) {
		return 0, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 1<<20 {
			return 0, false
		}
		seconds += n * of[i]
	}
	return seconds, seconds > 0
}
