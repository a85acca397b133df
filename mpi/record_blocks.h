/*
 * The blocks of a recording (docs/format.md), put together in memory.
 */
#ifndef JITTERFLY_RECORD_BLOCKS_H
#define JITTERFLY_RECORD_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of blocks in a file. */
enum { HEADER = 1, CLOCK, SITE, COMMUNICATOR, EVENTS, END, WRITTEN };

/* Bytes in the order of a file. Zeros are empty. */
struct bytes {
	char *data;
	size_t length, room;
	bool failed; /* memory was lacking: data is incomplete */
};

void append(struct bytes *b, const void *data, size_t length);
void append_u32(struct bytes *b, uint32_t value);
void append_u64(struct bytes *b, uint64_t value);
void append_string(struct bytes *b, const char *text);

/* open_block begins a block and returns where its payload begins, which close_block needs to pad
 * the payload and to set its length. */
size_t open_block(struct bytes *b, uint32_t type);
void close_block(struct bytes *b, size_t begin);

#endif
