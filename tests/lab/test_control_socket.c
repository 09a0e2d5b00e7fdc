/* SPDX-License-Identifier: BSD-3-Clause */
/* test_control_socket.c -- the socket by which running programs take requests: what may be replaced
 * at its path, and that no client keeps another one from its answer. Nothing waits: a test is both
 * sides. */
#define _GNU_SOURCE
#include "base/control_socket.h"
#include "tests/folder.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

struct served {
	struct folder folder;
	char path[96];
	struct control_socket socket;
	uint32_t requests;
	char last[CONTROL_REQUEST_SIZE];
	size_t answer_length; /* 0: "ok" */
};

static void handle(void *context, struct control_client *client, const char *request)
{
	struct served *s = context;
	char *answer;

	s->requests++;
	snprintf(s->last, sizeof(s->last), "%s", request);
	if (strcmp(request, "pin") == 0)
		CHECK_INT(control_socket_pin(&s->socket, client), 0);
	if (!s->answer_length) {
		control_socket_send(client, "ok\n", 3);
		return;
	}
	answer = malloc(s->answer_length);
	memset(answer, 'x', s->answer_length);
	control_socket_send(client, answer, s->answer_length);
	free(answer);
}

static void place(struct served *s)
{
	memset(s, 0, sizeof(*s));
	s->folder = folder_make();
	snprintf(s->path, sizeof(s->path), "%s/socket", s->folder.path);
}

static void start(struct served *s)
{
	struct weir_error e = { "" };

	place(s);
	if (control_socket_open(&s->socket, s->path, "server", &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void stop(struct served *s)
{
	control_socket_close(&s->socket);
	CHECK(access(s->path, F_OK) != 0);
	folder_remove(&s->folder);
}

static void turn(struct served *s, int times)
{
	while (times-- > 0)
		control_socket_serve(&s->socket, handle, s);
}

static int connect_client(const struct served *s)
{
	struct weir_error e = { "" };
	int fd = control_socket_connect(s->path, "server", &e);

	CHECK(fd >= 0);
	return fd;
}

/* Sends a request and takes its answer, in a few turns of the server. */
static void check_answered(struct served *s, int fd)
{
	char answer[4] = "";

	CHECK(send(fd, "status\n", 7, MSG_NOSIGNAL) == 7);
	turn(s, 3);
	CHECK(recv(fd, answer, 3, MSG_DONTWAIT) == 3);
	CHECK_STR(answer, "ok\n");
}

/* --- what is at the path --- */

static void check_refused(struct served *s, const char *message)
{
	struct weir_error e = { "" };

	CHECK_INT(control_socket_open(&s->socket, s->path, "server", &e), -1);
	CHECK_CONTAINS(e.text, message);
	CHECK(access(s->path, F_OK) == 0);
	control_socket_close(&s->socket);
	CHECK(access(s->path, F_OK) == 0);
}

TEST(test_control_socket_leaves_a_file_at_its_path)
{
	struct served s;
	size_t length;
	char *text;

	place(&s);
	folder_write(&s.folder, "socket", "precious", 8);
	check_refused(&s, "is there already and is no socket");
	text = folder_read(&s.folder, "socket", &length);
	CHECK_STR(text, "precious");
	free(text);
	unlink(s.path);
	CHECK_INT(mkdir(s.path, 0700), 0);
	check_refused(&s, "is no socket");
	rmdir(s.path);
	CHECK_INT(symlink("/dev/null", s.path), 0);
	check_refused(&s, "is no socket");
	folder_remove(&s.folder);
}

static int bind_other(const struct served *s, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", s->path);
	CHECK_INT(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

TEST(test_control_socket_replaces_a_socket_only_where_no_program_answers)
{
	struct weir_error e = { "" };
	struct served s;
	int fd;

	place(&s);
	fd = bind_other(&s, SOCK_DGRAM); /* a program's, of another kind */
	check_refused(&s, "it is not known whether a program answers");
	close(fd);
	CHECK_INT(control_socket_open(&s.socket, s.path, "server", &e), 0); /* it is gone now */
	control_socket_close(&s.socket);
	fd = bind_other(&s, SOCK_STREAM);
	CHECK_INT(listen(fd, 0), 0);
	check_refused(&s, "another server answers there");
	check_refused(&s, "another server answers there"); /* its backlog is full by now */
	close(fd);
	CHECK_INT(control_socket_open(&s.socket, s.path, "server", &e), 0);
	stop(&s);
}

TEST(test_control_socket_does_not_remove_what_took_its_place)
{
	struct served s;

	start(&s);
	unlink(s.path);
	folder_write(&s.folder, "socket", "another's", 9);
	control_socket_close(&s.socket);
	CHECK(access(s.path, F_OK) == 0);
	folder_remove(&s.folder);
}

TEST(test_control_socket_that_was_never_opened_closes_nothing)
{
	struct control_socket s = { .fd = -1 }; /* its clients' descriptors are 0 */
	int before = dup(0);

	CHECK(before >= 0 || open("/dev/null", O_RDONLY) == 0);
	control_socket_close(&s);
	CHECK(fcntl(0, F_GETFD) >= 0);
	if (before >= 0)
		close(before);
}

/* --- clients --- */

TEST(test_control_socket_answers_however_many_clients_are_idle)
{
	enum { IDLE = 5 * CONTROL_CLIENTS };
	int idle[IDLE], fd;
	struct served s;

	start(&s);
	for (int i = 0; i < IDLE; i++) {
		idle[i] = connect_client(&s);
		if (i % 3 == 0)
			CHECK(send(idle[i], "sta", 3, MSG_NOSIGNAL) == 3); /* half a request */
		turn(&s, 1);
	}
	fd = connect_client(&s);
	check_answered(&s, fd);
	check_answered(&s, fd);
	for (int i = 0; i < CONTROL_CLIENTS - 2; i++) { /* it was heard later than these */
		close(idle[i]);
		idle[i] = connect_client(&s);
		turn(&s, 1);
	}
	check_answered(&s, fd);
	for (int i = 0; i < IDLE; i++)
		close(idle[i]);
	close(fd);
	stop(&s);
}

TEST(test_control_socket_keeps_places_for_others_beside_pinned_clients)
{
	int pinned[CONTROL_PINNED_MAX], fd;
	struct served s;
	char answer[4];

	start(&s);
	for (int i = 0; i < CONTROL_PINNED_MAX; i++) {
		pinned[i] = connect_client(&s);
		CHECK(send(pinned[i], "pin\n", 4, MSG_NOSIGNAL) == 4);
		turn(&s, 2);
	}
	for (int i = 0; i < 3 * CONTROL_CLIENTS; i++) {
		fd = connect_client(&s);
		check_answered(&s, fd);
		CHECK_INT(control_socket_pin(&s.socket, &s.socket.clients[CONTROL_PINNED_MAX]), -1);
		close(fd);
	}
	for (int i = 0; i < CONTROL_PINNED_MAX; i++) { /* and none was hung up on */
		CHECK(recv(pinned[i], answer, 3, MSG_DONTWAIT) == 3);
		CHECK(recv(pinned[i], answer, 3, MSG_DONTWAIT) < 0 && errno == EAGAIN);
		close(pinned[i]);
	}
	stop(&s);
}

TEST(test_control_socket_answers_a_request_with_a_nul_byte_and_those_after_it)
{
	char answer[8] = "";
	struct served s;
	int fd;

	start(&s);
	fd = connect_client(&s);
	CHECK(send(fd, "sta\0tus\nstatus\n", 15, MSG_NOSIGNAL) == 15);
	turn(&s, 2);
	CHECK_INT(s.requests, 2);
	CHECK_STR(s.last, "status");
	CHECK(recv(fd, answer, 6, MSG_DONTWAIT) == 6);
	CHECK(send(fd, "a\0b\n", 4, MSG_NOSIGNAL) == 4);
	turn(&s, 1);
	CHECK_STR(s.last, "a?b");
	check_answered(&s, fd);
	close(fd);
	stop(&s);
}

TEST(test_control_socket_hangs_up_on_a_request_that_is_too_long)
{
	char text[CONTROL_REQUEST_SIZE];
	struct served s;
	int fd;

	start(&s);
	fd = connect_client(&s);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\n';
	CHECK(send(fd, text, sizeof(text), MSG_NOSIGNAL) == sizeof(text)); /* the longest */
	turn(&s, 2);
	CHECK_INT(s.requests, 1);
	CHECK(recv(fd, text, 3, MSG_DONTWAIT) == 3);
	memset(text, 'a', sizeof(text));
	CHECK(send(fd, text, sizeof(text), MSG_NOSIGNAL) == sizeof(text));
	turn(&s, 2);
	CHECK(recv(fd, text, 3, MSG_DONTWAIT) == 0);
	close(fd);
	stop(&s);
}

TEST(test_control_socket_sends_a_long_answer_as_it_is_taken_and_none_without_end)
{
	static char text[1 << 16];
	struct served s;
	size_t got = 0;
	ssize_t now;
	int fd;

	start(&s);
	fd = connect_client(&s);
	s.answer_length = 3 << 20;
	CHECK(send(fd, "status\n", 7, MSG_NOSIGNAL) == 7);
	turn(&s, 2);
	while ((now = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0) {
		got += (size_t)now;
		turn(&s, 1);
	}
	CHECK_INT(got, s.answer_length);
	for (int i = 0; i < 3;
	     i++) /* asked for and not taken: it waits for room, and is not read from */
		CHECK(send(fd, "status\n", 7, MSG_NOSIGNAL) == 7);
	turn(&s, 5);
	CHECK_INT(s.requests, 2);
	close(fd);
	turn(&s, 2);
	s.answer_length = CONTROL_UNSENT_MAX + 1;
	fd = connect_client(&s);
	CHECK(send(fd, "status\n", 7, MSG_NOSIGNAL) == 7);
	turn(&s, 2);
	CHECK(recv(fd, text, sizeof(text), MSG_DONTWAIT) == 0);
	close(fd);
	stop(&s);
}
