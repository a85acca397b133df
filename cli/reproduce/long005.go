package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// Messages of 128 KiB of paper 005, on the largest number of nodes. Above 4 KiB the paper's messages
// take three latencies, since sender and receiver first agree, and all three are the same draw. The
// bandwidth has noise of its own.

// long005 ends the names of the studies with such messages.
const long005 = "-128KiB"

// perByte005 returns what a byte of a message takes over the shortest time that a system needs for
// it, by preset: 1 and more. The quantiles are times of 16 MiB in the system's run.
var perByte005 = sync.OnceValue(func() map[string]noise.Empirical {
	all := map[string]noise.Empirical{}
	for _, row := range table005("bytes") {
		points := append(all[row[0]].Points, noise.Quantile{Share: number(row[1]), Length: number(row[2])})
		all[row[0]] = noise.Empirical{Points: points}
	}
	return all
})

// lengthened005 returns a system's network for messages of 128 KiB, with noise if that is true: the
// time of a byte is scaled to LogGP's G by the same middle as the latencies to L.
func lengthened005(n profile.Network, s system005, noisy bool) profile.Network {
	n.Latency = new(3 * *n.Latency)
	if !noisy {
		return n
	}
	n.Noise = &profile.MessageNoise{Duration: n.Noise.Duration.Scaled(3)}
	over := perByte005()[s.Preset]
	shortest := 1 / *n.Bandwidth / s.middle(over)
	beyond := slices.Clone(over.Points)
	for i := range beyond {
		beyond[i].Length = (beyond[i].Length - 1) * shortest
	}
	n.Bandwidth, n.ByteNoise = new(1/shortest), noise.Empirical{Points: beyond}
	return n
}

// configLong005 returns the configuration of messages of 128 KiB in a study, os or net.
func configLong005(r *Results, system, study string) *Config {
	return r.config(study+long005, func(c *Config) bool {
		name, _, _ := strings.Cut(c.NoiseProfile, "@")
		return name == system
	})
}

// slowLong005 returns the slow-down of messages of 128 KiB by the noise of a study, os or net, median
// over the time without noise.
func slowLong005(r *Results, system, study string) estimate {
	quiet := configLong005(r, system, "os").T[0].NoiseFree
	return medianOf005(configLong005(r, system, study)).of(exact(quiet))
}

// quietLong005 judges the times of messages of 128 KiB without noise. The claim expects the
// published times of the systems, in µs; the presets have three digits of the bandwidth.
func quietLong005(r *Results, c *Claim) (string, Verdict) {
	var verdicts []Verdict
	var ours []string
	for i, s := range systems005 {
		e := 1e6 * configLong005(r, s.Preset, "os").T[0].NoiseFree
		verdicts = append(verdicts, verdict(math.Abs(e/c.Expected[i]-1) < 0.005))
		ours = append(ours, fmt.Sprintf("%.4g", e))
	}
	return strings.Join(ours, ", ") + " µs", all(verdicts...)
}

// judgeLong005 returns a judge of the slow-downs of messages of 128 KiB under the noise of a study.
// They are between the numbers that the claim expects; the studies that the claim names are systems
// apart, whose slow-down is the last of these numbers.
func judgeLong005(study string) judge {
	return func(r *Results, c *Claim) (string, Verdict) {
		return each005(func(system string) estimate {
			return slowLong005(r, system, study)
		}, func(e estimate, system string) Verdict {
			if slices.Contains(c.Studies, system) {
				return e.nearRatio(c.Expected[2])
			}
			return e.within(c.Expected[0]*(1-tolerance), c.Expected[1]*(1+tolerance))
		})
	}
}
