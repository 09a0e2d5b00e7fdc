/* SPDX-License-Identifier: BSD-3-Clause */
/* farm.h -- what the other processes of a world do while the first one has a command: tasks, by
 * parcel (executor.h), until they are told to leave. */
#ifndef LAB_CAMPAIGN_FARM_H
#define LAB_CAMPAIGN_FARM_H
#include "lab/campaign/executor.h"

/* For every rank but the first. Returns when it is to leave, or when nothing was heard of the first
 * for an hour. */
void farm_serve(task_service *serve);

/* For the first: tells the others to leave. */
void farm_dismiss(void);
#endif
