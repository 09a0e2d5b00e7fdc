/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- every trainer, one line each. */
#include "train/trainer.h"
#include "base/registry.h"

extern const struct trainer trainer_acc, trainer_fdcc, trainer_rl_cc;

const struct trainer *const trainer_all[] = {
	&trainer_acc,
	&trainer_fdcc,
	&trainer_rl_cc,
	NULL,
};

const struct registry trainer_registry = REGISTRY("trainer", trainer_all);

const struct trainer *trainer_find(const char *name, struct weir_error *e)
{
	const struct trainer *t = weir_registry_find(&trainer_registry, name);

	if (!t)
		weir_registry_unknown(&trainer_registry, name, e);
	return t;
}
