#include "rules.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* Vectors of more bytes than this go to the native allreduce, unless JITTERFLY_MPI_MAX_BYTES says
 * otherwise: MPI libraries send longer messages only when the receiver is there, so that a rank
 * that is late delays those that exchange with it. */
enum { DEFAULT_MAX_BYTES = 2048, DEFAULT_CONNECT = 8 };

/* More sources, copies or segments than this are a mistake in a file. */
enum { MOST_OF_A_RULE = 1 << 18 };

/* How a file of rules begins; columns that follow describe the machine. */
static const char head[] =
    "ranks_min,ranks_max,bytes_min,bytes_max,collective,sources,segments,redundancy,leaders,share,";

/* What some programs write before that, to say that a text is UTF-8. */
static const char mark[] = "\xEF\xBB\xBF";

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

static bool overlap(const struct rule *a, const struct rule *b) {
	return a->ranks_min <= b->ranks_max && b->ranks_min <= a->ranks_max &&
	       a->bytes_min <= b->bytes_max && b->bytes_min <= a->bytes_max;
}

/* add appends a rule, unless it contradicts an earlier one. */
static bool add(struct rules *r, struct rule rule) {
	for (int i = 0; i < r->count; i++)
		if (overlap(&r->list[i], &rule)) {
			complain(
			    "%s:%d: has ranks and bytes in common with line %d: keep the rules of one machine",
			    r->file, rule.line, r->list[i].line);
			return false;
		}
	struct rule *list = realloc(r->list, (size_t)(r->count + 1) * sizeof *list);
	if (!list) {
		complain("%s:%d: no memory", r->file, rule.line);
		return false;
	}
	r->list = list;
	r->list[r->count++] = rule;
	return true;
}

/* read_line reads the head or a rule. */
static bool read_line(struct rules *r, const char *line, int at) {
	struct rule rule = {.line = at};
	char collective[32], share[8] = "";
	if (at == 1 && strncmp(line, mark, sizeof mark - 1) == 0)
		line += sizeof mark - 1;
	if (at == 1 && strncmp(line, head, sizeof head - 1) != 0) {
		complain("%s:1: is not what jitterfly choose --format csv prints", r->file);
		return false;
	}
	if (at == 1 || line[strspn(line, " \r\n")] == 0)
		return true;
	long long sources = 0, segments = 0, copies = 0, leaders = 0;
	int read = sscanf(line, "%lld,%lld,%lld,%lld,%31[^,],%lld,%lld,%lld,%lld,%7[^,],",
	                  &rule.ranks_min, &rule.ranks_max, &rule.bytes_min, &rule.bytes_max,
	                  collective, &sources, &segments, &copies, &leaders, share);
	rule.share = strcmp(share, "true") == 0;
	if (strcmp(collective, "leaders") != 0)
		leaders = 0;
	if (read < 10 || leaders < 0 || leaders > INT_MAX || rule.ranks_min < 0 ||
	    rule.ranks_max < rule.ranks_min || rule.ranks_max > INT_MAX || rule.bytes_min < 0 ||
	    rule.bytes_max < rule.bytes_min || rule.bytes_max > LLONG_MAX / 2) {
		complain("%s:%d: is not a rule: %s", r->file, at, head);
		return false;
	}
	if (sources < 1 || segments < 1 || copies < 0 || sources > MOST_OF_A_RULE ||
	    segments > MOST_OF_A_RULE || copies > MOST_OF_A_RULE) {
		complain("%s:%d: has R = %lld, %lld segments and T = %lld: R and segments are at least 1, T is at "
		         "least 0, and none is above %d",
		         r->file, at, sources, segments, copies, MOST_OF_A_RULE);
		return false;
	}
	rule.sources = (int)sources;
	rule.copies = (int)copies;
	rule.leaders = (int)leaders;
	/* Without redundancy the MPI library's own allreduce serves as well. */
	if ((strcmp(collective, "butterfly") != 0 && rule.leaders == 0) ||
	    (rule.sources == 1 && rule.copies == 0 && rule.leaders <= 1))
		rule.sources = rule.copies = 0;
	return add(r, rule);
}

/* read_file reads the file, and leaves no rule if anything in it is wrong. */
static void read_file(struct rules *r) {
	FILE *f = fopen(r->file, "r");
	if (!f) {
		complain("cannot read %s", r->file);
		return;
	}
	char *line = NULL;
	size_t room = 0;
	int at = 0;
	bool good = true;
	while (good && getline(&line, &room, f) >= 0)
		good = read_line(r, line, ++at);
	if (ferror(f)) {
		complain("cannot read %s", r->file);
		good = false;
	} else if (good && at == 0) {
		complain("%s is empty: jitterfly choose printed an error in place of rules", r->file);
	} else if (good && r->count == 0) {
		complain("%s: there is no rule in it", r->file);
	}
	if (!good)
		r->count = 0;
	free(line);
	fclose(f);
}

/* setting returns a variable of the environment, or NULL if it is not set or empty. */
static const char *setting(const char *name) {
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

/* whole reads a variable that is a whole number in a range, if it is set, and complains of another. */
static bool whole(const char *name, long long least, long long most, long long *value) {
	const char *text = setting(name);
	char *end = "";
	if (text)
		*value = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;
	if (!*end && *value >= least && *value <= most)
		return true;
	complain("%s is \"%s\", not a whole number from %lld to %lld", name, text, least, most);
	return false;
}

bool choice_read(const char *text, struct choice *c) {
	int length = 0;
	long long sources, copies, leaders;
	*c = (struct choice){.last = SIZE_MAX};
	if (sscanf(text, "%lld,%lld%n", &sources, &copies, &length) != 2 || sources < 1 ||
	    sources > INT_MAX || copies < 0 || copies > INT_MAX)
		return false;
	c->sources = (int)sources;
	c->copies = (int)copies;
	if (text[length] == 0)
		return true;
	text += length;
	if (sscanf(text, ",%lld%n", &leaders, &length) != 1 || leaders < 1 || leaders > INT_MAX)
		return false;
	c->leaders = (int)leaders;
	c->share = strcmp(text + length, ",share") == 0;
	return c->share || text[length] == 0;
}

struct rules rules_read(void) {
	struct rules r = {0};
	const char *forced = setting("JITTERFLY_MPI_FORCE"), *file = setting("JITTERFLY_MPI_RULES");
	const char *verbose = setting("JITTERFLY_MPI_VERBOSE");
	long long bytes = DEFAULT_MAX_BYTES, node_ranks = 0, call = DEFAULT_CONNECT;
	bool good = whole("JITTERFLY_MPI_MAX_BYTES", 0, INT_MAX / 2, &bytes) &&
	            whole("JITTERFLY_MPI_NODE_RANKS", 0, INT_MAX, &node_ranks) &&
	            whole("JITTERFLY_MPI_CONNECT", 1, INT_MAX, &call);
	r.max_bytes = (size_t)bytes;
	r.node_ranks = (int)node_ranks;
	r.connect = (int)call;
	r.verbose = verbose && strcmp(verbose, "0") != 0;
	snprintf(r.file, sizeof r.file, "%s", file ? file : "");
	if (good && forced && !choice_read(forced, &r.forced)) {
		complain("JITTERFLY_MPI_FORCE is \"%s\": it must be R,T such as 2,1, or of leaders such as "
		         "1,0,2,share",
		         forced);
		r.forced.sources = 0;
	} else if (good && !forced && file) {
		read_file(&r);
	}
	r.any = r.forced.sources > 0;
	for (int i = 0; i < r.count; i++)
		r.any = r.any || r.list[i].sources > 0;
	return r;
}

/* check makes a choice native if the ranks cannot exchange like that. */
static void check(const struct rules *r, struct choice *c, int ranks, bool speak) {
	struct shape shape;
	const char *wrong = NULL; /* leaders have no more than their nodes allow */
	if (c->sources > 0 && c->leaders == 0)
		wrong = shape_init(&shape, ranks, c->sources, c->copies);
	if (wrong && speak && c->line > 0)
		complain("%s:%d: R = %d, T = %d for %d ranks: %s", r->file, c->line, c->sources, c->copies,
		         ranks, wrong);
	else if (wrong && speak)
		complain("JITTERFLY_MPI_FORCE is \"%d,%d\" for %d ranks: %s", c->sources, c->copies, ranks,
		         wrong);
	if (wrong)
		c->sources = c->copies = 0;
}

int rules_choose(const struct rules *r, int ranks, bool speak, struct choice *list) {
	int count = 0;
	if (r->forced.sources > 0) {
		list[count++] = r->forced;
		check(r, &list[0], ranks, speak);
		return count;
	}
	long long nearest = -1; /* ranks that were simulated */
	for (const struct rule *a = r->list; a < r->list + r->count; a++) {
		if (a->ranks_min <= ranks && a->ranks_min > nearest)
			nearest = a->ranks_min;
		if (a->ranks_max <= ranks && a->ranks_max > nearest)
			nearest = a->ranks_max;
	}
	for (const struct rule *a = r->list; a < r->list + r->count; a++) {
		if (nearest < a->ranks_min || nearest > a->ranks_max || ranks > 2 * a->ranks_max)
			continue;
		struct choice choice = {(size_t)a->bytes_min,
		                        2 * (size_t)a->bytes_max,
		                        a->sources,
		                        a->copies,
		                        a->line,
		                        a->leaders,
		                        a->share};
		check(r, &choice, ranks, speak);
		int i = count++;
		for (; i > 0 && list[i - 1].bytes > choice.bytes; i--)
			list[i] = list[i - 1];
		list[i] = choice;
	}
	return count;
}
