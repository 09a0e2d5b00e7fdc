/* scrape.c -- see scrape.h. */
#define _GNU_SOURCE
#include "lab/base/scrape.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
	weir_error_set(e, "port %" PRIu64 " of 127.0.0.1 cannot be had: %s", port, strerror(errno));
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

static void answer(int fd, scrape_writer *write, void *context)
{
	char *body = NULL, head[128];
	size_t length = 0;
	FILE *f = open_memstream(&body, &length);

	if (!f)
		return;
	write(f, context);
	fclose(f);
	snprintf(head, sizeof(head),
		 "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
		 "Content-Length: %zu\r\n\r\n",
		 length);
	/* Who does not read gets less: the program waits for nobody. */
	if (send(fd, head, strlen(head), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)strlen(head))
		(void)!send(fd, body, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	free(body);
}

void scrape_serve(struct scrape *s, scrape_writer *write, void *context)
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
			answer(s->clients[i], write, context);
		close(s->clients[i]);
		s->clients[i] = -1;
	}
	if (fd >= 0)
		close(fd);
}
