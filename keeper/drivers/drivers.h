/* SPDX-License-Identifier: BSD-3-Clause */
/* drivers.h -- every driver, one line each. */
#ifndef KEEPER_DRIVERS_DRIVERS_H
#define KEEPER_DRIVERS_DRIVERS_H
#include "keeper/core/plan.h"

extern const struct keeper_driver_ops keeper_driver_sonic, keeper_driver_tc, keeper_driver_weir,
	keeper_driver_sim;
extern const struct keeper_driver_ops *const keeper_driver_all[]; /* ends with NULL */
extern const struct registry keeper_driver_registry;
#endif
