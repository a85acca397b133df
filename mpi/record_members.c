#include "record_members.h"

#include <stdlib.h>

/* world_ranks appends the ranks of a group in MPI_COMM_WORLD, and returns a hash of them. */
static uint64_t world_ranks(MPI_Group group, struct bytes *list) {
	MPI_Group world;
	int ranks = 0;
	PMPI_Group_size(group, &ranks);
	int *these = malloc(2 * (size_t)ranks * sizeof *these + 1), *there = these + ranks;
	uint64_t hash = 14695981039346656037u;
	if (!these || PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) {
		free(these);
		return 0;
	}
	for (int i = 0; i < ranks; i++)
		these[i] = i;
	PMPI_Group_translate_ranks(group, ranks, these, world, there);
	for (int i = 0; i < ranks; i++) {
		uint32_t rank = there[i] == MPI_UNDEFINED ? UINT32_MAX : (uint32_t)there[i];
		append_u32(list, rank);
		hash = (hash ^ rank) * 1099511628211u;
		hash ^= hash >> 29;
	}
	PMPI_Group_free(&world);
	free(these);
	return hash;
}

struct members members_of_group(MPI_Group group) {
	struct members m = {0};
	int rank = 0;
	PMPI_Group_rank(group, &rank);
	m.rank = (uint32_t)rank;
	m.hash = world_ranks(group, &m.ranks);
	PMPI_Group_free(&group);
	return m;
}

/* The groups of an intercommunicator come in the order of their hashes, which is the same on both
 * sides. */
struct members members_of(MPI_Comm comm) {
	struct bytes remote = {0};
	MPI_Group group;
	int inter = 0;
	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_group(comm, &group);
	struct members m = members_of_group(group);
	if (!inter)
		return m;
	PMPI_Comm_remote_group(comm, &group);
	uint64_t other = world_ranks(group, &remote);
	PMPI_Group_free(&group);
	if (other < m.hash) {
		struct bytes own = m.ranks;
		uint64_t hash = m.hash;
		m.rank += (uint32_t)(remote.length / sizeof(uint32_t));
		m.ranks = remote, remote = own;
		m.hash = other, other = hash;
	}
	append(&m.ranks, remote.data, remote.length);
	m.ranks.failed |= remote.failed;
	m.hash = (m.hash * 31) ^ other;
	free(remote.data);
	return m;
}
