package sweep

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives"
)

// environment is the decider of lines for a shell that switch the MPI library (mpi/) on. It
// chooses among what the library deploys, whose ranks forward results, and receive with their
// processors.
var environment = decider{
	operation:  string(collectives.Allreduce),
	whole:      true,
	deployable: true,
	candidates: map[string]string{
		"redundancy.forward":   "final",
		"redundancy.reception": "cpu",
	},
	check: func(s *study.Study) error {
		if others := othersOf(s); len(others) > 0 {
			return fmt.Errorf("--format: the library knows ranks and bytes only, "+
				"and %s has several values", others[0].Path)
		}
		return nil
	},
	print: writeEnvironment,
}

// forced returns the variables that make the library apply a rule to all calls.
func (r rule) forced() string {
	text := fmt.Sprintf("%d,%d", r.Sources, r.Redundancy)
	if r.Collective == "leaders" {
		text += fmt.Sprintf(",%d", r.Leaders)
	}
	if r.Share {
		text += ",share"
	}
	return text
}

// rulesFile is the file of rules that the lines write, into the directory where they are run.
const rulesFile = "jitterfly-rules.csv"

// mostNative is the number of bytes up to which the library takes vectors by itself.
const mostNative = 2048

// writeEnvironment writes the lines: what to force if all rules say the same, and else a file of
// rules.
func writeEnvironment(w io.Writer, _ *study.Study, all []advice) error {
	var b strings.Builder
	rules := rules(all)
	last := rules[len(rules)-1]
	different := func(r rule) bool { return !r.same(last) }
	bytes := 0.0
	for _, r := range rules {
		bytes = max(bytes, r.bytes[1])
	}
	redundant := func(r rule) bool { return !r.plain() }
	switch {
	case !slices.ContainsFunc(rules, redundant):
		b.WriteString("# No redundancy pays: leave MPI its own allreduce.\n" +
			"unset JITTERFLY_MPI_FORCE JITTERFLY_MPI_RULES\n")
		_, err := io.WriteString(w, b.String())
		return err
	case slices.ContainsFunc(rules, different):
		fmt.Fprintf(&b, "cat > %s <<'END'\n", rulesFile)
		header, rows := ruleRows(rules)
		if err := output.CSV(&b, header, slices.Values(rows)); err != nil {
			return err
		}
		fmt.Fprintf(&b, "END\nexport JITTERFLY_MPI_RULES=\"$PWD/%s\"\n", rulesFile)
		b.WriteString("unset JITTERFLY_MPI_FORCE\n")
	default:
		fmt.Fprintf(&b, "export JITTERFLY_MPI_FORCE=%s\nunset JITTERFLY_MPI_RULES\n", last.forced())
	}
	if bytes > mostNative {
		fmt.Fprintf(&b, "export JITTERFLY_MPI_MAX_BYTES=%.0f\n", math.Ceil(bytes))
	}
	b.WriteString("# Then start the program with the library, as by\n" +
		"# mpirun -x LD_PRELOAD=/path/to/libjitterfly-mpi.so …\n")
	_, err := io.WriteString(w, b.String())
	return err
}
