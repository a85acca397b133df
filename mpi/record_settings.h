/*
 * What is to be recorded where, as the environment of rank 0 says.
 */
#ifndef JITTERFLY_RECORD_SETTINGS_H
#define JITTERFLY_RECORD_SETTINGS_H

#include <limits.h>
#include <stdint.h>

struct settings {
	uint64_t limit;           /* of a file [bytes]; 0 if nothing is to be recorded */
	char directory[PATH_MAX]; /* absolute */
};

/* settings_read reads JITTERFLY_MPI_RECORD and JITTERFLY_MPI_RECORD_LIMIT, and makes the directory.
 * It warns of values that are not valid. */
struct settings settings_read(void);

/* warn prints a line to standard error. */
void warn(const char *what);

#endif
