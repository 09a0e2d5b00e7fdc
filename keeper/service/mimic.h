/* SPDX-License-Identifier: BSD-3-Clause */
/* mimic.h -- a switch that looks like one of SONiC's: another driver's ports behind the tables of a
 *Redis, so that a keeper whose driver is sonic can be tried with packets and without a device.
 *
 *	[mimic]
 *	socket = /run/redis-lab/redis.sock
 *	poll = 100ms
 *	[keeper]
 *	driver = weir(socket=/run/weir-sw.sock)
 *	[profile port1]
 *
 * It does what orchagent, syncd and the counters' poller do: a profile that is changed in CONFIG_DB
 *comes into force at the driver's ports and in ASIC_DB some time later, and what the driver counts
 *is written to COUNTERS_DB at intervals. Profile number i is WRED_PROFILE|NAME and the queue 3 of a
 *port Ethernet(4 i). A simulated switch's time goes on with the clock, or as much slower as speed
 *says. */
#ifndef KEEPER_SERVICE_MIMIC_H
#define KEEPER_SERVICE_MIMIC_H
#include "keeper/core/plan.h"

/* Until SIGINT, SIGTERM, or until the driver's time is over. What comes into force is told on
 * stdout. */
int keeper_mimic(const struct keeper_plan *plan, struct weir_error *e);
#endif
