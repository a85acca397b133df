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
 * otherwise: MPI libraries send longer messages only when the receiver is there, so that a rank
 * that is late delays those that exchange with it. */
enum { DEFAULT_MAX_BYTES = 2048 };

/* How a file of rules begins; columns that follow describe the machine. */
static const char head[] =
    "ranks_min,ranks_max,bytes_min,bytes_max,collective,sources,segments,redundancy,";

struct rule {
	long long ranks_min, ranks_max, bytes_min, bytes_max;
	int sources, copies, line;
};

struct rules {
	const char *file;
	int line;
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

/* number reads a whole number from 0 to a limit. */
static bool number(const char *text, long long limit, long long *value) {
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	*value = strtoll(text, &end, 10);
	return *end == 0 && *value <= limit;
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

/* read_line reads the head or a rule. */
static bool read_line(struct rules *r, const char *line) {
	struct rule rule = {.line = ++r->line};
	char collective[32];
	if (r->line == 1 && strncmp(line, head, sizeof head - 1) != 0) {
		complain("%s:1: is not what jitterfly choose --format csv prints", r->file);
		return false;
	}
	if (r->line == 1 || line[strspn(line, " \r\n")] == 0)
		return true;
	if (sscanf(line, "%lld,%lld,%lld,%lld,%31[^,],%d,%*d,%d,", &rule.ranks_min, &rule.ranks_max,
	           &rule.bytes_min, &rule.bytes_max, collective, &rule.sources, &rule.copies) != 7 ||
	    rule.ranks_min < 0 || rule.bytes_min < 0) {
		complain("%s:%d: is not a rule: %s", r->file, r->line, head);
		return false;
	}
	/* Without redundancy the MPI library's own is faster. */
	bool redundant = rule.sources != 1 || rule.copies != 0;
	if (strcmp(collective, "butterfly") != 0 || !redundant)
		rule.sources = rule.copies = 0;
	return add(r, rule);
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
	while (good && getline(&line, &room, f) >= 0)
		good = read_line(r, line);
	if (good && r->count == 0)
		complain("%s:%d: there is no rule", r->file, r->line);
	if (!good)
		r->count = 0;
	free(line);
	fclose(f);
}

/* check makes a choice native if so many ranks cannot exchange so. */
static void check(struct choice *c, int ranks, const char *file) {
	struct shape shape;
	const char *wrong = c->sources > 0 ? shape_init(&shape, ranks, c->sources, c->copies) : NULL;
	if (!wrong)
		return;
	complain("%s:%d: R = %d, T = %d for %d ranks: %s", file, c->line, c->sources, c->copies, ranks,
	         wrong);
	c->sources = c->copies = 0;
}

/* choose writes the choices for so many ranks into a list with room for all rules. A rule applies
 * up to the next numbers of ranks and of bytes that were simulated, and its bounds were. */
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
		struct choice choice = {(size_t)a->bytes_min, a->sources, a->copies, a->line};
		check(&choice, ranks, r->file);
		int i = count++;
		for (; i > 0 && list[i - 1].bytes > choice.bytes; i--)
			list[i] = list[i - 1];
		list[i] = choice;
	}
	return count;
}

/* force reads R,T. */
static int force(const char *text, int ranks, struct choice *choice) {
	int length = 0;
	struct shape shape;
	*choice = (struct choice){0};
	const char *wrong = "it must be R,T such as 2,1";
	if (sscanf(text, "%d,%d%n", &choice->sources, &choice->copies, &length) == 2 && !text[length])
		wrong = shape_init(&shape, ranks, choice->sources, choice->copies);
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
	const char *forced = setting("JITTERFLY_MPI_FORCE"),
	           *limit = setting("JITTERFLY_MPI_MAX_BYTES");
	const char *verbose = setting("JITTERFLY_MPI_VERBOSE");
	struct rules r = {.file = setting("JITTERFLY_MPI_RULES")};
	long long bytes = DEFAULT_MAX_BYTES;
	bool good = !limit || number(limit, INT_MAX / 2, &bytes);
	c.verbose = verbose && strcmp(verbose, "0") != 0;
	c.max_bytes = (size_t)bytes;
	if (!good)
		complain("JITTERFLY_MPI_MAX_BYTES is \"%s\", not a number of bytes up to %d", limit,
		         INT_MAX / 2);
	else if (!forced && r.file)
		read_rules(&r);
	c.list = malloc(((size_t)r.count + 1) * sizeof *c.list);
	if (c.list && good)
		c.count = forced ? force(forced, ranks, c.list) : choose(&r, ranks, c.list);
	free(r.list);
	return c;
}
