/* scrape.h -- numbers of a program that runs, for Prometheus: its text format over HTTP, on a port of this machine alone.
 *
 * Whatever is asked for is answered with the numbers, in one piece, and the connection ends. Nobody is waited for: the owner
 * polls the descriptors beside its own and calls scrape_serve when one is ready. */
#ifndef LAB_BASE_SCRAPE_H
#define LAB_BASE_SCRAPE_H
#include "weir/error.h"
#include <stdint.h>
#include <stdio.h>

enum { SCRAPE_CLIENTS = 4 };

struct scrape {
	int fd; /* -1: nobody may ask */
	int clients[SCRAPE_CLIENTS];
};

/* Listens on that port of 127.0.0.1; 0: nowhere. The message has no key in front. */
int scrape_open(struct scrape *s, uint64_t port, struct weir_error *e);
void scrape_close(struct scrape *s);

/* Descriptors to wait for, at most SCRAPE_CLIENTS + 1; returns how many. */
struct pollfd;
uint32_t scrape_polled(const struct scrape *s, struct pollfd *polled);

/* Writes the numbers: "# HELP", "# TYPE" and a line for each. */
typedef void scrape_writer(FILE *f, void *context);

/* Answers whoever has asked. */
void scrape_serve(struct scrape *s, scrape_writer *write, void *context);
#endif
