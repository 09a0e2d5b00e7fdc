/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_scenario.c -- no bytes whatever make the readers of scenarios and of claims crash, leak or
 * contradict themselves.
 *
 *	fuzz SECONDS [FILE...]	changes the files at random; default: those of scenarios/ and
 *				tests/bad/
 *	fuzz 0 FILE...		reads just these
 *
 * What is tried depends on the number of the attempt alone, so a crash comes again. Attempts run in
 * a child; when it dies the parent still has the text, in memory both share, and saves it. Compiled
 * with -DWITH_LIBFUZZER and clang's -fsanitize=fuzzer, libFuzzer takes the place of the driver. */
#define _GNU_SOURCE
#include "lab/analysis/claims.h"
#include "lab/scenario/scenario.h"
#include "tests/fuzz_loop.h"
#include "weir/rng.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- what must hold --- */

static void must(int holds, const char *claim)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", claim);
	abort();
}

/* The settings of a config, as assignments for scenario_set. */
struct listing {
	char **assignments;
	size_t count;
	int no_way_back; /* some text is longer than can be read back, or a file is missing */
};

static void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->assignments[i]);
	free(l->assignments);
}

static void take_setting(void *context, const char *path, const char *text)
{
	struct listing *l = context;
	char *made = malloc(strlen(path) + strlen(text) + 2);

	l->assignments = realloc(l->assignments, (l->count + 1) * sizeof(*l->assignments));
	must(made && l->assignments, "there is memory");
	sprintf(made, "%s=%s", path, text);
	l->assignments[l->count++] = made;
	if (strlen(text) >= WEIR_OPT_TEXT_SIZE)
		l->no_way_back = 1;
}

static struct listing list_settings(const struct config *c)
{
	struct listing l = { NULL, 0, 0 };
	struct weir_error e = { "" };

	/* Files that settings name are looked into, and are mostly not there. */
	if (scenario_settings(c, take_setting, &l, &e)) {
		must(strstr(e.text, "cannot be read") != NULL, e.text);
		l.no_way_back = 1;
	}
	return l;
}

/* "digest.host.cc=...": the content of a model or file that a setting names identifies a run, but
 * is no setting itself; it follows from the setting when that is read back. */
static int is_digest(const char *assignment)
{
	return strncmp(assignment, "digest.", strlen("digest.")) == 0;
}

/* Settings listed, read back and listed again are the same settings. */
static void check_round_trip(const struct scenario *s, const struct config *c)
{
	struct listing first = list_settings(c), second;
	struct scenario again;
	struct config back;
	struct weir_error e = { "" };
	char header[256];

	must(scenario_read_text(&again, "again", "", 0, &e) == 0, "nothing can be read");
	for (uint32_t i = 0; i < s->section_count; i++) {
		const char *dot = strchr(s->sections[i].path, '.');
		struct scenario one;

		if (!dot)
			continue;
		snprintf(header, sizeof(header), "[traffic %s]", dot + 1);
		must(scenario_read_text(&one, "again", header, strlen(header), &e) == 0, header);
		again.sections = realloc(again.sections,
					 (again.section_count + 1) * sizeof(*again.sections));
		must(again.sections != NULL, "there is memory");
		again.sections[again.section_count++] = one.sections[0];
		one.section_count = 0;
		scenario_free(&one);
	}
	if (!first.no_way_back) {
		for (size_t i = 0; i < first.count; i++)
			must(is_digest(first.assignments[i]) ||
				     scenario_set(&again, first.assignments[i], &e) == 0,
			     e.text);
		must(scenario_config(&again, &back, &e) == 0, e.text);
		second = list_settings(&back);
		must(first.count == second.count, "as many settings");
		for (size_t i = 0; i < first.count; i++)
			must(strcmp(first.assignments[i], second.assignments[i]) == 0,
			     second.assignments[i]);
		listing_free(&second);
		config_free(&back);
	}
	listing_free(&first);
	scenario_free(&again);
}

/* A message is one line that says where. */
static void check_message(const struct weir_error *e)
{
	must(strncmp(e->text, "in:", 3) == 0, "a message starts with the file");
	must(strlen(e->text) > strlen("in: "), "a message says something");
	must(!strpbrk(e->text, "\n\r\033"), "a message is one line of text");
}

static void try_scenario(const char *text, size_t size)
{
	struct scenario s;
	struct config c;
	struct weir_error e = { "" };

	if (scenario_read_text(&s, "in", text, size, &e)) {
		check_message(&e);
		return;
	}
	if (scenario_config(&s, &c, &e)) {
		check_message(&e);
	} else {
		check_round_trip(&s, &c);
		config_free(&c);
	}
	scenario_free(&s);
}

/* What is read of claims is whole. */
static void try_claims(const char *text, size_t size)
{
	struct figure f;
	struct weir_error e = { "" };

	if (figure_read_text(&f, "in", text, size, &e)) {
		check_message(&e);
		return;
	}
	must(*f.title && *f.paper, "a figure has a title and a paper");
	for (uint32_t i = 0; i < f.panel_count; i++)
		must(f.panels[i].y_count > 0, "a panel shows something");
	for (uint32_t i = 0; i < f.claim_count; i++)
		must(f.claims[i].accept_low <= f.claims[i].accept_high, "a claim can hold");
	figure_free(&f);
}

/* A file is one or the other, and what changed may have made it either. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_scenario((const char *)data, size);
	try_claims((const char *)data, size);
	return 0;
}

#ifndef WITH_LIBFUZZER

/* --- the driver --- */

enum { INPUT_MAX = 1 << 16, CORPUS_MAX = 256 };

#define CRASH_FILE "build/fuzz-crash.ini"

struct input {
	size_t length;
	char text[INPUT_MAX];
};

/* Seen by parent and child. */
struct shared {
	uint64_t attempt;
	struct input input;
};

struct corpus {
	size_t count;
	struct input *inputs[CORPUS_MAX];
};

static int corpus_add(struct corpus *c, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct input *made = calloc(1, sizeof(*made));

	if (!f || !made || c->count == CORPUS_MAX) {
		fprintf(stderr, "fuzz: cannot take %s\n", path);
		if (f)
			fclose(f);
		free(made);
		return -1;
	}
	made->length = fread(made->text, 1, INPUT_MAX, f);
	fclose(f);
	c->inputs[c->count++] = made;
	return 0;
}

static int corpus_glob(struct corpus *c, const char *pattern)
{
	glob_t found;
	int failed = glob(pattern, 0, NULL, &found);

	for (size_t i = 0; !failed && i < found.gl_pathc; i++)
		failed = corpus_add(c, found.gl_pathv[i]);
	globfree(&found);
	return failed;
}

static void corpus_free(struct corpus *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->inputs[i]);
}

/* Replaces the bytes from at to end by others, as far as there is room. */
static void replace(struct input *in, size_t at, size_t end, const char *with, size_t length)
{
	if (in->length - (end - at) + length > INPUT_MAX)
		return;
	memmove(in->text + at + length, in->text + end, in->length - end);
	memcpy(in->text + at, with, length);
	in->length = in->length - (end - at) + length;
}

static const char *const words[] = {
	"[network]\n",
	"[switch]\n",
	"[host]\n",
	"[traffic x]\n",
	"[measure]\n",
	"topology = ",
	"star",
	"leaf-spine",
	"explicit",
	"link = h0 s 1Gbps 1us\n",
	"fail = sw h1 1ms\n",
	"pattern = ",
	"list",
	"flow = 0 1 1KB 0us\n",
	"size = ",
	"unlimited",
	"marking = red(",
	"weights=1:2:3",
	"0us..1ms",
	"18446744073709551615",
	"18446744073709551616",
	"-1",
	"1e9",
	"0.1",
	"1/16",
	"5%",
	"1/0",
	"KiB",
	"Gbps",
	"pkts",
	"us",
	"=",
	":",
	";",
	" # ",
	"(",
	")",
	",",
	"\n",
	"\r\n",
	"\xef\xbb\xbf",
	"\t",
	"seed = 1\n",
	"queues = 128\n",
	"scheduler = sp-dwrr(",
	"buffer-per = switch\n",
	"nic = fifo(marking=",
	"[figure]\n",
	"[panel a]\n",
	"[claim c]\n",
	"title = t\n",
	"kind = time\ny = ",
	"metric = ",
	"range = ",
	"value = 1.4ms\n",
	"tolerance = 25%\n",
	"of = switch.marking=",
};

/* One small change at a random place. */
static void mutate(struct input *in, const struct corpus *c, struct weir_rng *r)
{
	size_t at = weir_rng_below(r, in->length + 1), end = at;
	const struct input *other = c->inputs[weir_rng_below(r, c->count)];
	const char *word = words[weir_rng_below(r, sizeof(words) / sizeof(words[0]))];
	char byte = (char)weir_rng_u32(r);
	size_t from, length;

	while (end < in->length && weir_rng_below(r, 12) != 0)
		end++;
	switch (weir_rng_below(r, 6)) {
	case 0: /* a byte */
		replace(in, at, at < in->length ? at + weir_rng_below(r, 2) : at, &byte, 1);
		break;
	case 1: /* less */
		replace(in, at, end, "", 0);
		break;
	case 2: /* a word in place of something */
		replace(in, at, end, word, strlen(word));
		break;
	case 3: /* a word more */
		replace(in, at, at, word, strlen(word));
		break;
	case 4: /* a piece of another file */
		from = weir_rng_below(r, other->length + 1);
		length = weir_rng_below(r, other->length - from + 1);
		replace(in, at, at, other->text + from, length < 200 ? length : 200);
		break;
	default: /* the same again */
		replace(in, at, at, in->text + at, end - at);
		break;
	}
}

static void make_attempt(struct shared *s, const struct corpus *c)
{
	struct weir_rng r = weir_rng_make(s->attempt, 0, WEIR_RNG_TEST);

	s->input = *c->inputs[weir_rng_below(&r, c->count)];
	for (uint64_t i = weir_rng_below(&r, 8); i > 0; i--)
		mutate(&s->input, c, &r);
	/* The text is copied to its size, so that the sanitizer sees a byte read beyond it. */
	uint8_t *exact = malloc(s->input.length + 1);

	must(exact != NULL, "there is memory");
	memcpy(exact, s->input.text, s->input.length);
	exact = realloc(exact, s->input.length ? s->input.length : 1);
	LLVMFuzzerTestOneInput(exact, s->input.length);
	free(exact);
}

/* What every attempt is given. */
struct trial {
	struct shared *at;
	const struct corpus *corpus;
};

static void attempt(void *context)
{
	const struct trial *t = context;

	make_attempt(t->at, t->corpus);
}

static void fuzz(struct shared *s, const struct corpus *c, double seconds)
{
	for (size_t i = 0; i < c->count; i++) {
		s->input = *c->inputs[i];
		LLVMFuzzerTestOneInput((const uint8_t *)s->input.text, s->input.length);
	}
	if (seconds > 0)
		fuzz_loop(seconds, &s->attempt, attempt, &(struct trial){ s, c });
}

static int report(const struct shared *s, int status)
{
	FILE *f;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		printf("fuzz: %llu attempts, all well\n", (unsigned long long)s->attempt);
		return 0;
	}
	f = fopen(CRASH_FILE, "wb");
	if (f) {
		fwrite(s->input.text, 1, s->input.length, f);
		fclose(f);
	}
	printf("fuzz: attempt %llu failed; its text is in " CRASH_FILE "\n",
	       (unsigned long long)s->attempt);
	return 1;
}

int main(int argc, char **argv)
{
	struct corpus c = { .count = 0 };
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0, failed = 0;
	pid_t child;

	if (argc < 2 || s == MAP_FAILED) {
		fprintf(stderr, "usage: fuzz SECONDS [FILE...]\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		failed |= corpus_add(&c, argv[i]);
	if (argc == 2)
		failed = corpus_glob(&c, "scenarios/*.ini") | corpus_glob(&c, "tests/bad/*.ini") |
			 corpus_glob(&c, "scenarios/papers/*/*.claims");
	if (failed || c.count == 0) {
		fprintf(stderr, "fuzz: nothing to start from\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		fuzz(s, &c, atof(argv[1]));
		corpus_free(&c);
		exit(0); /* not _exit: the leak checker runs at exit */
	}
	waitpid(child, &status, 0);
	corpus_free(&c);
	return report(s, status);
}
#endif
