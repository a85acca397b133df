/*
 * The file of a rank's recording (docs/format.md): what the environment asks for, blocks put
 * together in memory, and a file that grows up to a limit.
 */
#ifndef JITTERFLY_RECORD_FILE_H
#define JITTERFLY_RECORD_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
	uint64_t limit;           /* of a file [bytes]; 0 if nothing is to be recorded */
	char directory[PATH_MAX]; /* absolute */
};

/* settings_read reads JITTERFLY_MPI_RECORD and JITTERFLY_MPI_RECORD_LIMIT, and makes the directory.
 * It warns of values that are not valid. */
struct settings settings_read(void);

/* The types of blocks in a file. */
enum { HEADER = 1, CLOCK, SITE, COMMUNICATOR, EVENTS, END, WRITTEN };

/* Bytes in the order of a file. Zeros are empty. */
struct bytes {
	char *data;
	size_t length, room;
	bool failed; /* memory was lacking: data is incomplete */
};

/* reserve makes room for more bytes, so that appending them allocates no memory. */
void reserve(struct bytes *b, size_t more);

void append(struct bytes *b, const void *data, size_t length);
void append_u32(struct bytes *b, uint32_t value);
void append_u64(struct bytes *b, uint64_t value);
void append_string(struct bytes *b, const char *text);

/* block_sum returns the checksum of a block with a payload of whole 8 bytes. */
uint64_t block_sum(uint32_t type, const void *payload, size_t length);

/* open_block begins a block and returns where its payload begins, which close_block needs to pad
 * the payload and to set its length and its checksum. */
size_t open_block(struct bytes *b, uint32_t type);
void close_block(struct bytes *b, size_t begin);

/* file_create creates the file of a rank in a directory, with room for limit bytes. It returns 0,
 * or an error number of errno. file_remove removes what it has created, if anything. */
int file_create(const char *directory, int rank, uint64_t limit);
void file_remove(void);

/* file_agree returns whether all ranks of MPI_COMM_WORLD have a file, of which this one's rank and error
 * are given. If not, rank 0 prints the error of the first without. */
bool file_agree(const char *directory, int rank, int ranks, int error);

/* file_room returns how many bytes can be added now, apart from reserved ones: 0 if the program has
 * closed the file. */
uint64_t file_room(uint64_t reserved);

/* file_put adds all bytes and returns true. If they do not fit on the disk it adds none. Like
 * file_room it may be called in a signal handler. */
bool file_put(const void *data, size_t length);

void file_close(void);

#endif
