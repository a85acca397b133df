#include "rules.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* Vectors of more bytes than this go to the native allreduce, unless JITTERFLY_MPI_MAX_BYTES says
 * otherwise: MPI libraries send longer messages only when the receiver is there, so that a rank that
 * is late delays those that exchange with it. */
enum { DEFAULT_MAX_BYTES = 2048 };

enum { MAX_COLUMNS = 128 };

/* The columns that are read, and where they are in the file. */
enum column { RANKS_MIN, RANKS_MAX, BYTES_MIN, BYTES_MAX, COLLECTIVE, SOURCES, REDUNDANCY, COLUMNS };
static const char *const names[COLUMNS] = {"ranks_min",  "ranks_max", "bytes_min", "bytes_max",
                                           "collective", "sources",   "redundancy"};

struct rule {
	long long ranks_min, ranks_max, bytes_min, bytes_max;
	int sources, copies, line;
};

struct rules {
	const char *file;
	int line;
	int at[COLUMNS];
	int columns;
	struct rule *list;
	int count;
};

/* complain writes one line to stderr, and only the first time that a process does. */
static void complain(const char *format, ...) {
	static atomic_flag said = ATOMIC_FLAG_INIT;
	if (atomic_flag_test_and_set(&said))
		return;
	char text[512];
	va_list values;
	va_start(values, format);
	vsnprintf(text, sizeof text, format, values);
	va_end(values);
	fprintf(stderr, "jitterfly-mpi: %s; using the native allreduce\n", text);
}

/* split cuts a line of CSV at its commas, and returns the number of fields. */
static int split(char *line, char *fields[MAX_COLUMNS]) {
	int count = 0;
	bool quoted = false;
	line[strcspn(line, "\r\n")] = 0;
	fields[count++] = line;
	for (char *c = line; *c; c++) {
		if (*c == '"')
			quoted = !quoted;
		if (*c != ',' || quoted || count == MAX_COLUMNS)
			continue;
		*c = 0;
		fields[count++] = c + 1;
	}
	return count;
}

/* number reads a whole number from 0 to a limit. */
static bool number(const char *text, long long limit, long long *value) {
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	*value = strtoll(text, &end, 10);
	return *end == 0 && *value <= limit;
}

static bool read_head(struct rules *r, char *line) {
	char *fields[MAX_COLUMNS];
	r->columns = split(line, fields);
	for (int c = 0; c < COLUMNS; c++) {
		r->at[c] = 0;
		while (r->at[c] < r->columns && strcmp(fields[r->at[c]], names[c]) != 0)
			r->at[c]++;
		if (r->at[c] == r->columns) {
			complain("%s:%d: there is no column %s; write the file with jitterfly choose --format csv",
			         r->file, r->line, names[c]);
			return false;
		}
	}
	return true;
}

static bool overlap(const struct rule *a, const struct rule *b) {
	return a->ranks_min <= b->ranks_max && b->ranks_min <= a->ranks_max &&
	       a->bytes_min <= b->bytes_max && b->bytes_min <= a->bytes_max;
}

/* add appends a rule, unless it contradicts an earlier one. */
static bool add(struct rules *r, struct rule rule) {
	for (int i = 0; i < r->count; i++)
		if (overlap(&r->list[i], &rule)) {
			complain("%s:%d: is for the same ranks and bytes as line %d; choose for one machine",
			         r->file, r->line, r->list[i].line);
			return false;
		}
	struct rule *list = realloc(r->list, (size_t)(r->count + 1) * sizeof *list);
	if (!list) {
		complain("%s:%d: no memory", r->file, r->line);
		return false;
	}
	r->list = list;
	r->list[r->count++] = rule;
	return true;
}

static bool read_rule(struct rules *r, char *line) {
	char *fields[MAX_COLUMNS];
	int columns = split(line, fields);
	if (columns != r->columns) {
		complain("%s:%d: %d columns instead of %d", r->file, r->line, columns, r->columns);
		return false;
	}
	long long values[COLUMNS] = {0};
	for (int c = 0; c < COLUMNS; c++) {
		const char *text = fields[r->at[c]];
		bool small = c == SOURCES || c == REDUNDANCY;
		if (c != COLLECTIVE && !number(text, small ? INT_MAX : LLONG_MAX - 1, &values[c])) {
			complain("%s:%d: %s is \"%s\", not a whole number", r->file, r->line, names[c], text);
			return false;
		}
	}
	bool butterfly = strcmp(fields[r->at[COLLECTIVE]], "butterfly") == 0;
	return add(r, (struct rule){.ranks_min = values[RANKS_MIN],
	                            .ranks_max = values[RANKS_MAX],
	                            .bytes_min = values[BYTES_MIN],
	                            .bytes_max = values[BYTES_MAX],
	                            .sources = butterfly ? (int)values[SOURCES] : 0,
	                            .copies = butterfly ? (int)values[REDUNDANCY] : 0,
	                            .line = r->line});
}

/* read_rules reads the file, and leaves no rule if anything in it is wrong. */
static void read_rules(struct rules *r) {
	FILE *f = fopen(r->file, "r");
	if (!f) {
		complain("cannot read %s", r->file);
		return;
	}
	char *line = NULL;
	size_t room = 0;
	bool good = true;
	while (good && getline(&line, &room, f) >= 0) {
		r->line++;
		if (r->line == 1)
			good = read_head(r, line);
		else if (line[strspn(line, " \r\n")])
			good = read_rule(r, line);
	}
	if (good && r->count == 0)
		complain("%s:%d: there is no rule", r->file, r->line);
	if (!good)
		r->count = 0;
	free(line);
	fclose(f);
}

static int by_bytes(const void *a, const void *b) {
	const struct choice *x = a, *y = b;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* choose writes the choices for so many ranks into a list with room for all rules. A rule applies up
 * to the next numbers of ranks and of bytes that were simulated, and its bounds were. */
static int choose(const struct rules *r, int ranks, struct choice *list) {
	long long nearest = -1;
	for (const struct rule *a = r->list; a < r->list + r->count; a++) {
		if (a->ranks_min <= ranks && a->ranks_min > nearest)
			nearest = a->ranks_min;
		if (a->ranks_max <= ranks && a->ranks_max > nearest)
			nearest = a->ranks_max;
	}
	int count = 0;
	for (const struct rule *a = r->list; a < r->list + r->count; a++) {
		if (nearest < a->ranks_min || nearest > a->ranks_max)
			continue;
		struct shape shape;
		const char *wrong = a->sources ? shape_init(&shape, ranks, a->sources, a->copies) : NULL;
		if (wrong)
			complain("%s:%d: R = %d, T = %d for %d ranks: %s", r->file, a->line, a->sources, a->copies,
			         ranks, wrong);
		list[count++] = (struct choice){
		    (size_t)a->bytes_min, wrong ? 0 : a->sources, wrong ? 0 : a->copies, a->line};
	}
	qsort(list, (size_t)count, sizeof *list, by_bytes);
	return count;
}

/* force reads R,T. */
static int force(const char *text, int ranks, struct choice *choice) {
	int length = 0;
	struct shape shape;
	*choice = (struct choice){0};
	if (sscanf(text, "%d,%d%n", &choice->sources, &choice->copies, &length) != 2 || text[length]) {
		complain("JITTERFLY_MPI_FORCE is \"%s\", not R,T such as 2,1", text);
		return 0;
	}
	const char *wrong = shape_init(&shape, ranks, choice->sources, choice->copies);
	if (wrong)
		complain("JITTERFLY_MPI_FORCE is \"%s\" for %d ranks: %s", text, ranks, wrong);
	return wrong ? 0 : 1;
}

/* setting returns a variable of the environment, or NULL if it is not set or empty. */
static const char *setting(const char *name) {
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

struct choices rules_choose(int ranks) {
	struct choices c = {.max_bytes = DEFAULT_MAX_BYTES};
	const char *forced = setting("JITTERFLY_MPI_FORCE"), *limit = setting("JITTERFLY_MPI_MAX_BYTES");
	const char *verbose = setting("JITTERFLY_MPI_VERBOSE");
	struct rules r = {.file = setting("JITTERFLY_MPI_RULES")};
	long long bytes = DEFAULT_MAX_BYTES;
	bool good = !limit || number(limit, INT_MAX / 2, &bytes);
	c.verbose = verbose && strcmp(verbose, "0") != 0;
	c.max_bytes = (size_t)bytes;
	if (!good)
		complain("JITTERFLY_MPI_MAX_BYTES is \"%s\", not a number of bytes up to %d", limit, INT_MAX / 2);
	else if (!forced && r.file)
		read_rules(&r);
	c.list = malloc(((size_t)r.count + 1) * sizeof *c.list);
	if (c.list && good)
		c.count = forced ? force(forced, ranks, c.list) : choose(&r, ranks, c.list);
	free(r.list);
	return c;
}
