/*
 * The file of a rank's recording, which grows up to a limit.
 */
#ifndef JITTERFLY_RECORD_FILE_H
#define JITTERFLY_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* file_create creates the file of a rank in a directory, with room for limit bytes. It returns 0,
 * or an error number of errno. file_remove removes what it has created, if anything. */
int file_create(const char *directory, int rank, uint64_t limit);
void file_remove(void);

/* file_room returns how many bytes can be added now, apart from reserved ones: 0 if the program has
 * closed the file. */
uint64_t file_room(uint64_t reserved);

/* file_put adds all bytes and returns true. If they do not fit on the disk it adds none. */
bool file_put(const void *data, size_t length);

void file_close(void);

#endif
