/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.h -- a plug-in that crashes is named before the program dies of it. */
#ifndef CLI_CRASH_H
#define CLI_CRASH_H

/* Once, before any plug-in is loaded. Processes that are made later watch, too. */
void crash_watch(void);
#endif
