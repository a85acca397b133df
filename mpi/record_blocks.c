#include "record_blocks.h"

#include <stdlib.h>
#include <string.h>

void append(struct bytes *b, const void *data, size_t length) {
	if (b->length + length > b->room) {
		size_t room = 2 * (b->length + length) + 4096;
		char *more = realloc(b->data, room);
		if (!more) {
			b->failed = true;
			return;
		}
		b->data = more;
		b->room = room;
	}
	memcpy(b->data + b->length, data, length);
	b->length += length;
}

void append_u32(struct bytes *b, uint32_t value) { append(b, &value, sizeof value); }
void append_u64(struct bytes *b, uint64_t value) { append(b, &value, sizeof value); }

void append_string(struct bytes *b, const char *text) {
	append_u32(b, (uint32_t)strlen(text));
	append(b, text, strlen(text));
}

size_t open_block(struct bytes *b, uint32_t type) {
	append_u32(b, type);
	append_u32(b, 0);
	return b->length;
}

void close_block(struct bytes *b, size_t begin) {
	append(b, (char[8]){0}, (8 - (b->length - begin) % 8) % 8);
	uint32_t length = (uint32_t)(b->length - begin);
	if (!b->failed)
		memcpy(b->data + begin - sizeof length, &length, sizeof length);
}
