/* SPDX-License-Identifier: BSD-3-Clause */
/* test_store.c -- the results store: what goes in comes out, whole or not at all. */
#define _XOPEN_SOURCE 700
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { POINTS = 2000 };

static const char scenario_text[] =
	"# Is it kept?\nseed = %d\n[network]\ntopology = star\nhosts = 4\n"
	"[traffic a]\npattern = many-to-one\nsize = 20KB\n"
	"[traffic b]\npattern = list\nflow = 0 1 unlimited 0us\nclass = 0\n[measure]\nto = 1ms\n";

static struct store *open_store(const struct folder *f, enum store_mode mode)
{
	struct store *s;
	struct weir_error e = { "" };

	if (store_open(&s, f->path, mode, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return s;
}

static void key_of(const struct config *c, char key[RUN_KEY_SIZE])
{
	struct weir_error e;

	CHECK_INT(run_key(c, key, &e), 0);
}

/* A run of that seed, as if its probes had seen two series and two classes of links had been
 * paused. */
static void make_run(struct sim *s, int seed)
{
	sim_read(s, scenario_text, seed);
	sim_run(s, 1);
	s->r.series_count = 2;
	s->r.series = calloc(2, sizeof(*s->r.series));
	for (int i = 0; i < 2; i++) {
		struct series *one = &s->r.series[i];

		snprintf(one->name, sizeof(one->name), "queue %d", i);
		one->unit = "pkts";
		one->count = i ? 0 : POINTS;
		one->time_ps = calloc(POINTS, sizeof(*one->time_ps));
		one->value = calloc(POINTS, sizeof(*one->value));
		for (int k = 0; k < POINTS; k++) {
			one->time_ps[k] = (int64_t)k << 40;
			one->value[k] = 0.1 * k;
		}
	}
	s->r.pause_count = 2;
	s->r.pauses = calloc(2, sizeof(*s->r.pauses));
	s->r.pauses[0] = (struct pause_result){ s->r.ports[1].link, 7, 3, INT64_C(5) << 40 };
	s->r.pauses[1] = (struct pause_result){ s->r.ports[0].link, 0, UINT64_C(1) << 33, 1 };
}

static void add_run(struct store *store, struct sim *s)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };

	key_of(&s->c, key);
	if (store_add(store, key, &s->c, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void add_seed(const struct folder *f, int seed)
{
	struct store *store = open_store(f, STORE_WRITE);
	struct sim s;

	make_run(&s, seed);
	add_run(store, &s);
	sim_end(&s);
	store_close(store);
}

static uint32_t count_runs(const struct folder *f)
{
	struct store *s = open_store(f, STORE_READ);
	struct stored_runs runs;
	struct weir_error e;
	uint32_t count;

	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	count = runs.count;
	stored_runs_free(&runs);
	store_close(s);
	return count;
}

/* --- what goes in comes out --- */

struct expected {
	const struct sim *sim;
	uint32_t at; /* next to be seen */
};

static int check_flow(void *context, const struct stored_flow *f)
{
	struct expected *x = context;
	const struct flow *want = &x->sim->r.flows[x->at];

	CHECK_INT(f->flow, x->at);
	CHECK_STR(f->traffic, x->sim->c.traffic[want->traffic].name);
	CHECK_INT(f->src, want->src);
	CHECK_INT(f->dst, want->dst);
	CHECK(f->size_bytes == want->size_bytes);
	CHECK_INT(f->start_ps, want->start_ps);
	CHECK_INT(f->finish_ps, want->finish_ps);
	CHECK_INT(f->ideal_ps, x->sim->r.ideal_ps[x->at]);
	x->at++;
	return 0;
}

static int check_port(void *context, const struct stored_port *p)
{
	struct expected *x = context;
	const struct port_result *want = &x->sim->r.ports[x->at];
	char name[128];

	CHECK_STR(p->name, link_name(&x->sim->r.network, want->link, name, sizeof(name)));
	CHECK_INT(p->measured, x->at == x->sim->r.measured_port);
	CHECK_INT(p->result.tx_bytes, want->tx_bytes);
	CHECK_INT(p->result.marks, want->marks);
	CHECK_INT(p->result.queue_max_pkts, want->queue_max_pkts);
	CHECK(p->result.queue_mean_pkts == want->queue_mean_pkts);
	x->at++;
	return 0;
}

static int check_pause(void *context, const void *row)
{
	const struct stored_pause *p = row;
	struct expected *x = context;
	const struct pause_result *want = &x->sim->r.pauses[x->at];
	char name[128];

	CHECK_STR(p->link, link_name(&x->sim->r.network, want->link, name, sizeof(name)));
	CHECK_INT(p->result.class_id, want->class_id);
	CHECK_INT(p->result.pauses, want->pauses);
	CHECK_INT(p->result.paused_ps, want->paused_ps);
	x->at++;
	return 0;
}

static int check_series(void *context, const struct stored_series *s)
{
	struct expected *x = context;
	const struct series *want = &x->sim->r.series[x->at];

	CHECK_STR(s->name, want->name);
	CHECK_STR(s->unit, want->unit);
	CHECK_INT(s->count, want->count);
	CHECK(memcmp(s->time_ps, want->time_ps, sizeof(*s->time_ps) * s->count) == 0);
	CHECK(memcmp(s->value, want->value, sizeof(*s->value) * s->count) == 0);
	x->at++;
	return 0;
}

static void check_setting(void *context, const char *path, const char *text)
{
	CHECK_STR(stored_setting(context, path), text);
}

static void check_parts(struct store *store, const struct sim *s, int64_t run)
{
	struct expected x = { s, 0 };
	struct weir_error e;

	CHECK_INT(store_each_flow(store, run, check_flow, &x, &e), 0);
	CHECK_INT(x.at, s->r.flow_count);
	x.at = 0;
	CHECK_INT(store_each_port(store, run, check_port, &x, &e), 0);
	CHECK_INT(x.at, s->r.port_count);
	x.at = 0;
	CHECK_INT(
		store_each(store, run, TABLE_PAUSES, &(struct row_visitor){ check_pause, &x }, &e),
		0);
	CHECK_INT(x.at, 2);
	x.at = 0;
	CHECK_INT(store_each_series(store, run, check_series, &x, &e), 0);
	CHECK_INT(x.at, 2);
}

TEST(test_store_gives_back_what_was_added)
{
	struct folder f = folder_make();
	struct store *store = open_store(&f, STORE_WRITE);
	struct stored_runs runs;
	struct weir_error e;
	struct sim s;

	make_run(&s, 7);
	s.r.value[2] = (double)NAN;
	add_run(store, &s);
	store_close(store);
	store = open_store(&f, STORE_READ);
	CHECK_INT(store_runs(store, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 1);
	CHECK_STR(runs.runs[0].title, "Is it kept?");
	for (int i = 0; metric_all[i].name; i++)
		CHECK(runs.runs[0].value[i] == s.r.value[i] ||
		      (isnan(runs.runs[0].value[i]) && isnan(s.r.value[i])));
	CHECK(runs.runs[0].wall_seconds == s.r.wall_seconds);
	CHECK_STR(stored_setting(&runs.runs[0], "seed"), "7");
	CHECK_INT(scenario_settings(&s.c, check_setting, &runs.runs[0], &e), 0);
	CHECK_INT(runs.runs[0].reason_count, s.r.reason_count);
	for (uint32_t i = 0; i < s.r.reason_count; i++) {
		CHECK_STR(runs.runs[0].reasons[i].name, s.r.reasons[i].name);
		CHECK_INT(runs.runs[0].reasons[i].count, s.r.reasons[i].count);
		CHECK_INT(runs.runs[0].reasons[i].is_mark, s.r.reasons[i].is_mark);
	}
	check_parts(store, &s, runs.runs[0].id);
	stored_runs_free(&runs);
	store_close(store);
	sim_end(&s);
	folder_remove(&f);
}

static int first_only(void *context, const struct stored_flow *f)
{
	(void)f;
	++*(int *)context;
	return 1;
}

TEST(test_store_visit_ends_when_the_visitor_has_seen_enough)
{
	struct folder f = folder_make();
	struct store *store;
	struct weir_error e;
	int seen = 0;

	add_seed(&f, 1);
	store = open_store(&f, STORE_READ);
	CHECK_INT(store_each_flow(store, 1, first_only, &seen, &e), 0);
	CHECK_INT(seen, 1);
	store_close(store);
	folder_remove(&f);
}

/* --- which run is it? --- */

TEST(test_run_key_changes_with_settings_seed_and_named_files)
{
	struct folder f = folder_make();
	char keys[6][RUN_KEY_SIZE];
	struct sim s;

	sim_read(&s, scenario_text, 1);
	key_of(&s.c, keys[0]);
	key_of(&s.c, keys[1]);
	CHECK_STR(keys[1], keys[0]);
	snprintf(s.c.title, sizeof(s.c.title), "another question");
	key_of(&s.c, keys[1]);
	CHECK_STR(keys[1], keys[0]); /* the title is no setting */
	s.c.seed = 2;
	key_of(&s.c, keys[1]);
	s.c.switches.buffer++;
	key_of(&s.c, keys[2]);
	config_free(&s.c);
	folder_write(&f, "list", "0 1 1KB 0us\n", 12);
	sim_read(&s, "[network]\ntopology = star\n[traffic a]\npattern = list\nfile = %s/list\n",
		 f.path);
	key_of(&s.c, keys[3]);
	folder_write(&f, "list", "0 1 2KB 0us\n", 12);
	key_of(&s.c, keys[4]);
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < i; k++)
			CHECK(strcmp(keys[i], keys[k]) != 0);
	config_free(&s.c);
	folder_remove(&f);
}

TEST(test_store_replaces_a_run_of_the_same_key)
{
	struct folder f = folder_make();
	struct store *store = open_store(&f, STORE_WRITE);
	struct stored_runs runs;
	char key[RUN_KEY_SIZE];
	struct weir_error e;
	struct sim s;

	make_run(&s, 1);
	key_of(&s.c, key);
	CHECK_INT(store_has(store, key, &e), 0);
	add_run(store, &s);
	CHECK_INT(store_has(store, key, &e), 1);
	s.r.value[0] = 12345;
	add_run(store, &s);
	CHECK_INT(store_runs(store, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 1);
	CHECK(runs.runs[0].value[0] == 12345);
	check_parts(store, &s, runs.runs[0].id); /* and no rows of the run before */
	stored_runs_free(&runs);
	store_close(store);
	sim_end(&s);
	folder_remove(&f);
}

TEST(test_store_lists_runs_in_the_order_of_the_plan)
{
	static const int added[] = { 4, 3, 1, 2 };
	struct folder f = folder_make();
	char keys[4][RUN_KEY_SIZE];
	struct stored_runs runs;
	uint64_t planned, done;
	struct store *store;
	struct weir_error e;
	struct sim s;

	for (int i = 0; i < 4; i++)
		add_seed(&f, added[i]);
	for (int i = 0; i < 3; i++) { /* 1, 2 and 9, which is not there; 3 and 4 are of before */
		sim_read(&s, scenario_text, i < 2 ? i + 1 : 9);
		key_of(&s.c, keys[i]);
		config_free(&s.c);
	}
	store = open_store(&f, STORE_WRITE);
	CHECK_INT(store_plan(store, (const char(*)[RUN_KEY_SIZE])keys, 3, &e), 0);
	CHECK_INT(store_progress(store, &planned, &done, &e), 0);
	CHECK_INT(planned, 3);
	CHECK_INT(done, 2);
	CHECK_INT(store_runs(store, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		static const int after[] = { 1, 2, 4, 3 }; /* as added */

		CHECK_INT(atoi(stored_setting(&runs.runs[i], "seed")), after[i]);
		CHECK_INT(runs.runs[i].planned, i < 2);
	}
	stored_runs_free(&runs);
	store_close(store);
	folder_remove(&f);
}

/* --- files that are refused, and stay as they are --- */

static void check_refused(const struct folder *f, const char *message)
{
	static const enum store_mode modes[] = { STORE_READ, STORE_WRITE };
	size_t before_length, after_length;
	char *before = folder_read(f, "results.db", &before_length), *after;

	for (int i = 0; i < 2; i++) {
		struct weir_error e = { "" };
		struct store *s;

		CHECK_INT(store_open(&s, f->path, modes[i], &e), -1);
		CHECK_CONTAINS(e.text, f->path);
		CHECK_CONTAINS(e.text, message);
		CHECK(s == NULL);
	}
	after = folder_read(f, "results.db", &after_length);
	CHECK_INT(after_length, before_length);
	CHECK(memcmp(before, after, before_length) == 0);
	free(before);
	free(after);
}

/* A user who may write to the folder must not make Weir write another file. */
TEST(test_store_refuses_what_is_no_store_of_this_version)
{
	struct folder f = folder_make();
	size_t length;
	char *good, *bad;

	folder_write(&f, "results.db", "flow,fct\n1,2\n", 13);
	check_refused(&f, "/results.db: is no results store, or its beginning is damaged");
	CHECK_INT(unlink(strcat(strcpy((char[96]){ 0 }, f.path), "/results.db")), 0);
	add_seed(&f, 1);
	good = folder_read(&f, "results.db", &length);
	bad = malloc(length);
	memcpy(bad, good, length);
	bad[63] = 9;
	folder_write(&f, "results.db", bad, length);
	check_refused(&f,
		      "was written by another version of Weir (schema 9; this one reads schemas 2 "
		      "to 4); use another folder");
	bad[63] = good[63];
	bad[68] = 'w';
	folder_write(&f, "results.db", bad, length);
	check_refused(&f, "is a database of another program");
	folder_write(&f, "results.db", good, length);
	CHECK_INT(count_runs(&f), 1);
	free(good);
	free(bad);
	folder_remove(&f);
}

TEST(test_store_refuses_a_damaged_file)
{
	struct folder f = folder_make();
	size_t length;
	char *good, *bad;

	add_seed(&f, 1);
	good = folder_read(&f, "results.db", &length);
	bad = malloc(length);
	CHECK(length > 8192);
	folder_write(&f, "results.db", good, length / 2); /* cut off */
	check_refused(&f, "is damaged (");
	for (size_t page = 4096; page < length; page += 4096) {
		memcpy(bad, good, length);
		memset(bad + page, 0xa5, 512);
		folder_write(&f, "results.db", bad, length);
		check_refused(&f, "is damaged (");
	}
	free(good);
	free(bad);
	folder_remove(&f);
}

TEST(test_store_says_which_folder_it_cannot_use)
{
	struct folder f = folder_make();
	char path[128];
	struct store *s;
	struct weir_error e;

	CHECK_INT(store_open(&s, "", STORE_READ, &e), -1);
	CHECK_STR(e.text, "a folder is missing");
	CHECK_INT(store_open(&s, "/none/such", STORE_READ, &e), -1);
	CHECK_STR(e.text, "/none/such: cannot be read: No such file or directory");
	CHECK_INT(store_open(&s, "/none/such", STORE_WRITE, &e), -1);
	CHECK_STR(e.text, "/none/such: cannot be made: No such file or directory");
	CHECK_INT(store_open(&s, "/dev/null", STORE_WRITE, &e), -1);
	CHECK_STR(e.text, "/dev/null: is a file; a folder is needed");
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), -1);
	CHECK_CONTAINS(e.text, "/results.db: cannot be read: No such file or directory");
	CHECK_INT(store_open(&s, "/proc/self", STORE_WRITE, &e), -1);
	CHECK_CONTAINS(e.text, "/proc/self"); /* nobody makes files there, not even root */
	snprintf(path, sizeof(path), "%s/results.db", f.path);
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), -1);
	CHECK_CONTAINS(e.text, "/results.db: cannot be read: Is a directory");
	CHECK_INT(rmdir(path), 0);
	folder_remove(&f);
}

/* --- whole or not at all --- */

/* No file may become longer than this. Returns what the limit was. */
static struct rlimit limit_files(size_t length)
{
	struct rlimit before, now;

	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	now = before;
	now.rlim_cur = length;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &now), 0);
	return before;
}

TEST(test_store_keeps_earlier_runs_when_the_disk_is_full)
{
	struct folder f = folder_make();
	struct store *store;
	char key[RUN_KEY_SIZE];
	struct rlimit before;
	struct weir_error e = { "" };
	size_t length;
	struct sim s;

	add_seed(&f, 1);
	free(folder_read(&f, "results.db", &length));
	make_run(&s, 2);
	key_of(&s.c, key);
	store = open_store(&f, STORE_WRITE);
	before = limit_files(length);
	CHECK_INT(store_add(store, key, &s.c, &s.r, &e), -1);
	CHECK_CONTAINS(e.text, "/results.db: cannot be read or written: disk I/O error; what was "
			       "stored before is kept");
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_INT(store_has(store, key, &e), 0);
	store_close(store);
	CHECK_INT(count_runs(&f), 1);
	add_seed(&f, 2);
	CHECK_INT(count_runs(&f), 2);
	sim_end(&s);
	folder_remove(&f);
}

TEST(test_store_says_that_the_disk_is_full)
{
	struct folder f = folder_make();
	struct store *store = open_store(&f, STORE_WRITE);
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct sim s;

	make_run(&s, 1);
	key_of(&s.c, key);
	CHECK_INT(store_exec(store, "PRAGMA max_page_count = 1", &e), 0); /* as many as there are */
	CHECK_INT(store_add(store, key, &s.c, &s.r, &e), -1);
	CHECK_CONTAINS(e.text, "/results.db: the disk is full; what was stored before is kept");
	store_close(store);
	CHECK_INT(count_runs(&f), 0);
	sim_end(&s);
	folder_remove(&f);
}

/* A child that dies in the middle of adding, after its pages have reached the file. */
static void die_while_adding(const struct folder *f, int seed)
{
	struct store *store = open_store(f, STORE_WRITE);
	struct weir_error e;
	struct sim s;

	make_run(&s, seed);
	CHECK_INT(store_exec(store,
			     "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE", &e),
		  0);
	for (int i = 0; i < 200; i++)
		CHECK_INT(
			store_exec(store,
				   "INSERT INTO flow SELECT 99, (SELECT count(*) FROM flow), 0, 0,"
				   " 0, 0, 1, 1, 1, 1; INSERT INTO reason SELECT 99, count(*), hex("
				   "randomblob(500)), 0, 0 FROM reason",
				   &e),
			0);
	kill(getpid(), SIGKILL);
}

TEST(test_store_is_intact_after_a_writer_was_killed)
{
	struct folder f = folder_make();
	char journal[96];
	int status;
	pid_t child;

	add_seed(&f, 1);
	child = fork();
	if (child == 0)
		die_while_adding(&f, 2);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	snprintf(journal, sizeof(journal), "%s/results.db-journal", f.path);
	CHECK_INT(access(journal, F_OK), 0); /* it was in the middle */
	CHECK_INT(count_runs(&f), 1);
	CHECK_INT(access(journal, F_OK), -1);
	add_seed(&f, 2);
	CHECK_INT(count_runs(&f), 2);
	folder_remove(&f);
}

TEST(test_store_takes_runs_of_several_processes_at_once)
{
	enum { PROCESSES = 4, RUNS = 5 };
	struct folder f = folder_make();
	pid_t children[PROCESSES];
	int status;

	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			for (int k = 0; k < RUNS; k++)
				add_seed(&f,
					 1 + i * RUNS + k); /* the first of all makes the file */
			_exit(0);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		CHECK_INT(waitpid(children[i], &status, 0), children[i]);
		CHECK_INT(status, 0);
	}
	CHECK_INT(count_runs(&f), PROCESSES * RUNS);
	folder_remove(&f);
}

/* Both open a store that is not there yet at the same moment, as two programs on one folder do. */
TEST(test_store_can_be_made_by_two_processes_at_once)
{
	enum { ROUNDS = 100 };

	for (int i = 0; i < ROUNDS; i++) {
		struct folder f = folder_make();
		int status, go[2];
		char byte;
		pid_t child;

		CHECK_INT(pipe(go), 0);
		child = fork();
		if (child == 0) {
			close(go[1]);
			if (read(go[0], &byte, 1) == 0)
				store_close(open_store(&f, STORE_WRITE));
			_exit(0);
		}
		close(go[0]);
		close(go[1]); /* which is the sign to go */
		store_close(open_store(&f, STORE_WRITE));
		CHECK_INT(waitpid(child, &status, 0), child);
		CHECK_INT(status, 0);
		folder_remove(&f);
	}
}

static int count_flow(void *context, const struct stored_flow *f)
{
	(void)f;
	++*(int *)context;
	return 0;
}

static int count_port(void *context, const struct stored_port *p)
{
	(void)p;
	++*(int *)context;
	return 0;
}

TEST(test_reader_sees_one_state_while_a_run_is_replaced)
{
	struct folder f = folder_make();
	struct timespec pause = { 0, 100 * 1000 * 1000 };
	struct stored_runs runs;
	struct store *reader;
	struct weir_error e = { "" };
	int ports = 0, status, go[2];
	char byte = 0;
	pid_t child;

	add_seed(&f, 1);
	add_seed(&f, 2); /* so that a run in the place of the first gets another number */
	CHECK_INT(pipe(go), 0);
	child = fork(); /* before the file is open: no process may take an open one over */
	if (child == 0) {
		if (read(go[0], &byte, 1) == 1)
			add_seed(&f, 1); /* waits until the reader is done */
		_exit(0);
	}
	reader = open_store(&f, STORE_READ);
	CHECK_INT(store_runs(reader, STORE_ALL, &runs, &e), 0);
	CHECK_INT(write(go[1], &byte, 1), 1);
	nanosleep(&pause, NULL);
	if (store_each_port(reader, runs.runs[0].id, count_port, &ports, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(ports, 4);
	store_close(reader);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK_INT(status, 0);
	close(go[0]);
	close(go[1]);
	stored_runs_free(&runs);
	folder_remove(&f);
}

TEST(test_whoever_adds_does_not_wait_for_one_who_follows)
{
	struct folder f = folder_make();
	struct stored_runs runs;
	struct store *reader;
	struct weir_error e = { "" };
	int status, go[2];
	char byte = 0;
	pid_t child;

	add_seed(&f, 1);
	CHECK_INT(pipe(go), 0);
	child = fork(); /* before the file is open: no process may take an open one over */
	if (child == 0) {
		if (read(go[0], &byte, 1) == 1)
			add_seed(&f, 2);
		_exit(0);
	}
	reader = open_store(&f, STORE_FOLLOW);
	CHECK_INT(store_runs(reader, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 1);
	stored_runs_free(&runs);
	CHECK_INT(write(go[1], &byte, 1), 1);
	CHECK_INT(waitpid(child, &status, 0), child); /* while the store is open here */
	CHECK_INT(status, 0);
	CHECK_INT(store_runs(reader, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 2);
	stored_runs_free(&runs);
	store_close(reader);
	close(go[0]);
	close(go[1]);
	folder_remove(&f);
}

TEST(test_store_keeps_no_flows_where_none_are_wanted)
{
	struct folder f = folder_make();
	struct store *store = open_store(&f, STORE_WRITE);
	struct stored_runs runs;
	struct weir_error e = { "" };
	struct sim s;
	int flows = 0, ports = 0;

	make_run(&s, 1);
	s.c.measure.kept_flows = FLOWS_NONE;
	add_run(store, &s);
	sim_end(&s);
	store_close(store);
	store = open_store(&f, STORE_READ);
	CHECK_INT(store_runs(store, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 1);
	CHECK_STR(stored_setting(&runs.runs[0], "measure.flows"), "none");
	CHECK(runs.runs[0].value[metric_index("fct_mean_ns")] > 0);
	CHECK_INT(store_each_flow(store, runs.runs[0].id, count_flow, &flows, &e), 0);
	CHECK_INT(store_each_port(store, runs.runs[0].id, count_port, &ports, &e), 0);
	CHECK_INT(flows, 0);
	CHECK_INT(ports, 4);
	stored_runs_free(&runs);
	store_close(store);
	folder_remove(&f);
}
