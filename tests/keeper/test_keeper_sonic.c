/* test_keeper_sonic.c -- any answers into the driver of SONiC switches: what Redis says is never believed unseen. */
#define _GNU_SOURCE
#include "keeper/drive/drivers.h"
#include "tests/test.h"
#include "weir/rng.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
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

/* The answer that a sound server gives; what is asked is known by a word. */
static const char *fitting(const char *request)
{
	if (strstr(request, "CONFIG_DB_INITIALIZED"))
		return answers[1];
	return strstr(request, "HGETALL") ? answers[8] : answers[0];
}

/* In half of all cases the one that fits, else any; then, in one out of eight, with a letter changed or its end cut off. Lengths never get more digits: what a
 * client makes of billions of elements is the client's affair. */
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

/* Answers whatever is asked with anything, and hangs up now and then. */
_Noreturn static void be_redis(int listening)
{
	struct weir_rng rng = weir_rng_make(5, 2, WEIR_RNG_TUNING);
	char request[ANSWER_SIZE], text[ANSWER_SIZE];

	signal(SIGPIPE, SIG_IGN);
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

static pid_t start_redis(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t child;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	CHECK_INT(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_INT(listen(fd, 4), 0);
	child = fork();
	if (child == 0)
		be_redis(fd);
	close(fd);
	return child;
}

/* A setting that is said to be one is one that orchagent takes. */
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

TEST(test_keeper_sonic_takes_any_answers_of_redis)
{
	struct weir_rng rng = weir_rng_make(5, 1, WEIR_RNG_TUNING);
	char path[64], text[256];
	struct ini_text in = { "k.ini", text, 0 };
	struct weir_error e = { "" };
	struct keeper_plan plan;
	void *driver;
	pid_t redis;
	int read = 0;

	snprintf(path, sizeof(path), "/tmp/weir-redis-%d.sock", (int)getpid());
	snprintf(text, sizeof(text),
		 "[keeper]\ndriver = sonic(socket=%s, timeout=10ms)\ntune = qla\n[profile A]\n",
		 path);
	in.length = strlen(text);
	CHECK_INT(keeper_plan_read_text(&plan, &keeper_driver_registry, &in, &e), 0);
	driver = plan.driver->open(plan.driver_params, &plan, &e);
	if (!driver) {
		CHECK_CONTAINS(e.text, "built without hiredis");
		keeper_plan_free(&plan);
		return;
	}
	signal(SIGPIPE, SIG_IGN);
	redis = start_redis(path);
	for (int i = 0; i < ROUNDS; i++)
		read += try_driver(driver, &rng);
	CHECK(read > 0);
	kill(redis, SIGKILL);
	waitpid(redis, NULL, 0);
	unlink(path);
	plan.driver->close(driver);
	keeper_plan_free(&plan);
}
