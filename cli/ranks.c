/* ranks.c -- see ranks.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/ranks.h"
#include "cli/commands.h"
#include "weir/option.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int ranks_read(const char *text, uint32_t *ranks, struct weir_error *e)
{
	struct {
		uint64_t count;
	} read = { 1 };
	static const struct weir_option option = {
		.name = "--ranks",
		.type = WEIR_OPT_COUNT,
		.def = "1",
		.min = 1,
		.max = RANKS_MAX,
		.help = "",
	};

	if (text && weir_option_parse(&read, &option, text, e))
		return -1;
	*ranks = (uint32_t)read.count;
	return 0;
}

int ranks_start(struct exchange **out, uint32_t ranks, struct weir_error *e)
{
	*out = NULL;
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

int ranks_end(struct exchange *x, int status)
{
	if (!x)
		return status;
	if (x->rank > 0)
		_exit(status ? EXIT_FAILURE : EXIT_SUCCESS);
	exchange_join(x);
	exchange_close(x);
	return status;
}
