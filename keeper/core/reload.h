/* SPDX-License-Identifier: BSD-3-Clause */
/* reload.h -- another plan for a keeper that runs: what it knows of profiles that both name
 * stays. */
#ifndef KEEPER_CORE_RELOAD_H
#define KEEPER_CORE_RELOAD_H
#include "keeper/core/keeper.h"

/* May this plan take the place of the other while a keeper runs? -1 with a message: driver, journal
 * or socket differ. */
int keeper_reload_check(const struct keeper_plan *now, const struct keeper_plan *next,
			struct weir_error *e);

/* Puts back the originals of profiles that the next plan does not name; -1: one could not be, and
 * the keeper stays as it is. Then the keeper goes on by the next plan, with a driver that was
 * opened for it. The plan and the driver before are the caller's again. */
int keeper_reload(struct keeper *k, const struct keeper_plan *next, void *driver,
		  struct weir_error *e);
#endif
