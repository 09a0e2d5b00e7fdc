/* SPDX-License-Identifier: BSD-3-Clause */
/* submit.c -- weir submit: submits the missing runs of a sweep to a cluster, as shards of an
 * array job. */
#define _DEFAULT_SOURCE
#include "cli/options.h"
#include "base/output.h"
#include "base/text.h"
#include "lab/campaign/job.h"
#include "lab/scenario/sweep.h"
#include "base/memory.h"
#include "weir/option.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option submit_arguments[] = {
	{ "--slurm", NULL, "to Slurm, as an array job", OFFER_NOTHING },
	{ "--dry-run", NULL, "submits nothing; prints the job script", OFFER_NOTHING },
	{ "--shards", "N",
	  "number of shards; unless given, 16 to 1000 shards of about ten minutes each",
	  OFFER_NOTHING },
	{ "--jobs", "N", "parallel runs per shard; 1 unless given", OFFER_NOTHING },
	{ "--threads", "N", "threads per run; 1 unless given", OFFER_NOTHING },
	{ "--sbatch", "OPTION",
	  "a further option of sbatch, as in --sbatch=--partition=long; overrides the estimates; "
	  "may be given several times",
	  OFFER_NOTHING },
	OPTIONS_OF_SCENARIO,
	OPTION_FULL,
	{ "--out", "FOLDER",
	  "result folder for the merged runs; shards go to FOLDER.shards; FILE.results unless "
	  "given",
	  OFFER_FOLDER },
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

static const char submit_more[] =
	"weir submit mine.ini --slurm --dry-run    prints the job script\n"
	"weir submit mine.ini --slurm              submits it; shards go to "
	"mine.results.shards\n"
	"weir status                               progress; merges completed runs into "
	"mine.results\n"
	"\n"
	"The same command again submits missing runs. More in docs/manual/11-clusters.md.\n";

/* The parsed command line, and the state of the sweep. */
struct submission {
	const struct arguments *a;
	struct scenario s;
	struct sweep w;
	char folder[FOLDER_SIZE];
	uint64_t shards, jobs, threads; /* shards 0: not given */
	struct job job;
	char (*keys)[RUN_KEY_SIZE];
	struct demand needs;
	unsigned char *wanted; /* by shard, from 0 */
	uint32_t wanted_count;
};

static const struct weir_option numbers[] = {
	{ "--shards", WEIR_OPT_COUNT, offsetof(struct submission, shards), NULL, 1, SHARDS_MAX, "",
	  NULL },
	{ "--jobs", WEIR_OPT_COUNT, offsetof(struct submission, jobs), "1", 1, 4096, "", NULL },
	{ "--threads", WEIR_OPT_COUNT, offsetof(struct submission, threads), "1", 1, 256, "",
	  NULL },
	{ .name = NULL },
};

/* Options that are passed on to weir run. */
static const char *const passed_on[] = { "--set",  "--marking", "--scheduler", "--cc",
					 "--seed", "--full",    ALLOW_PLUGINS };

static int submit_check_lines(const struct arguments *a, struct weir_error *e)
{
	const char *line;

	for (size_t at = 0; (line = arguments_next(a, "--sbatch", &at));)
		if (line[0] != '-' || strchr(line, '\n'))
			return weir_error_set(e,
					      "--sbatch: %s is not an option of sbatch; write "
					      "--sbatch=--partition=long",
					      weir_quote(line).text);
	return 0;
}

static int submit_read_request(struct submission *b, struct weir_error *e)
{
	const char *out = arguments_option(b->a, "--out");

	if (!arguments_option(b->a, "--slurm"))
		return weir_error_set(e, "submit: no cluster manager; add --slurm");
	if (submit_check_lines(b->a, e))
		return -1;
	for (const struct weir_option *o = numbers; o->name; o++) {
		const char *text = arguments_option(b->a, o->name);

		if ((text || o->def) && weir_option_parse(b, o, text ? text : o->def, e))
			return -1;
	}
	if (!out)
		return folder_default(arguments_word(b->a, 0),
				      options_size(b->a) == SIZE_FULL ? ".full" : "", b->folder, e);
	if (!*out || strpbrk(out, "\"\n") ||
	    snprintf(b->folder, sizeof(b->folder), "%s", out) >= (int)sizeof(b->folder))
		return weir_error_set(e, "--out: %s cannot be a result folder",
				      weir_quote(out).text);
	return 0;
}

static int submit_read_sweep(struct submission *b, struct weir_error *e)
{
	if (sweep_read(&b->w, &b->s, e))
		return -1;
	sweep_add_seeds(&b->w, &b->s);
	if (b->w.axis_count == 0)
		return weir_error_set(e, "%.200s: is one run; what is submitted is a [sweep]",
				      b->s.file);
	b->keys = memory_zeroed(b->w.run_count, sizeof(*b->keys));
	return sweep_check(&b->w, &b->s, b->keys, e) || demand_estimate(&b->needs, &b->w, &b->s, e)
		       ? -1
		       : 0;
}

/* --- missing runs --- */

/* The number of shards: that of an earlier submission, if any. */
static int submit_choose_shards(struct submission *b, struct weir_error *e)
{
	int found = job_read(&b->job, e);

	if (found < 0)
		return -1;
	if (found && b->job.runs == b->w.run_count && (!b->shards || b->shards == b->job.shards))
		return 0;
	if (found)
		return weir_error_set(e,
				      "%.200s: holds %" PRIu64 " runs in %" PRIu32
				      " shards, and this would be %" PRIu64 " in %" PRIu64
				      "; delete it, or name another --out",
				      b->job.folder, b->job.runs, b->job.shards, b->w.run_count,
				      b->shards ? b->shards : b->job.shards);
	b->job.runs = b->w.run_count;
	b->job.shards = b->shards ? (uint32_t)b->shards : demand_shards(&b->needs, b->w.run_count);
	return 0;
}

static int submit_refuse_queued(const struct submission *b, struct weir_error *e)
{
	struct slurm_task *tasks = memory_zeroed(b->job.shards, sizeof(*tasks));
	uint32_t queued = 0;
	int failed = slurm_query(&b->job, tasks, e);

	for (uint32_t i = 0; i < b->job.shards; i++)
		queued += tasks[i].place != SLURM_NOWHERE;
	free(tasks);
	if (!failed && queued)
		failed = weir_error_set(e,
					"job %" PRIu64 " has %" PRIu32
					" shard%s in the queue; 'weir status %.200s' shows the "
					"progress, 'scancel %" PRIu64 "' ends it",
					b->job.id, queued, queued == 1 ? "" : "s", b->job.folder,
					b->job.id);
	return failed;
}

static int submit_find_wanted(struct submission *b, struct weir_error *e)
{
	const char(*keys)[RUN_KEY_SIZE] = (const char(*)[RUN_KEY_SIZE])b->keys;

	b->wanted = memory_zeroed(b->job.shards, sizeof(*b->wanted));
	for (uint32_t i = 0; i < b->job.shards; i++) {
		const struct shard s = { i + 1, b->job.shards };
		char *folder = job_shard_folder(&b->job, s.number);
		uint64_t own = shard_runs(&s, b->job.runs), here = 0, merged = 0;
		int failed = job_count(folder, &s, keys, b->job.runs, &here, e) ||
			     job_count(b->job.out, &s, keys, b->job.runs, &merged, e);

		free(folder);
		if (failed)
			return -1;
		b->wanted[i] = here < own && merged < own;
		b->wanted_count += b->wanted[i];
	}
	return 0;
}

/* --- the script --- */

/* The command line of weir run; freed by the caller. */
static const char **submit_words(const struct submission *b)
{
	const char **words = memory_zeroed(2 * b->a->count + 2, sizeof(*words));
	size_t count = 0;

	words[count++] = b->s.file;
	for (size_t i = 0; i < b->a->count; i++) {
		const struct argument *at = &b->a->all[i];

		for (size_t k = 0; at->option && k < sizeof(passed_on) / sizeof(*passed_on); k++) {
			if (strcmp(at->option->name, passed_on[k]) != 0)
				continue;
			words[count++] = at->option->name;
			if (at->value)
				words[count++] = at->value;
		}
	}
	return words;
}

/* Job name of letters and digits, because the line is not quoted. */
static void submit_name_job(char *name, size_t size, const char *folder)
{
	const char *slash = strrchr(folder, '/');

	snprintf(name, size, "weir-%.50s", slash ? slash + 1 : folder);
	for (char *c = name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_",
			    *c))
			*c = '_';
}

static int submit_write_script(const struct submission *b, FILE *f, struct weir_error *e)
{
	const char **words = submit_words(b), **lines;
	char name[64], here[PATH_MAX], program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int failed = 0;

	lines = memory_zeroed(b->a->count + 1, sizeof(*lines));
	arguments_values(b->a, "--sbatch", lines);
	if (length < 0 || !getcwd(here, sizeof(here)))
		failed = weir_error_set(e, "submit: cannot find the path of this program: %s",
					strerror(errno));
	if (!failed) {
		const struct slurm_script script = {
			.job = &b->job,
			.name = name,
			.here = here,
			.program = program,
			.arguments = words,
			.jobs = (uint32_t)b->jobs,
			.threads = (uint32_t)b->threads,
			.asked = demand_request(&b->needs, b->job.runs, b->job.shards,
						(uint32_t)b->jobs),
			.wanted = b->wanted,
			.lines = lines,
		};

		program[length] = '\0';
		submit_name_job(name, sizeof(name), b->folder);
		slurm_write(f, &script);
	}
	free(words);
	free(lines);
	return failed;
}

/* --- submission --- */

static int submit_save_script(const struct submission *b, struct weir_error *e)
{
	struct output o;

	if (output_folder(b->job.folder, e) < 0 || output_open_in(&o, b->job.folder, "job.sh", e))
		return -1;
	if (submit_write_script(b, o.stream, e)) {
		output_abandon(&o);
		return -1;
	}
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

static int submit_send(struct submission *b)
{
	struct weir_error e;

	if (submit_save_script(b, &e) || slurm_submit(&b->job, &e) || job_write(&b->job, &e))
		return cli_error(EXIT_WORLD, &e);
	printf("job %" PRIu64 ": %" PRIu32 " shard%s of %" PRIu32 ", %" PRIu64
	       " runs in total; 'weir status %s' shows the progress\n",
	       b->job.id, b->wanted_count, b->wanted_count == 1 ? "" : "s", b->job.shards,
	       b->job.runs, b->job.folder);
	return EXIT_FINE;
}

static int submit_run(struct submission *b)
{
	int dry = arguments_option(b->a, "--dry-run") != NULL;
	struct weir_error e;

	job_init(&b->job, b->folder);
	if (submit_choose_shards(b, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if ((b->job.id && !dry && submit_refuse_queued(b, &e)) || submit_find_wanted(b, &e))
		return cli_error(EXIT_WORLD, &e);
	if (b->wanted_count == 0) {
		printf("%s: all %" PRIu64 " runs are complete; 'weir status %s' merges those not "
		       "merged yet\n",
		       b->job.out, b->job.runs, b->job.folder);
		return EXIT_FINE;
	}
	if (!dry)
		return submit_send(b);
	return submit_write_script(b, stdout, &e) ? cli_error(EXIT_MISTAKE, &e) : EXIT_FINE;
}

static int submit_main(const struct arguments *a)
{
	struct submission b = { .a = a };
	struct weir_error e;
	int status;

	if (submit_read_request(&b, &e) || options_scenario(a, &b.s, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (submit_read_sweep(&b, &e))
		status = cli_error(EXIT_MISTAKE, &e);
	else
		status = submit_run(&b);
	job_free(&b.job);
	demand_free(&b.needs);
	free(b.wanted);
	free(b.keys);
	sweep_free(&b.w);
	scenario_free(&b.s);
	return status;
}

const struct command command_submit = {
	.name = "submit",
	.usage = "FILE",
	.help = "submits the missing runs of a sweep to a cluster, with memory and time "
		"estimates of 'weir check'",
	.options = submit_arguments,
	.words_min = 1,
	.words_max = 1,
	.run = submit_main,
	.more = submit_more,
	.offer = OFFER_FILE,
};
