/* scrape.c -- see scrape.h. */
#define _GNU_SOURCE
#include "switch/run/scrape.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- numbers --- */

static uint64_t rx_pkts(struct loop *l, uint32_t i)
{
	return plane_port(l->plane, i)->counts.rx_pkts;
}

static uint64_t rx_bytes(struct loop *l, uint32_t i)
{
	return plane_port(l->plane, i)->counts.rx_bytes;
}

static uint64_t tx_pkts(struct loop *l, uint32_t i)
{
	return plane_port(l->plane, i)->port->tx_pkts;
}

static uint64_t tx_bytes(struct loop *l, uint32_t i)
{
	return plane_port(l->plane, i)->port->tx_bytes;
}

static uint64_t marks(struct loop *l, uint32_t i)
{
	return plane_marks(plane_port(l->plane, i));
}

static uint64_t drops(struct loop *l, uint32_t i)
{
	return plane_drops(plane_port(l->plane, i));
}

static uint64_t refused(struct loop *l, uint32_t i)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < PLANE_FAULTS; k++)
		sum += plane_port(l->plane, i)->counts.faults[k];
	return sum;
}

static uint64_t queue_pkts(struct loop *l, uint32_t i)
{
	return plane_port(l->plane, i)->port->pkts;
}

static uint64_t queue_bytes(struct loop *l, uint32_t i)
{
	return plane_port(l->plane, i)->port->bytes;
}

static uint64_t is_up(struct loop *l, uint32_t i)
{
	return (uint64_t)l->is_up[i];
}

/* Names end as those of Prometheus do: _total where something is counted. */
static const struct number {
	const char *name, *type, *help;
	uint64_t (*read)(struct loop *l, uint32_t port);
} numbers[] = {
	{ "weir_rx_packets_total", "counter", "Frames that came in.", rx_pkts },
	{ "weir_rx_bytes_total", "counter", "Bytes of these.", rx_bytes },
	{ "weir_tx_packets_total", "counter", "Frames that the port's line took.", tx_pkts },
	{ "weir_tx_bytes_total", "counter", "Bytes of these.", tx_bytes },
	{ "weir_marks_total", "counter", "Packets that the port marked.", marks },
	{ "weir_drops_total", "counter", "Packets that the port dropped.", drops },
	{ "weir_refused_total", "counter", "Frames that came in and were offered to no port.",
	  refused },
	{ "weir_queue_packets", "gauge", "Packets that wait in the port.", queue_pkts },
	{ "weir_queue_bytes", "gauge", "Bytes that wait in the port.", queue_bytes },
	{ "weir_link_up", "gauge", "1 where the port's interface is up.", is_up },
};

void scrape_text(FILE *f, struct loop *l)
{
	for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
		fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", numbers[n].name, numbers[n].help,
			numbers[n].name, numbers[n].type);
		for (uint32_t i = 0; i < plane_ports(l->plane); i++)
			fprintf(f, "%s{port=\"%s\"} %" PRIu64 "\n", numbers[n].name,
				plane_port(l->plane, i)->name, numbers[n].read(l, i));
	}
}

/* --- the socket --- */

int scrape_open(struct scrape *s, uint64_t port, struct weir_error *e)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int again = 1;

	s->fd = -1;
	for (uint32_t i = 0; i < SCRAPE_CLIENTS; i++)
		s->clients[i] = -1;
	if (port == 0)
		return 0;
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd >= 0 && setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof(again)) == 0 &&
	    bind(s->fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    listen(s->fd, SCRAPE_CLIENTS) == 0)
		return 0;
	weir_error_set(e, "real.prometheus: port %" PRIu64 " of 127.0.0.1 cannot be had: %s", port,
		       strerror(errno));
	scrape_close(s);
	return -1;
}

void scrape_close(struct scrape *s)
{
	for (uint32_t i = 0; i < SCRAPE_CLIENTS; i++)
		if (s->clients[i] >= 0)
			close(s->clients[i]);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

uint32_t scrape_polled(const struct scrape *s, struct pollfd *polled)
{
	uint32_t count = 0;

	if (s->fd < 0)
		return 0;
	polled[count++] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	for (uint32_t i = 0; i < SCRAPE_CLIENTS; i++)
		if (s->clients[i] >= 0)
			polled[count++] = (struct pollfd){ .fd = s->clients[i], .events = POLLIN };
	return count;
}

static void answer(int fd, struct loop *l)
{
	char *body = NULL, head[128];
	size_t length = 0;
	FILE *f = open_memstream(&body, &length);

	if (!f)
		return;
	scrape_text(f, l);
	fclose(f);
	snprintf(head, sizeof(head),
		 "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
		 "Content-Length: %zu\r\n\r\n",
		 length);
	/* Who does not read gets less: the switch waits for nobody. */
	if (send(fd, head, strlen(head), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)strlen(head))
		(void)!send(fd, body, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	free(body);
}

void scrape_serve(struct scrape *s, struct loop *l)
{
	int fd = s->fd >= 0 ? accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;

	for (uint32_t i = 0; i < SCRAPE_CLIENTS; i++) {
		char asked[1024];
		ssize_t got;

		if (s->clients[i] < 0) {
			s->clients[i] = fd;
			fd = -1;
		}
		if (s->clients[i] < 0)
			continue;
		got = recv(s->clients[i], asked, sizeof(asked), MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got > 0)
			answer(s->clients[i], l);
		close(s->clients[i]);
		s->clients[i] = -1;
	}
	if (fd >= 0)
		close(fd);
}
