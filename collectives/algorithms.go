package collectives

import "fmt"

// An Algorithm makes the schedule of a collective.
type Algorithm struct {
	Name      string
	Operation Operation
	// Outline makes the schedule with one round in place of many that are the same, see [Round].Repeats, or
	// returns an error with the reason why it cannot. Checkpoints count these rounds. Shapes and bounds
	// follow from it; executors need [Schedule.Expand].
	Outline func(Problem) (Schedule, error)
	Library Library // zero if no MPI library has it
}

// Schedule makes the schedule with all of its rounds, or returns the error of Outline.
func (a Algorithm) Schedule(p Problem) (Schedule, error) {
	s, err := a.Outline(p)
	return s.Expand(), err
}

// A Library is what MPI libraries call an allreduce.
type Library struct {
	OpenMPI string // its name in ompi/mca/coll/tuned
	Number  int    // and its number there
	MPICH   string // the subtree of src/mpi/coll that selects it, in JSON
}

// Operation is what a collective does.
type Operation string

const (
	// Allreduce combines the vectors of all ranks and gives all the result.
	Allreduce Operation = "allreduce"
	// AllToAll brings every rank the blocks that all others have for it.
	AllToAll Operation = "alltoall"
	// Permute sends messages of every rank to one other.
	Permute Operation = "permutation"
)

// mpichAny is MPICH's allreduce for every operation and count.
const mpichAny = `{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{}}`

// Algorithms lists all algorithms.
var Algorithms = []Algorithm{
	{"butterfly", Allreduce, Butterfly, Library{"recursive_doubling", 3, mpichAny}},
	{"dissemination", Allreduce, Dissemination, Library{}},
	{"rabenseifner", Allreduce, Rabenseifner, Library{"rabenseifner", 6,
		`{"is_op_built_in=yes":{"count<pow2":` + mpichAny +
			`,"count=any":{"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather":{}}},` +
			`"is_op_built_in=no":` + mpichAny + `}`}},
	{"ring", Allreduce, ring, Library{"ring", 4,
		`{"is_commutative=yes":{"algorithm=MPIR_Allreduce_intra_ring":{}},` +
			`"is_commutative=no":` + mpichAny + `}`}},
	{"binomial", Allreduce, Binomial, Library{"nonoverlapping", 2,
		`{"algorithm=MPIR_Allreduce_intra_tree":` +
			`{"tree_type=knomial_1":{},"k=2":{},"chunk_size=0":{},"buffer_per_child=0":{}}}`}},
	{"leaders", Allreduce, Leaders, Library{}},
	{"a2a-ring", AllToAll, toAll(a2aRing), Library{}},
	{"a2a-levels", AllToAll, toAll(a2aLevels), Library{}},
	{"a2a-sa", AllToAll, toAll(a2aSendSide), Library{}},
	{"a2a-hierarchical", AllToAll, toAll(a2aHierarchical), Library{}},
	{"a2a-pairwise", AllToAll, toAll(a2aPairwise), Library{}},
	{"a2a-spread", AllToAll, toAll(a2aSpread), Library{}},
	{"a2a-bruck", AllToAll, toAll(a2aBruck), Library{}},
	{"a2and", AllToAll, toAll(a2and), Library{}},
	{"a2at", AllToAll, toAll(a2at), Library{}},
	{"random-ring", Permute, Permutation, Library{}},
	{"permutation", Permute, Permutation, Library{}},
}

// Find returns the algorithm of that name.
func Find(name string) (Algorithm, error) {
	for _, a := range Algorithms {
		if a.Name == name {
			return a, nil
		}
	}
	return Algorithm{}, fmt.Errorf("no collective is named %q", name)
}
