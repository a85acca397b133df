/*
 * Writes what recordings have, as lines of text:
 *
 *	recorded FILE…
 *
 *	header RANK RANKS HOST LIBRARY RANKS-OF-NODE PROCESSORS
 *	clock AT OFFSET ERROR                       [ns]
 *	site NUMBER ADDRESS OBJECT SYMBOL
 *	communicator NUMBER RANKS RANK KEY WORLD_RANK…
 *	event ENTRY EXIT BYTES COMMUNICATOR SITE KIND OPERATION
 *	written FROM TO
 *	end EVENTS LOST
 *
 * A last block that is not complete is one line, "incomplete". What no recording has is an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is not read yet of a block. */
static const char *at, *end;

static uint64_t number(size_t bytes) {
	uint64_t value = 0;
	if (at + bytes > end) {
		fprintf(stderr, "recorded: a block is too short\n");
		exit(1);
	}
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)at[i] << (8 * i);
	at += bytes;
	return value;
}

static void text(void) {
	uint64_t length = number(4);
	if (length > (uint64_t)(end - at))
		number((size_t)-1 / 2);
	printf(" %.*s", (int)length, length ? at : "");
	at += length;
}

static void numbers(const char *name, const char *widths) {
	printf("%s", name);
	for (; *widths; widths++)
		printf(" %" PRIu64, number((size_t)(*widths - '0')));
}

/* communicator prints the ranks of one like another as those. */
static void communicator(void) {
	static int32_t *ranks[1 << 20];
	uint64_t id = number(4), size = number(4), rank = number(4), like = number(4);
	printf("communicator %" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64, id, size, rank, number(8));
	int32_t *these = like > 0 ? ranks[like] : malloc(size * sizeof *these + 1);
	for (uint64_t i = 0; i < size; i++) {
		if (like == 0)
			these[i] = (int32_t)number(4);
		printf(" %" PRId32, these[i]);
	}
	ranks[id] = these;
}

static void block(uint64_t type) {
	switch (type) {
	case 1:
		numbers("header", "44");
		number(8), number(8);
		text(), text();
		numbers("", "44");
		break;
	case 2: {
		uint64_t when = number(8);
		int64_t offset = (int64_t)number(8);
		printf("clock %" PRIu64 " %" PRId64 " %" PRIu64, when, offset, number(8));
		break;
	}
	case 3:
		printf("site %" PRIu64, number(4));
		number(4);
		printf(" %" PRIx64, number(8));
		text(), text();
		break;
	case 4:
		communicator();
		break;
	case 5:
		while (at < end) {
			numbers("event", "8884211");
			if (at < end)
				printf("\n");
		}
		break;
	case 6:
		numbers("end", "88");
		break;
	case 7:
		numbers("written", "88");
		break;
	default:
		fprintf(stderr, "recorded: block of type %" PRIu64 "\n", type);
		exit(1);
	}
	printf("\n");
}

static void file(const char *name) {
	static char head[16], *payload;
	FILE *f = fopen(name, "rb");
	if (!f || fread(head, 1, 8, f) != 8 || memcmp(head, "jfcalls2", 8) != 0) {
		fprintf(stderr, "recorded: %s is not a recording\n", name);
		exit(1);
	}
	for (size_t got; (got = fread(head, 1, sizeof head, f)) > 0;) {
		at = head, end = head + got;
		uint64_t type = got == sizeof head ? number(4) : 0, length = type ? number(4) : 0;
		payload = realloc(payload, length + 1);
		if (got < sizeof head || !payload || fread(payload, 1, length, f) != length) {
			printf("incomplete\n");
			break;
		}
		if (length % 8 != 0 || type == 0) {
			fprintf(stderr, "recorded: %s has a block of %" PRIu64 " bytes\n", name, length);
			exit(1);
		}
		at = payload, end = payload + length;
		block(type);
	}
	fclose(f);
}

int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++)
		file(argv[i]);
	return 0;
}
