/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_weir.c -- the 'weir switch' driver with a defective status: a missing counter is an
 * error and never zero. */
#define _GNU_SOURCE
#include "keeper/core/plan.h"
#include "base/control_socket.h"
#include "tests/folder.h"
#include <signal.h>
#include <sys/wait.h>

#define MARKING "\"marking\":\"red(min=100KB, max=200KB, p=0.1)\""
#define PORT_B \
	"{\"name\":\"b\",\"rate_bps\":9,\"tx_bytes\":9,\"marks\":9,\"drops\":9,\"queue_bytes\":" \
	"9," MARKING "}"

/* A status of ports a and b; the counters are those of a. */
#define STATUS(counters) \
	"{\"title\":\"\",\"ports\":[{\"name\":\"a\"," counters MARKING "}," PORT_B "]}\n"

static void answer(void *context, struct control_client *client, const char *request)
{
	const char *status = context;

	(void)request;
	control_socket_send(client, status, strlen(status));
}

/* A server in a child process that answers every request with this. */
static pid_t start_switch(const char *path, const char *status)
{
	struct control_socket s;
	struct weir_error e;
	pid_t child;

	CHECK_INT(control_socket_open(&s, path, "switch", &e), 0);
	child = fork();
	if (child)
		return child;
	for (;;) {
		struct pollfd polled[CONTROL_FDS];

		if (poll(polled, control_socket_polled(&s, polled), -1) > 0)
			control_socket_serve(&s, answer, (void *)(uintptr_t)status);
	}
}

struct counted {
	enum keeper_reading reading;
	struct keeper_counters counters;
	struct keeper_setting setting;
	struct weir_error e;
};

static struct counted count(const char *status)
{
	const struct folder f = folder_make();
	char path[96], text[512];
	struct ini_text in = { "k.ini", text, 0 };
	struct counted c = { .reading = KEEPER_LOST };
	struct keeper_plan plan;
	void *driver;
	pid_t child;

	snprintf(path, sizeof(path), "%s/switch", f.path);
	snprintf(text, sizeof(text),
		 "[keeper]\ndriver = weir(socket=%s, timeout=10s)\ntune = qla\n[profile a]\n",
		 path);
	in.length = strlen(text);
	CHECK_INT(keeper_plan_read_text(&plan, &keeper_driver_registry, &in, &c.e), 0);
	driver = plan.driver->open(plan.driver_params, &plan, &c.e);
	child = start_switch(path, status);
	c.reading = plan.driver->count(driver, 0, &c.counters, &c.e);
	if (c.reading == KEEPER_READ)
		CHECK_INT(plan.driver->read(driver, 0, &c.setting, &c.e), KEEPER_READ);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	plan.driver->close(driver);
	keeper_plan_free(&plan);
	unlink(path);
	folder_remove(&f);
	return c;
}

TEST(test_keeper_weir_reads_its_own_ports_counters)
{
	const struct counted c = count(STATUS(
		"\"reasons\":{\"drops\":8},\"rate_bps\":1000,\"tx_bytes\":18446744073709551615,"
		"\"marks\":3,\"drops\":0,\"queue_bytes\":5,"));

	CHECK_INT(c.reading, KEEPER_READ);
	CHECK(c.counters.since_start[KEEPER_OUT_BYTES] == UINT64_MAX);
	CHECK_INT(c.counters.since_start[KEEPER_DROPS],
		  0); /* not those of a reason, nor those of b */
	CHECK_INT(c.counters.since_start[KEEPER_MARKED_PKTS], 3);
	CHECK_INT(c.counters.queue_bytes, 5);
	CHECK_INT(c.counters.rate_bps, 1000);
	CHECK_INT(c.setting.min_bytes, 100000);
}

static void check_unfit(const char *status, const char *message)
{
	const struct counted c = count(status);

	CHECK_INT(c.reading, KEEPER_UNFIT);
	CHECK_STR(c.e.text, message);
}

TEST(test_keeper_weir_takes_no_missing_counter_for_zero)
{
	check_unfit(STATUS("\"rate_bps\":1,\"tx_bytes\":1,\"marks\":1,\"queue_bytes\":1,"),
		    "port a: the switch's status has no member drops");
	check_unfit(STATUS("\"rate_bps\":1,\"tx_bytes\":1,\"marks\":1,\"drops\":null,\"queue_"
			   "bytes\":1,"),
		    "port a: the switch's status has no whole number where one is expected");
	check_unfit(STATUS("\"rate_bps\":1,\"tx_bytes_total\":1,\"marks\":1,\"drops\":1,\"queue_"
			   "bytes\":1,"),
		    "port a: the switch's status has no member tx_bytes");
	check_unfit("{\"ports\":[" PORT_B "]}\n", "the switch has no port a");
	check_unfit("{\"title\":\"\"}\n", "the switch's status has no member ports");
	check_unfit("any\n", "the switch's status has byte 0x61 where '{' is expected");
}
