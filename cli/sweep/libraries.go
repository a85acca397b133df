package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives"
)

// Rule files of MPI libraries name one of the library's allreduces for every number of
// ranks and of bytes. They have no redundant exchanges.

var libraryCandidates = map[string]string{
	"collective":         strings.Join(libraryCollectives(), ","),
	"redundancy.sources": "1",
	"segments":           "1",
	"redundancy.max":     "0",
}

// libraryCollectives returns the names of the collectives that MPI libraries have.
func libraryCollectives() (names []string) {
	for _, a := range collectives.Algorithms {
		if a.Library.OpenMPI != "" {
			names = append(names, a.Name)
		}
	}
	return names
}

// named returns what MPI libraries call a collective; the zero value if none has it.
func named(collective string) collectives.Library {
	a, _ := collectives.Find(collective)
	return a.Library
}

// library returns the decider of an MPI library. Its check fails if rules cannot express
// the study; write gets the rules of each number of ranks.
func library(write func(w io.Writer, byRanks [][]rule) error) decider {
	return decider{
		candidates: libraryCandidates,
		check: func(s *study.Study) error {
			if err := byRanksAndBytes(s); err != nil {
				return err
			}
			for i, c := range s.Configurations {
				p := s.Point(i)
				if named(p.Name(study.Collective)).OpenMPI == "" || c.Results > 1 ||
					p.Whole(study.Sources) > 1 || p.Whole(study.Segments) > 1 {
					return errors.New("--format: rules of MPI libraries have no redundancy (R, T), " +
						"segments or dissemination; leave --sources, --redundancy, --segments " +
						"and that --collective out")
				}
			}
			return nil
		},
		print: func(w io.Writer, _ *study.Study, all []advice) error { return write(w, rulesByRanks(all)) },
	}
}

// byRanksAndBytes fails if the rules of a study would differ by anything else.
func byRanksAndBytes(s *study.Study) error {
	if others := othersOf(s); len(others) > 0 {
		return fmt.Errorf("--format: rules are by ranks and bytes only, and %s has several values", others[0].Path)
	}
	return nil
}

// object returns a JSON object of members in their order.
func object(members ...string) string { return "{" + strings.Join(members, ",") + "}" }

// member returns a member of an object, whose value is JSON.
func member(name string, value any) string { return fmt.Sprintf("%q:%v", name, value) }

// writeJSON writes JSON with a line for each value.
func writeJSON(w io.Writer, text string) error {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(text+"\n"), "", "  ") // it is JSON, and b takes all
	_, err := b.WriteTo(w)
	return err
}

// bounds returns the members that bound a range, which is the i-th of n ranges that begin at from.
func bounds(name string, i, n int, from func(i int) float64) (members []string) {
	if i > 0 {
		members = append(members, member(name+"_min", int64(from(i))))
	}
	if i+1 < n {
		members = append(members, member(name+"_max", int64(from(i+1))-1))
	}
	return members
}

// writeOpenMPI writes the JSON rules of Open MPI from 6.0 on. The first rule that matches counts;
// bounds are inclusive, and a missing bound means unbounded.
func writeOpenMPI(w io.Writer, byRanks [][]rule) error {
	var sizes []string
	for i, list := range byRanks {
		var messages []string
		for j, r := range list {
			message := bounds("msg_size", j, len(list), func(j int) float64 { return list[j].bytes[0] })
			algorithm := member("alg", strconv.Quote(named(r.Collective).OpenMPI))
			messages = append(messages, object(append(message, algorithm)...))
		}
		size := bounds("comm_size", i, len(byRanks), func(i int) float64 { return byRanks[i][0].ranks[0] })
		sizes = append(sizes, object(append(size, member("rules", "["+strings.Join(messages, ",")+"]"))...))
	}
	return writeJSON(w, object(member("rule_file_version", 3), member("module", `"tuned"`),
		member("collectives", object(member("allreduce", "["+strings.Join(sizes, ",")+"]")))))
}

// writeOpenMPIClassic writes the rules that all versions of Open MPI read.
//
// Up to 5.0 an entry is for its number of ranks up to the next entry's, and the first also
// for fewer; from 6.0 on it is for fewer ranks than its number, from the previous entry's
// on, and the last also for more. Therefore every threshold is written twice, first with
// the rules below it and then with those from it on, which both read the same way.
func writeOpenMPIClassic(w io.Writer, byRanks [][]rule) error {
	var b strings.Builder
	b.WriteString("# allreduce, by jitterfly choose\n1 # collectives\n2 # allreduce\n")
	entry := func(ranks float64, list []rule) {
		fmt.Fprintf(&b, "%.0f # ranks\n%d # message sizes\n", ranks, len(list))
		for j, r := range list {
			from := r.bytes[0]
			if j == 0 {
				from = 0
			}
			a := named(r.Collective)
			fmt.Fprintf(&b, "%.0f %d 0 0 # %s\n", from, a.Number, a.OpenMPI)
		}
	}
	fmt.Fprintf(&b, "%d # numbers of ranks\n", max(1, 2*len(byRanks)-2))
	for i, list := range byRanks[1:] {
		entry(list[0].ranks[0], byRanks[i])
		entry(list[0].ranks[0], list)
	}
	if len(byRanks) == 1 {
		entry(byRanks[0][0].ranks[0], byRanks[0])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMPICH writes the allreduce part of MPICH's selection tree (4.1 on). MPICH enters the
// first of the siblings whose condition is true; there are conditions where an algorithm
// is not for every operation or count.
func writeMPICH(w io.Writer, byRanks [][]rule) error {
	var sizes []string
	for i, list := range byRanks {
		var messages []string
		for j, r := range list {
			bound := "avg_msg_size=any"
			if j+1 < len(list) {
				bound = fmt.Sprintf("avg_msg_size<=%d", int64(list[j+1].bytes[0])-1)
			}
			messages = append(messages, member(bound, named(r.Collective).MPICH))
		}
		bound := "comm_size=any"
		if i+1 < len(byRanks) {
			bound = fmt.Sprintf("comm_size<=%d", int64(byRanks[i+1][0].ranks[0])-1)
		}
		sizes = append(sizes, member(bound, object(messages...)))
	}
	inter := member("algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast", "{}")
	return writeJSON(w, object(member("collective=allreduce", object(
		member("comm_type=intra", object(sizes...)), member("comm_type=inter", object(inter))))))
}

// deployed are the defaults of the keys for rules of the MPI library (mpi/): its ranks forward results,
// and receive with their processors.
var deployed = map[string]string{
	"redundancy.forward":   "final",
	"redundancy.reception": "cpu",
}

// environment is the decider of lines for a shell that switch that library on.
var environment = decider{
	deployable: true,
	candidates: deployed,
	check:      byRanksAndBytes,
	print:      writeEnvironment,
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

// mostNative is the number of bytes up to which the library takes vectors by itself, and beyond how many
// times its bytes it uses no rule.
const mostNative, farthestRule = 2048, 2

// writeEnvironment writes the lines: what to force if all rules say the same, and else a file of
// rules. Neither is for longer vectors than a rule would be.
func writeEnvironment(w io.Writer, _ *study.Study, all []advice) error {
	var b strings.Builder
	rules := rules(all)
	last := rules[len(rules)-1]
	different := func(r rule) bool { return !r.same(last) }
	bytes, limit := 0.0, "unset JITTERFLY_MPI_MAX_BYTES\n" // of an earlier choice
	for _, r := range rules {
		bytes = max(bytes, r.bytes[1])
	}
	redundant := func(r rule) bool { return !r.plain() }
	switch {
	case !slices.ContainsFunc(rules, redundant):
		_, err := io.WriteString(w, "# No redundancy pays: leave MPI its own allreduce.\n"+
			"unset JITTERFLY_MPI_FORCE JITTERFLY_MPI_RULES\n"+limit)
		return err
	case slices.ContainsFunc(rules, different):
		fmt.Fprintf(&b, "cat > %s <<'END'\n", rulesFile)
		header, rows := ruleRows(rules)
		_ = output.CSV(&b, header, slices.Values(rows)) // into memory
		fmt.Fprintf(&b, "END\nexport JITTERFLY_MPI_RULES=\"$PWD/%s\"\n", rulesFile)
		b.WriteString("unset JITTERFLY_MPI_FORCE\n")
		if bytes > mostNative {
			limit = fmt.Sprintf("export JITTERFLY_MPI_MAX_BYTES=%.0f\n", math.Ceil(bytes))
		}
	default:
		fmt.Fprintf(&b, "export JITTERFLY_MPI_FORCE=%s\nunset JITTERFLY_MPI_RULES\n", last.forced())
		limit = fmt.Sprintf("export JITTERFLY_MPI_MAX_BYTES=%.0f\n", math.Floor(farthestRule*bytes))
	}
	b.WriteString(limit)
	b.WriteString("# Then start the program with the library, as by\n" +
		"# mpirun -x LD_PRELOAD=/path/to/libjitterfly-mpi.so …\n")
	_, err := io.WriteString(w, b.String())
	return err
}
