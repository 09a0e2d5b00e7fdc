/* SPDX-License-Identifier: BSD-3-Clause */
/* model_use.c -- see model_use.h. */
#include "config/model_use.h"
#include <stdio.h>
#include <string.h>

/* Settings of which there is one: where in the config the scheme and its params are. switch.tune
 * names one kind or the other; a card's marking is an option of the card. */
static const struct {
	const char *path;
	size_t ops, params;
} places[] = {
	{ "switch.marking", offsetof(struct config, mark), offsetof(struct config, mark_params) },
	{ "switch.scheduler", offsetof(struct config, sched),
	  offsetof(struct config, sched_params) },
	{ "switch.tune", offsetof(struct config, agent), offsetof(struct config, tune_params) },
	{ "switch.tune", offsetof(struct config, tuner), offsetof(struct config, tune_params) },
	{ "host.cc", offsetof(struct config, cc), offsetof(struct config, cc_params) },
	{ "host.card", offsetof(struct config, card_mark),
	  offsetof(struct config, card_mark_params) },
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

int model_use_at(const struct config *c, uint32_t i, struct model_use *use)
{
	const struct weir_scheme *scheme; /* ops begin with their head */
	const void *params;

	if (i < PLACES) {
		memcpy(&scheme, (const char *)c + places[i].ops, sizeof(scheme));
		params = (const char *)c + places[i].params;
		snprintf(use->path, sizeof(use->path), "%s", places[i].path);
	} else if (i - PLACES < c->traffic_count) {
		const struct traffic_config *t = &c->traffic[i - PLACES];

		scheme = t->cc_ops ? &t->cc_ops->scheme : NULL;
		params = t->cc_params;
		snprintf(use->path, sizeof(use->path), "traffic.%s.cc", t->name);
	} else {
		return 0;
	}
	use->model = scheme ? model_of(scheme, params) : NULL;
	return 1;
}

const struct model *model_used(const struct config *c, const char *path)
{
	struct model_use use;

	for (uint32_t i = 0; model_use_at(c, i, &use); i++)
		if (use.model && strcmp(use.path, path) == 0)
			return use.model;
	return NULL;
}
