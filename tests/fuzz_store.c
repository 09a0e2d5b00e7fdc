/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_store.c -- no bytes whatever in results.db make its readers crash or leak, and none that
 * were damaged change silently what is shown.
 *
 *	fuzz-store SECONDS
 *
 * What is tried depends on the number of the attempt alone, so a crash comes again. Half of the
 * attempts seal what they changed, as somebody would who knows of digests: that is shown as it is,
 * and must only be survived. Attempts run in a child; when it dies, the file it read is saved. */
#define _GNU_SOURCE
#include "tests/damage.h"
#include "tests/fuzz_loop.h"
#include <sys/mman.h>
#include <sys/wait.h>

#define CRASH_FILE "build/fuzz-crash.db"

/* --- attempts --- */

/* Seen by parent and child. */
struct shared {
	uint64_t attempt, sealed, noticed;
};

struct sample {
	struct folder folder;
	char *bytes, *shown; /* when it was good */
	size_t length;
};

/* Changes rows; 1: and seals them. */
static int change_rows(const struct folder *f, struct weir_rng *r)
{
	struct weir_error e = { "" };
	struct store *s;
	int seals = weir_rng_below(r, 2) == 0;

	CHECK_INT(store_open(&s, f->path, STORE_ADD, &e), 0);
	CHECK_INT(store_exec(s, "PRAGMA synchronous = 0", &e), 0); /* no power fails here */
	for (uint64_t i = 1 + weir_rng_below(r, 4); i > 0; i--)
		damage_row(s, r);
	if (seals)
		store_write_all_digests(s, &e); /* as far as it can */
	store_close(s);
	return seals;
}

/* What every attempt is given. */
struct trial {
	struct shared *at;
	const struct sample *good;
};

static void attempt(void *context)
{
	const struct trial *t = context;
	struct shared *at = t->at;
	const struct sample *good = t->good;
	struct weir_rng r = weir_rng_make(at->attempt, 0, WEIR_RNG_TEST);
	char *bytes = malloc(good->length), *shown;
	struct weir_error e = { "" };
	int sealed = 0;

	CHECK(bytes != NULL);
	memcpy(bytes, good->bytes, good->length);
	if (at->attempt % 2)
		damage_bytes(bytes, good->length, &r);
	folder_write(&good->folder, "results.db", bytes, good->length);
	if (at->attempt % 2 == 0)
		sealed = change_rows(&good->folder, &r);
	shown = damage_show(good->folder.path, &e);
	CHECK(shown || strlen(e.text) > 0);
	CHECK(!shown || sealed || strcmp(shown, good->shown) == 0);
	at->sealed += (uint64_t)sealed;
	at->noticed += !shown;
	free(shown);
	free(bytes);
}

static struct sample make_sample(void)
{
	struct sample good = { .folder = folder_make() };
	struct weir_error e = { "" };

	damage_fill(&good.folder);
	good.bytes = folder_read(&good.folder, "results.db", &good.length);
	good.shown = damage_show(good.folder.path, &e);
	if (!good.shown)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return good;
}

static void save_crash(const struct folder *f)
{
	size_t length;
	char *bytes = folder_read(f, "results.db", &length);
	FILE *out = fopen(CRASH_FILE, "wb");

	if (out) {
		fwrite(bytes, 1, length, out);
		fclose(out);
	}
	free(bytes);
}

static int report(const struct shared *at, const struct sample *good, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		printf("fuzz-store: %llu attempts, %llu of them sealed, %llu refused, all well\n",
		       (unsigned long long)at->attempt, (unsigned long long)at->sealed,
		       (unsigned long long)at->noticed);
		return 0;
	}
	save_crash(&good->folder);
	printf("fuzz-store: attempt %llu failed; its file is " CRASH_FILE "\n",
	       (unsigned long long)at->attempt);
	return 1;
}

int main(int argc, char **argv)
{
	struct shared *at =
		mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sample good;
	int status = 0;
	pid_t child;

	if (argc != 2 || at == MAP_FAILED) {
		fprintf(stderr, "usage: fuzz-store SECONDS\n");
		return 2;
	}
	good = make_sample();
	child = fork();
	if (child == 0) {
		fuzz_loop(atof(argv[1]), &at->attempt, attempt, &(struct trial){ at, &good });
		free(good.bytes);
		free(good.shown);
		exit(0); /* not _exit: the leak checker runs at exit */
	}
	waitpid(child, &status, 0);
	status = report(at, &good, status);
	folder_remove(&good.folder);
	free(good.bytes);
	free(good.shown);
	return status;
}
