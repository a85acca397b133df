#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char usage[] =
    "bench: times MPI_Allreduce, native and with redundant exchanges, quiet and under detours in "
    "turns\n"
    "\n"
    "  --sizes 8,1024         bytes of vectors, multiples of 8 [8]\n"
    "  --schemes 1,0:1,1:2,1  R,T, or R,T,leaders or R,T,leaders,share of nodes, to measure "
    "beside the\n"
    "                         native allreduce [1,0:1,1]\n"
    "  --operations 1000      of each kind, quiet and noisy [1000]\n"
    "  --period 1ms           between the beginnings of two detours of a rank [1ms]\n"
    "  --duration 100us       of a detour [100us]\n"
    "  --launch stationary    phases of ranks at a launch: stationary, or quiet for no rank in a "
    "detour\n"
    "                         [stationary]\n"
    "  --seed 1               of the phases [1]\n"
    "  --noise injected       injected, or machine for none but the machine's own [injected]\n"
    "  --iterations 0         of an application loop, timed as a whole; 0 is one launch [0]\n"
    "  --compute 0s           of an iteration [0s]\n"
    "  --lead 100us           from agreeing on a launch to the launch [100us, or 4 × --hold]\n"
    "  --hold 0s              delay of each message; ranks sleep, so that there can be more of\n"
    "                         them than processors (bench-held only) [0s]\n"
    "  --out bench.csv        file to write [bench.csv]\n";

/* duration reads a time such as 1ms. */
static bool duration(const char *text, double *value) {
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
	char *unit;
	double number = strtod(text, &unit);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (unit != text && number >= 0 && number < 1e6 && strcmp(unit, units[i].name) == 0) {
			*value = number * units[i].seconds;
			return true;
		}
	return false;
}

static bool whole(const char *text, int least, int *value) {
	char *end;
	long number = strtol(text, &end, 10);
	*value = (int)number;
	return end != text && *end == 0 && number >= least && number <= 1 << 30;
}

static bool sizes(struct options *o, char *text) {
	o->size_count = 0;
	for (char *s = strtok(text, ","); s; s = strtok(NULL, ","))
		if (o->size_count == MAX_SIZES || !whole(s, 8, &o->sizes[o->size_count]) ||
		    o->sizes[o->size_count++] % 8 != 0)
			return false;
	return o->size_count > 0;
}

static bool schemes(struct options *o, char *text) {
	o->scheme_count = 1; /* the first is native */
	for (char *s = strtok(text, ":"); s; s = strtok(NULL, ":")) {
		if (o->scheme_count == MAX_SCHEMES ||
		    !choice_read(s, &o->schemes[o->scheme_count++].choice))
			return false;
	}
	return true;
}

void scheme_name(const struct scheme *s, char *text, size_t room) {
	const struct choice *c = &s->choice;
	if (c->sources == 0)
		snprintf(text, room, "native");
	else if (c->leaders == 0)
		snprintf(text, room, "%d,%d", c->sources, c->copies);
	else
		snprintf(text, room, "%d,%d,%d%s", c->sources, c->copies, c->leaders,
		         c->share ? ",share" : "");
}

static bool word_of(const char *text, const char *yes, const char *no, bool *value) {
	*value = strcmp(text, yes) == 0;
	return *value || strcmp(text, no) == 0;
}

static const struct option names[] = {
    {"sizes", 1, NULL, 's'},   {"schemes", 1, NULL, 'r'},  {"operations", 1, NULL, 'n'},
    {"period", 1, NULL, 'p'},  {"duration", 1, NULL, 'd'}, {"launch", 1, NULL, 'l'},
    {"seed", 1, NULL, 'S'},    {"noise", 1, NULL, 'm'},    {"iterations", 1, NULL, 'i'},
    {"compute", 1, NULL, 'c'}, {"lead", 1, NULL, 'a'},     {"hold", 1, NULL, 'h'},
    {"out", 1, NULL, 'o'},     {"help", 0, NULL, 'H'},     {NULL, 0, NULL, 0}};

static bool set(struct options *o, int name, char *text) {
	int seed;
	switch (name) {
	case 's':
		return sizes(o, text);
	case 'r':
		return schemes(o, text);
	case 'n':
		return whole(text, 1, &o->operations);
	case 'p':
		return duration(text, &o->detours.period) && o->detours.period > 0;
	case 'd':
		return duration(text, &o->detours.duration);
	case 'l':
		return word_of(text, "quiet", "stationary", &o->detours.synchronized);
	case 'S':
		o->detours.seed = whole(text, 0, &seed) ? (uint64_t)seed : 0;
		return whole(text, 0, &seed);
	case 'm':
		return word_of(text, "machine", "injected", &o->machine);
	case 'i':
		return whole(text, 0, &o->iterations);
	case 'c':
		return duration(text, &o->compute);
	case 'a':
		return duration(text, &o->lead) && o->lead > 0;
	case 'h':
		return duration(text, &o->hold);
	default:
		o->out = text;
		return name == 'o';
	}
}

bool options_read(struct options *o, int argc, char **argv, bool can_hold, FILE *errors) {
	*o = (struct options){.sizes = {8}, .size_count = 1, .operations = 1000, .out = "bench.csv"};
	o->detours = (struct detours){.period = 1e-3, .duration = 1e-4, .seed = 1};
	o->lead = -1;
	schemes(o, strdup("1,0:1,1"));
	opterr = 0;
	for (int name, index = 0; (name = getopt_long(argc, argv, "", names, &index)) != -1;)
		if (name == 'H') {
			fprintf(errors, "%s", usage);
			return false;
		} else if (name == '?') {
			fprintf(errors, "bench: %s is no option, or has no value; see bench --help\n",
			        argv[optind - 1]);
			return false;
		} else if (!set(o, name, optarg)) {
			fprintf(errors, "bench: --%s does not take this value; see bench --help\n",
			        names[index].name);
			return false;
		}
	if (optind < argc || o->detours.duration >= o->detours.period || (o->hold > 0 && !can_hold) ||
	    (o->iterations > 0) != (o->compute > 0)) {
		fprintf(errors, "bench: %s\n",
		        optind < argc                              ? "there are no arguments but options"
		        : o->detours.duration >= o->detours.period ? "--duration must be below --period"
		        : o->hold > 0 && !can_hold                 ? "--hold needs bench-held"
		                                   : "--iterations and --compute go together");
		return false;
	}
	if (o->lead < 0)
		o->lead = fmax(100e-6, 4 * o->hold);
	return true;
}
