#include "node.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* A mark is what a rank of the node has written, or what a leader has. Others read it first. */
struct mark {
	_Alignas(64) _Atomic uint64_t state; /* number of the operation from 1 on, then what */
	uint64_t call;                       /* bytes */
};
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share marks");

enum { ROOM = (sizeof(struct header) + NODE_SEGMENT + 63) / 64 * 64 };

static uint64_t state(uint32_t operation, int what) {
	return ((uint64_t)operation + 1) << 8 | (uint64_t)what;
}

/* messages returns the bytes of those of a leader in a slot: received, and partial results. */
static size_t messages(const struct node *n) {
	return ROOM * (size_t)(n->shape.channels + n->shape.rounds + 2);
}

/* slot_bytes returns the bytes of a slot: marks of ranks and of leaders, vectors, messages. */
static size_t slot_bytes(const struct node *n) {
	size_t ranks = (size_t)n->size, leaders = (size_t)n->leaders;
	return (ranks + leaders) * sizeof(struct mark) + ranks * NODE_SEGMENT + leaders * messages(n);
}

static struct mark *marks(const struct node *n, int slot) {
	return (struct mark *)(n->memory + (size_t)slot * slot_bytes(n));
}

const char *node_vector(const struct node *n, int slot, int place) {
	return (char *)(marks(n, slot) + n->size + n->leaders) + (size_t)place * NODE_SEGMENT;
}

char *node_messages(const struct node *n, int slot, int leader, size_t *room) {
	*room = ROOM;
	return (char *)node_vector(n, slot, n->size) + (size_t)leader * messages(n);
}

bool node_leads(const struct node *n) { return n->place < n->leaders; }

void node_write(const struct node *n, int slot, uint32_t operation, const void *vector,
                size_t bytes, size_t call, bool able) {
	struct mark *mine = &marks(n, slot)[n->place];
	able = able && bytes <= NODE_SEGMENT;
	if (able)
		memcpy((char *)node_vector(n, slot, n->place), vector, bytes);
	mine->call = call;
	atomic_store_explicit(&mine->state, state(operation, able), memory_order_release);
}

bool node_written(const struct node *n, int slot, uint32_t operation, int place, size_t call,
                  bool *able) {
	const struct mark *its = &marks(n, slot)[place];
	uint64_t it = atomic_load_explicit(&its->state, memory_order_acquire);
	*able = it == state(operation, 1) && its->call == call;
	return it >> 8 == state(operation, 0) >> 8;
}

void node_tell(const struct node *n, int slot, uint32_t operation, int has) {
	struct mark *mine = &marks(n, slot)[n->size + n->place];
	atomic_store_explicit(&mine->state, state(operation, has), memory_order_release);
}

int node_look(const struct node *n, int slot, uint32_t operation, int level, const char **message) {
	struct mark *leaders = marks(n, slot) + n->size;
	int found = NODE_NOTHING, partial = n->shape.channels + 1;
	for (int i = 0; i < n->leaders; i++) {
		uint64_t it = atomic_load_explicit(&leaders[i].state, memory_order_acquire);
		int has = (int)(it & 0xff);
		if (i == n->place || it >> 8 != state(operation, 0) >> 8)
			continue;
		size_t room;
		char *memory = node_messages(n, slot, i, &room);
		if (has == NODE_RESULT) {
			*message = memory + room * (size_t)(partial + n->shape.rounds);
			return has;
		}
		if (has > NODE_RESULT && !node_leads(n))
			found = has;
		if (has < NODE_RESULT && n->share && node_leads(n) && has >= NODE_LEVEL + level) {
			*message = memory + room * (size_t)(partial + level);
			found = NODE_LEVEL + level;
		}
	}
	return found;
}

/* split makes the communicator of the ranks of this node. */
static MPI_Comm split(MPI_Comm comm, int rank, int ranks) {
	MPI_Comm shared = MPI_COMM_NULL, part = MPI_COMM_NULL;
	int place;
	if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared) !=
	    MPI_SUCCESS)
		return MPI_COMM_NULL;
	if (ranks <= 0)
		return shared;
	PMPI_Comm_rank(shared, &place);
	if (PMPI_Comm_split(shared, place / ranks, rank, &part) != MPI_SUCCESS)
		part = MPI_COMM_NULL;
	PMPI_Comm_free(&shared);
	return part;
}

/* arrange finds the nodes and their leaders, given the first rank of the node of each rank. */
static bool arrange(struct node *n, const int *first, int ranks, int rank, int leaders) {
	n->ordered = true;
	n->leaders = leaders;
	for (int r = 0; r < ranks; r++) {
		n->ordered = n->ordered && (r == 0 || first[r] >= first[r - 1]);
		if (first[r] != r)
			continue;
		int size = 0;
		for (int other = r; other < ranks; other++)
			size += first[other] == r;
		n->leaders = size < n->leaders ? size : n->leaders;
		n->index = r == first[rank] ? n->nodes : n->index;
		n->nodes++;
	}
	n->first = malloc((size_t)(n->nodes * n->leaders) * sizeof *n->first);
	for (int r = 0, node = 0; n->first && r < ranks; r++) {
		if (first[r] != r)
			continue;
		for (int other = r, i = 0; i < n->leaders; other++)
			if (first[other] == r)
				n->first[node * n->leaders + i++] = other;
		node++;
	}
	return n->first != NULL;
}

/* limit makes the shape of the nodes, of no more R and T than they allow. */
static bool limit(struct node *n, const struct shape *wanted) {
	int rounds = 0;
	while (n->nodes >> (rounds + 1) > 0)
		rounds++;
	int most = rounds > 0 ? 1 << (rounds - 1) : 1;
	int sources = wanted->sources < most ? wanted->sources : most;
	int copies = wanted->copies < rounds ? wanted->copies : rounds;
	return !shape_init(&n->shape, n->nodes, sources, copies);
}

/* share makes the window of a node. */
static bool share(struct node *n, MPI_Comm these) {
	MPI_Aint bytes = n->place == 0 ? (MPI_Aint)(PLAN_DEPTH * slot_bytes(n)) + 64 : 0;
	void *memory = NULL;
	int unit;
	if (PMPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, these, &memory, &n->window) !=
	        MPI_SUCCESS ||
	    PMPI_Win_shared_query(n->window, 0, &bytes, &unit, &memory) != MPI_SUCCESS)
		return false;
	size_t beyond = (uintptr_t)memory % 64; /* pages have the same in all processes */
	n->memory = (char *)memory + (beyond > 0 ? 64 - beyond : 0);
	if (n->place == 0)
		memset(n->memory, 0, PLAN_DEPTH * slot_bytes(n));
	return PMPI_Barrier(these) == MPI_SUCCESS;
}

struct node *node_create(MPI_Comm comm, const struct shape *wanted, int leaders, bool shares,
                         int ranks) {
	int rank = 0, all = 0, lowest = 0, good = 0, least = 0;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &all);
	MPI_Comm these = split(comm, rank, ranks);
	struct node *n = calloc(1, sizeof *n);
	int *first = malloc((size_t)all * sizeof *first);
	if (n && first && these != MPI_COMM_NULL) {
		n->window = MPI_WIN_NULL;
		n->share = shares;
		PMPI_Comm_rank(these, &n->place);
		PMPI_Comm_size(these, &n->size);
		lowest = rank;
		good = PMPI_Bcast(&lowest, 1, MPI_INT, 0, these) == MPI_SUCCESS;
	}
	PMPI_Allreduce(&good, &least, 1, MPI_INT, MPI_MIN, comm);
	if (least)
		good = PMPI_Allgather(&lowest, 1, MPI_INT, first, 1, MPI_INT, comm) == MPI_SUCCESS &&
		       arrange(n, first, all, rank, leaders) && limit(n, wanted);
	good = good && least;
	PMPI_Allreduce(&good, &least, 1, MPI_INT, MPI_MIN, comm);
	good = least && share(n, these);
	PMPI_Allreduce(&good, &least, 1, MPI_INT, MPI_MIN, comm);
	if (these != MPI_COMM_NULL)
		PMPI_Comm_free(&these);
	free(first);
	if (least)
		return n;
	if (n)
		node_free(n, false);
	return NULL;
}

void node_free(struct node *n, bool windows) {
	if (windows && n->window != MPI_WIN_NULL)
		PMPI_Win_free(&n->window);
	free(n->first);
	free(n);
}
