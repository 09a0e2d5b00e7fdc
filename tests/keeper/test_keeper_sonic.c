/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_sonic.c -- the SONiC driver against well-formed, random and endless replies: nothing
 * from Redis is trusted unchecked. */
#define _GNU_SOURCE
#include "keeper/core/plan.h"
#include "tests/folder.h"
#include "weir/rng.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const answers[] = {
	"+OK\r\n",
	"$1\r\n1\r\n",
	"$-1\r\n",
	"*0\r\n",
	"*-1\r\n",
	":3\r\n",
	"-LOADING Redis is loading the dataset in memory\r\n",
	"-READONLY You can't write against a read only replica.\r\n",
	"*10\r\n$19\r\ngreen_min_threshold\r\n$6\r\n100000\r\n$19\r\ngreen_max_threshold\r\n$6\r\n"
	"200000\r\n$22\r\ngreen_drop_probability\r\n$2\r\n10\r\n$17\r\nwred_green_enable\r\n$4\r\n"
	"true\r\n$3\r\necn\r\n$7\r\necn_all\r\n",
	"*6\r\n$4\r\n1000\r\n$1\r\n0\r\n$-1\r\n$-1\r\n$4\r\n5000\r\n:7\r\n",
	"*2\r\n$17\r\nQUEUE|Ethernet0|3\r\n$24\r\nQUEUE|Ethernet4,E8|0-999\r\n",
	"*2\r\n*1\r\n$1\r\na\r\n+b\r\n",
	"$13\r\noid:0x1500001\r\n",
	"$20\r\n99999999999999999999\r\n",
	"*3\r\n$6\r\n100000\r\n$6\r\n200000\r\n$2\r\n10\r\n",
};

enum { ANSWERS = sizeof(answers) / sizeof(answers[0]), ROUNDS = 1500, ANSWER_SIZE = 512 };

/* The reply of a correct server, chosen by a word of the request. */
static const char *fitting(const char *request)
{
	if (strstr(request, "CONFIG_DB_INITIALIZED"))
		return answers[1];
	return strstr(request, "HGETALL") ? answers[8] : answers[0];
}

/* Half of the time the correct reply, else a random one; one in eight has a byte changed or is
 * truncated. */
static size_t any_answer(struct weir_rng *rng, const char *request, char text[ANSWER_SIZE])
{
	size_t length;

	snprintf(text, ANSWER_SIZE, "%s",
		 weir_rng_below(rng, 2) ? fitting(request) : answers[weir_rng_below(rng, ANSWERS)]);
	length = strlen(text);
	if (weir_rng_below(rng, 16) == 0)
		text[weir_rng_below(rng, length)] = "x|,-:\n"[weir_rng_below(rng, 6)];
	if (weir_rng_below(rng, 16) == 0)
		length = 1 + weir_rng_below(rng, length);
	return length;
}

/* Answers every request at random, and sometimes closes the connection. */
static void be_any(int listening, void *shared)
{
	struct weir_rng rng = weir_rng_make(5, 2, WEIR_RNG_TUNING);
	char request[ANSWER_SIZE], text[ANSWER_SIZE];

	(void)shared;
	for (;;) {
		int fd = accept(listening, NULL, NULL);
		ssize_t got;

		while ((got = read(fd, request, sizeof(request) - 1)) > 0) {
			size_t length;

			request[got] = '\0';
			length = any_answer(&rng, request, text);

			if (write(fd, text, length) < 0 || weir_rng_below(&rng, 50) == 0)
				break;
		}
		close(fd);
	}
}

/* A server in a child process. */
typedef void serve(int listening, void *shared);

static pid_t start_server(const char *path, serve *server, void *shared)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t child;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	CHECK_INT(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_INT(listen(fd, 4), 0);
	child = fork();
	if (child == 0) {
		signal(SIGPIPE, SIG_IGN);
		server(fd, shared);
		_exit(0);
	}
	close(fd);
	return child;
}

/* A driver with one profile, A, connected to such a server. */
struct reached {
	struct folder folder;
	struct keeper_plan plan;
	void *driver; /* NULL: built without hiredis */
	pid_t server;
};

/* more: options of the driver besides its socket. */
static int reach(struct reached *r, const char *more, serve *server, void *shared)
{
	char path[96], text[512];
	struct ini_text in = { "k.ini", text, 0 };
	struct weir_error e = { "" };

	r->folder = folder_make();
	snprintf(path, sizeof(path), "%s/redis", r->folder.path);
	snprintf(text, sizeof(text),
		 "[keeper]\ndriver = sonic(socket=%s, %s)\ntune = qla\n[profile A]\n", path, more);
	in.length = strlen(text);
	CHECK_INT(keeper_plan_read_text(&r->plan, &keeper_driver_registry, &in, &e), 0);
	r->driver = r->plan.driver->open(r->plan.driver_params, &r->plan, &e);
	if (!r->driver) {
		CHECK_CONTAINS(e.text, "built without hiredis");
		keeper_plan_free(&r->plan);
		folder_remove(&r->folder);
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	r->server = start_server(path, server, shared);
	return 1;
}

static void leave(struct reached *r)
{
	kill(r->server, SIGKILL);
	waitpid(r->server, NULL, 0);
	r->plan.driver->close(r->driver);
	keeper_plan_free(&r->plan);
	folder_remove(&r->folder);
}

/* A setting reported as valid is one that orchagent accepts. */
static int try_driver(void *driver, struct weir_rng *rng)
{
	const struct keeper_driver_ops *ops = &keeper_driver_sonic;
	const struct keeper_setting written = { 1000, 2000, 50000 };
	struct keeper_setting s = { 0 };
	struct keeper_counters c = { 0 };
	struct weir_error e = { "" };

	switch (weir_rng_below(rng, 4)) {
	case 0:
		ops->count(driver, 0, &c, &e);
		return 0;
	case 1:
		ops->write(driver, 0, &written, &e);
		return 0;
	case 2:
		ops->follows(driver, 0, &written, &e);
		return 0;
	default:
		if (ops->read(driver, 0, &s, &e) != KEEPER_READ) {
			CHECK(e.text[0] != '\0');
			return 0;
		}
		CHECK(s.min_bytes <= KEEPER_BYTES_MAX && s.max_bytes <= KEEPER_BYTES_MAX);
		CHECK(s.p_ppm <= KEEPER_PPM);
		return 1;
	}
}

TEST(test_keeper_sonic_survives_any_replies_of_redis)
{
	struct weir_rng rng = weir_rng_make(5, 1, WEIR_RNG_TUNING);
	struct reached r;
	int read = 0;

	if (!reach(&r, "timeout=10ms", be_any, NULL))
		return;
	for (int i = 0; i < ROUNDS; i++)
		read += try_driver(r.driver, &rng);
	CHECK(read > 0);
	leave(&r);
}

/* --- a correct server --- */

/* Reply to requests that contain these words; the first match applies. */
struct saying {
	const char *word, *answer;
};

static const char queue_counters[] =
	"*6\r\n$4\r\n1000\r\n$1\r\n7\r\n$-1\r\n$-1\r\n$4\r\n5000\r\n$-1\r\n";

/* Additional replies take precedence. */
static void be_sound(int listening, void *more)
{
	static const struct saying usual[] = {
		{ "CONFIG_DB_INITIALIZED", "$1\r\n1\r\n" },
		{ "KEYS", "*1\r\n$17\r\nQUEUE|Ethernet0|3\r\n" },
		{ "wred_profile", "$1\r\nA\r\n" },
		{ "speed", "$6\r\n100000\r\n" },
		{ "NAME_MAP", "$13\r\noid:0x1500001\r\n" },
		{ "HMGET", queue_counters },
		{ "PFC_3_RX", "$2\r\n42\r\n" },
		{ "", "+OK\r\n" },
	};
	const struct saying *first = more;
	char request[ANSWER_SIZE];
	ssize_t got;
	int fd = accept(listening, NULL, NULL);

	while ((got = read(fd, request, sizeof(request) - 1)) > 0) {
		const struct saying *s = usual;

		request[got] = '\0';
		if (first && strstr(request, first->word))
			s = first;
		while (!strstr(request, s->word))
			s++;
		if (write(fd, s->answer, strlen(s->answer)) < 0)
			return;
	}
}

TEST(test_keeper_sonic_counts_a_queue_and_its_line_in_megabits)
{
	struct keeper_counters c = { .queue_bytes = 0 };
	struct weir_error e = { "" };
	struct reached r;

	if (!reach(&r, "timeout=10s", be_sound, NULL))
		return;
	CHECK_INT(keeper_driver_sonic.count(r.driver, 0, &c, &e), KEEPER_READ);
	CHECK_INT(c.since_start[KEEPER_OUT_BYTES], 1000);
	CHECK_INT(c.since_start[KEEPER_DROPS], 7);
	CHECK_INT(c.since_start[KEEPER_MARKED_PKTS], 0); /* not counted by this platform */
	CHECK_INT(c.since_start[KEEPER_PFC_PKTS], 42);
	CHECK_INT(c.watermark_bytes, 5000);
	CHECK_INT(c.rate_bps, INT64_C(100) * 1000 * 1000 * 1000);
	leave(&r);
}

static void check_uncounted(const char *word, const char *answer, const char *message)
{
	struct saying more = { word, answer };
	struct keeper_counters c = { .queue_bytes = 0 };
	struct weir_error e = { "" };
	struct reached r;

	if (!reach(&r, "timeout=10s", be_sound, &more))
		return;
	CHECK_INT(keeper_driver_sonic.count(r.driver, 0, &c, &e), KEEPER_UNFIT);
	CHECK_STR(e.text, message);
	leave(&r);
}

TEST(test_keeper_sonic_takes_no_missing_counter_for_zero)
{
	check_uncounted("HMGET", "*6\r\n$-1\r\n$1\r\n7\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n",
			"SAI_QUEUE_STAT_BYTES of queue Ethernet0 3 is missing");
	check_uncounted("HMGET", "*6\r\n$1\r\n7\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n",
			"SAI_QUEUE_STAT_DROPPED_PACKETS of queue Ethernet0 3 is missing");
	check_uncounted("PFC_3_RX", "$3\r\nany\r\n",
			"SAI_PORT_STAT_PFC_3_RX_PKTS of port Ethernet0 is 'any'");
	check_uncounted("speed", "$-1\r\n", "PORT|Ethernet0 has no speed in Mb/s");
}

/* --- endless replies --- */

static void check_lost(const char *message, const char *more, serve *server, void *shared)
{
	struct keeper_setting s;
	struct weir_error e = { "" };
	struct reached r;

	if (!reach(&r, more, server, shared))
		return;
	CHECK_INT(keeper_driver_sonic.read(r.driver, 0, &s, &e), KEEPER_LOST);
	CHECK_CONTAINS(e.text, message);
	leave(&r);
}

TEST(test_keeper_sonic_refuses_an_answer_of_a_billion_elements)
{
	struct saying more = { "HGETALL", "*1000000000\r\n" };

	check_lost("the reply has too many elements", "timeout=10s", be_sound, &more);
}

enum { FLOOD_BYTES = 64 << 20 };

/* Sends a string of a gigabyte; shared receives how much the client read. */
static void be_flood(int listening, void *shared)
{
	static char text[1 << 16];
	int fd = accept(listening, NULL, NULL);
	uint64_t *sent = shared;
	ssize_t now = read(fd, text, sizeof(text));

	memset(text, 'x', sizeof(text));
	memcpy(text, "$1000000000\r\n", 13);
	while (now > 0 && *sent < FLOOD_BYTES) {
		now = write(fd, text, sizeof(text));
		memset(text, 'x', 13);
		*sent += now > 0 ? (uint64_t)now : 0;
	}
	pause();
}

TEST(test_keeper_sonic_closes_on_a_reply_that_is_too_long)
{
	uint64_t *taken = mmap(NULL, sizeof(*taken), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	check_lost("the reply is too long, or incomplete after the timeout", "timeout=60s",
		   be_flood, taken);
	CHECK(*taken < FLOOD_BYTES / 2);
	munmap(taken, sizeof(*taken));
}

/* The time limit of half a second applies to the whole reply, parts of which keep arriving. */
static void be_slow(int listening, void *shared)
{
	static const char answer[] = "$1\r\n1\r\n";
	const struct timespec part = { 0, 10 * 1000 * 1000 };
	int fd = accept(listening, NULL, NULL);
	char request[ANSWER_SIZE];

	(void)shared;
	if (read(fd, request, sizeof(request)) <= 0 || write(fd, "+", 1) != 1)
		return;
	for (int i = 0; i < 50; i++) {
		nanosleep(&part, NULL);
		if (write(fd, "x", 1) != 1)
			return;
	}
	for (int i = 0; i < 2; i++)
		if (write(fd, answer, sizeof(answer) - 1) < 0)
			return;
	pause();
}

TEST(test_keeper_sonic_waits_for_a_whole_answer_and_not_for_each_part)
{
	check_lost("the reply is too long, or incomplete after the timeout", "timeout=50ms",
		   be_slow, NULL);
}

/* --- database numbers --- */

static void check_databases(const char *text, const char *message)
{
	struct folder f = folder_make();
	char more[160];
	struct reached r;

	folder_write(&f, "databases", text, strlen(text));
	snprintf(more, sizeof(more), "databases=%s/databases", f.path);
	if (!message && reach(&r, more, be_sound, NULL))
		leave(&r);
	if (message) {
		char plan[400];
		struct ini_text in = { "k.ini", plan, 0 };
		struct weir_error e = { "" };

		snprintf(plan, sizeof(plan),
			 "[keeper]\ndriver = sonic(%s)\ntune = qla\n[profile A]\n", more);
		in.length = strlen(plan);
		CHECK_INT(keeper_plan_read_text(&r.plan, &keeper_driver_registry, &in, &e), 0);
		CHECK(r.plan.driver->open(r.plan.driver_params, &r.plan, &e) == NULL);
		if (!strstr(e.text, "built without hiredis"))
			CHECK_CONTAINS(e.text, message);
		keeper_plan_free(&r.plan);
	}
	folder_remove(&f);
}

#define DATABASES(config) \
	"{\"INSTANCES\":{\"redis\":{\"hostname\":\"CONFIG_DB\",\"port\":6379}},\"DATABASES\":{" \
	"\"ASIC_DB\":{\"id\":1,\"separator\":\":\"},\"COUNTERS_DB\":{\"separator\":\"}\",\"id\":" \
	"2}," \
	"\"CONFIG_DB\":" config "},\"VERSION\":\"1.0\"}"

TEST(test_keeper_sonic_reads_the_numbers_of_databases_as_json)
{
	check_databases(DATABASES("{\"id\":4}"), NULL);
	check_databases(DATABASES("{\"separator\":\"|\"}"), "the file has no member id");
	check_databases(DATABASES("{\"id\":-4}"), "no whole number");
	check_databases(DATABASES("{\"id\":4000}"), "CONFIG_DB has an id above 1023");
	check_databases("{\"DATABASES\":{\"ASIC_DB\":", "the file ends where '{' is expected");
}
