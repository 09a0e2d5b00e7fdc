/* SPDX-License-Identifier: BSD-3-Clause */
/* drivers.c -- see drivers.h. */
#include "keeper/drivers/drivers.h"

const struct keeper_driver_ops *const keeper_driver_all[] = {
	&keeper_driver_sonic, &keeper_driver_tc, &keeper_driver_weir, &keeper_driver_sim, NULL,
};

const struct registry keeper_driver_registry = REGISTRY("driver", keeper_driver_all);
