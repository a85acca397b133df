#include "sums.h"

#include <stdlib.h>
#include <string.h>

struct sums *sums_create(int count, size_t room) {
	struct sums *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	*s = (struct sums){.count = count, .room = room};
	s->width = calloc((size_t)count, sizeof *s->width);
	s->sum = calloc((size_t)count, sizeof *s->sum);
	s->memory = aligned_alloc(64, (size_t)count * room);
	if (s->width && s->sum && s->memory)
		return s;
	sums_free(s);
	return NULL;
}

void sums_begin(struct sums *s) {
	s->added = 0;
	memset(s->width, 0, (size_t)s->count * sizeof *s->width);
}

int sums_add(struct sums *s, int place, const char *vector, size_t bytes, int count,
             MPI_Datatype type, MPI_Op op) {
	int code = MPI_SUCCESS, width = 1;
	s->added++;
	s->width[place] = width;
	s->sum[place] = vector;
	for (; width < s->count && code == MPI_SUCCESS; width *= 2) {
		int other = place ^ width, left = place & ~width, right = place | width;
		if (right < s->count) {
			if (s->width[other] != width)
				break;
			char *both = s->memory + (size_t)right * s->room;
			memcpy(both, s->sum[right], bytes);
			code = PMPI_Reduce_local(s->sum[left], both, count, type, op);
			s->sum[left] = both;
		}
		place = left;
		s->width[place] = 2 * width;
	}
	return code;
}

void sums_free(struct sums *s) {
	if (!s)
		return;
	free(s->width);
	free(s->sum);
	free(s->memory);
	free(s);
}
