/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.h -- a switch from its start to its end: waits, works, answers. */
#ifndef SWITCH_RUN_SERVE_H
#define SWITCH_RUN_SERVE_H
#include "base/responder.h"
#include "switch/run/control.h"
#include "switch/run/helpers.h"

#include <signal.h>

struct real_server {
	int signals;     /* descriptor */
	sigset_t before; /* signals that were blocked */
	struct responder responder;
	struct helpers helpers;
};

/* The switch's other threads are there, and rest but for real_run. From here on SIGINT, SIGTERM and
 * SIGHUP wait to be heard, and Prometheus where the settings let it. */
int real_open(struct real_server *s, struct loop *l, struct weir_error *e);
void real_close(struct real_server *s);

/* Runs until that time of the plane, WEIR_TIME_NEVER_PS: for ever. Returns 1 where one of these
 * signals came before, or a request to stop. */
int real_run(struct real_server *s, struct loop *l, struct control *c, int64_t until_ps);
#endif
