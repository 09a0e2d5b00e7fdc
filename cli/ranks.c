/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c -- see ranks.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/ranks.h"
#include "sim/parallel/exchange.h"
#include "sim/parallel/mpi_world.h"
#include "weir/option.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char word_mpi[] = "mpi";

int ranks_share_one(const struct arguments *a)
{
	const char *text = arguments_option(a, "--ranks");

	return text && strcmp(text, word_mpi) == 0;
}

int ranks_read(const struct arguments *a, uint32_t *ranks, struct weir_error *e)
{
	static const struct weir_option option = {
		.name = "--ranks",
		.type = WEIR_OPT_COUNT,
		.def = "1",
		.min = 1,
		.max = RANKS_MAX,
		.help = "",
	};
	static const char *const here[] = { "--pcap", "--pcap-whole" };
	const char *text = arguments_option(a, "--ranks");
	uint64_t count = 1;

	for (size_t i = 0; text && i < sizeof(here) / sizeof(here[0]); i++)
		if (arguments_option(a, here[i]))
			return weir_error_set(e,
					      "--ranks: captures are written by one process; take "
					      "--threads, or leave %s out",
					      here[i]);
	*ranks = RANKS_OF_WORLD;
	if (ranks_share_one(a))
		return 0;
	if (text && weir_option_parse(&count, &option, text, e))
		return weir_error_set(e,
				      "--ranks: '%.60s' is neither a number from 1 to %d nor mpi",
				      text, RANKS_MAX);
	if (count > 1 && world_size() > 1)
		return weir_error_set(e,
				      "--ranks: mpirun has started %d processes; with --ranks mpi "
				      "they share each run",
				      world_size());
	*ranks = (uint32_t)count;
	return 0;
}

/* Is everybody ready? */
static int agree(struct exchange *x, enum ranks_ready ready)
{
	char *own = exchange_extend(&x->out[x->rank], 1);
	int all = 1;

	*own = ready == RANKS_READY;
	exchange_share(x);
	for (uint32_t i = 0; i < x->ranks; i++)
		all &= x->in[i].bytes[0];
	return all;
}

int ranks_start(struct exchange **out, uint32_t ranks, enum ranks_ready ready, struct weir_error *e)
{
	*out = NULL;
	if (ranks == RANKS_OF_WORLD) {
		if (exchange_world(out, e))
			return -1;
		if (agree(*out, ready))
			return 0;
		exchange_close(*out);
		*out = NULL;
		return -1;
	}
	if (ready == RANKS_NOT_READY)
		return -1;
	if (ranks == 1)
		return 0;
	fflush(NULL);
	if (exchange_fork(out, ranks, e))
		return -1;
	/* Ctrl-C reaches all of them; the first one tells the others. */
	if ((*out)->rank > 0)
		signal(SIGINT, SIG_IGN);
	return 0;
}

void ranks_end(struct exchange *x, int status)
{
	if (!x)
		return;
	if (x->rank > 0 && x->ops->join)
		_exit(status ? EXIT_FAILURE : EXIT_SUCCESS);
	if (x->ops->join)
		x->ops->join(x);
	exchange_close(x);
}
