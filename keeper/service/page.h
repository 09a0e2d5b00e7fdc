/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h -- what a keeper shows on a port of this machine: "/" for people, "/metrics" for
 * Prometheus, "/status" as 'weir keeper status' says it. Nothing can be changed by it. */
#ifndef KEEPER_SERVICE_PAGE_H
#define KEEPER_SERVICE_PAGE_H
#include "keeper/service/log.h"

struct keeper_page {
	const struct keeper *keeper;
	const struct keeper_log *log;
};

/* A responder_page; context is a keeper_page. */
int keeper_page(void *context, const char *path, FILE *page, const char **type);

void keeper_page_metrics(const struct keeper *k, FILE *f);
void keeper_page_html(const struct keeper *k, const struct keeper_log *log, FILE *f);
#endif
