/* scrape.h -- what is counted, for Prometheus: its text format over HTTP, on a port of this machine alone.
 *
 * Whatever is asked for is answered with the numbers, in one piece, and the connection ends. */
#ifndef SWITCH_RUN_SCRAPE_H
#define SWITCH_RUN_SCRAPE_H
#include "switch/run/loop.h"
#include <stdio.h>

enum { SCRAPE_CLIENTS = 4 };

struct scrape {
	int fd; /* -1: nobody may ask */
	int clients[SCRAPE_CLIENTS];
};

/* Listens on that port of 127.0.0.1; 0: nowhere. */
int scrape_open(struct scrape *s, uint64_t port, struct weir_error *e);
void scrape_close(struct scrape *s);

/* Descriptors to wait for, at most SCRAPE_CLIENTS + 1; returns how many. */
struct pollfd;
uint32_t scrape_polled(const struct scrape *s, struct pollfd *polled);

/* Answers whoever has asked. */
void scrape_serve(struct scrape *s, struct loop *l);

/* The numbers alone. */
void scrape_text(FILE *f, struct loop *l);
#endif
