/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h -- runs a scenario of a test on several processes. */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H
#include "sim/parallel/exchange.h"
#include "tests/sim.h"
#include <stdlib.h>
#include <unistd.h>

/* Runs it on so many processes, of which this one is the first and shows what came of it. */
static inline int sim_run_ranks(const struct sim *s, uint32_t ranks, uint32_t threads,
				struct run_result *r, struct weir_error *e)
{
	struct run_control control = { .threads = threads, .audit_windows = SIM_AUDIT_WINDOWS };
	int failed;

	fflush(NULL);
	CHECK_INT(exchange_fork(&control.exchange, ranks, e), 0);
	failed = run(&s->c, &control, r, e);
	if (control.exchange->rank > 0)
		_exit(failed ? EXIT_FAILURE : EXIT_SUCCESS);
	control.exchange->ops->join(control.exchange);
	exchange_close(control.exchange);
	return failed;
}
#endif
