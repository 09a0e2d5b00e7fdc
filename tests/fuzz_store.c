/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_store.c -- arbitrary bytes in results.db never crash readers or leak memory, and damage
 * never changes silently what is shown.
 *
 *	fuzz-store SECONDS
 *
 * What is tried depends on the number of the attempt alone, so a crash comes again. Half of the
 * attempts also update the digests, as a forger would: their changes are shown, and must only not
 * crash the reader. Attempts run in a child; when it dies, the file it read is saved. */
#define _GNU_SOURCE
#include "tests/damage.h"
#include "tests/fuzz_loop.h"
#include <sys/mman.h>
#include <sys/wait.h>

#define CRASH_FILE "build/fuzz-crash.db"

/* --- attempts --- */

/* Seen by parent and child. */
struct shared {
	uint64_t attempt, updated, noticed;
};

struct sample {
	struct folder folder;
	char *bytes, *shown; /* when it was good */
	size_t length;
};

/* Changes rows. Returns 1 if it also updated the digests. */
static int change_rows(const struct folder *f, struct weir_rng *r)
{
	struct weir_error e = { "" };
	struct store *s;
	int updates_digests = weir_rng_below(r, 2) == 0;

	CHECK_INT(store_open(&s, f->path, STORE_ADD, &e), 0);
	CHECK_INT(store_exec(s, "PRAGMA synchronous = 0", &e), 0); /* no power fails here */
	for (uint64_t i = 1 + weir_rng_below(r, 4); i > 0; i--)
		damage_row(s, r);
	if (updates_digests)
		store_write_all_digests(s, &e); /* as far as it can */
	store_close(s);
	return updates_digests;
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
	int updated = 0;

	CHECK(bytes != NULL);
	memcpy(bytes, good->bytes, good->length);
	if (at->attempt % 2)
		damage_bytes(bytes, good->length, &r);
	folder_write(&good->folder, "results.db", bytes, good->length);
	if (at->attempt % 2 == 0)
		updated = change_rows(&good->folder, &r);
	shown = damage_show(good->folder.path, &e);
	CHECK(shown || strlen(e.text) > 0);
	CHECK(!shown || updated || strcmp(shown, good->shown) == 0);
	at->updated += (uint64_t)updated;
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
		printf("fuzz-store: %llu attempts, %llu of them with updated digests, %llu "
		       "refused, all well\n",
		       (unsigned long long)at->attempt, (unsigned long long)at->updated,
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
