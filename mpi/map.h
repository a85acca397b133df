/*
 * A map from numbers that are not 0 to numbers: an open hash table that grows.
 */
#ifndef JITTERFLY_MAP_H
#define JITTERFLY_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct map {
	struct entry {
		uint64_t key;
		uint64_t value;
	} * slots;
	uint64_t room, count; /* of slots, a power of two, and of keys */
};

/* map_slot returns the slot of a key, or the empty one where it belongs. */
static inline struct entry *map_slot(const struct map *m, uint64_t key) {
	uint64_t i = (key * 11400714819323198485u) >> 32;
	while (m->slots[i & (m->room - 1)].key != key && m->slots[i & (m->room - 1)].key != 0)
		i++;
	return &m->slots[i & (m->room - 1)];
}

/* map_get returns the value of a key, or 0. */
static inline uint64_t map_get(const struct map *m, uint64_t key) {
	return m->room > 0 ? map_slot(m, key)->value : 0;
}

/* map_set sets the value of a key, and returns whether there is memory. */
static inline bool map_set(struct map *m, uint64_t key, uint64_t value) {
	if (2 * m->count >= m->room) {
		struct map larger = {.room = m->room > 0 ? 2 * m->room : 64, .count = m->count};
		larger.slots = calloc(larger.room, sizeof *larger.slots);
		if (!larger.slots)
			return false;
		for (uint64_t i = 0; i < m->room; i++)
			if (m->slots[i].key != 0)
				*map_slot(&larger, m->slots[i].key) = m->slots[i];
		free(m->slots);
		*m = larger;
	}
	struct entry *s = map_slot(m, key);
	m->count += s->key == 0;
	*s = (struct entry){key, value};
	return true;
}

#endif
