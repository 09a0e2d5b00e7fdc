/* SPDX-License-Identifier: BSD-3-Clause */
/* http.c -- the head of a request, and of an answer. */
#include "base/http.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Some bytes of the head. */
struct span {
	const char *at;
	size_t length;
};

static int is(struct span s, const char *text)
{
	return s.length == strlen(text) && memcmp(s.at, text, s.length) == 0;
}

static int is_in_any_case(struct span s, const char *text)
{
	return s.length == strlen(text) && strncasecmp(s.at, text, s.length) == 0;
}

/* Up to the character, which is taken too; all of it where there is none. */
static struct span take_until(struct span *rest, char end)
{
	const char *found = memchr(rest->at, end, rest->length);
	struct span taken = { rest->at, found ? (size_t)(found - rest->at) : rest->length };
	size_t gone = taken.length + (found != NULL);

	*rest = (struct span){ rest->at + gone, rest->length - gone };
	return taken;
}

static struct span without_blanks(struct span s)
{
	while (s.length && (s.at[0] == ' ' || s.at[0] == '\t')) {
		s.at++;
		s.length--;
	}
	while (s.length && (s.at[s.length - 1] == ' ' || s.at[s.length - 1] == '\t'))
		s.length--;
	return s;
}

/* A line without its end; lines end in CR LF, and a lone LF is taken for that (RFC 9112,
 * section 2.2). */
static struct span take_line(struct span *rest)
{
	struct span line = take_until(rest, '\n');

	if (line.length && line.at[line.length - 1] == '\r')
		line.length--;
	return line;
}

/* How long the head is, with the empty line that ends it; 0: that has not come yet. */
static size_t head_length(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != '\n')
			continue;
		if (i + 1 < length && bytes[i + 1] == '\n')
			return i + 2;
		if (i + 2 < length && bytes[i + 1] == '\r' && bytes[i + 2] == '\n')
			return i + 3;
	}
	return 0;
}

/* Text, and nothing that ends it early or that a terminal would obey. */
static int is_text(struct span s)
{
	for (size_t i = 0; i < s.length; i++)
		if ((unsigned char)s.at[i] < ' ' && s.at[i] != '\t')
			return 0;
	return 1;
}

/* Letters, digits and what RFC 9110, section 5.6.2 allows beside them in the name of a field. */
static int is_token(struct span s)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < s.length; i++) {
		char c = s.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      (c && strchr(others, c))))
			return 0;
	}
	return s.length > 0;
}

static int is_here(struct span host)
{
	struct span name = take_until(&host, ':');

	for (size_t i = 0; i < host.length; i++)
		if (host.at[i] < '0' || host.at[i] > '9')
			return 0;
	return is(name, "127.0.0.1") || is_in_any_case(name, "localhost");
}

/* "GET /report HTTP/1.1" */
static enum http_status parse_first(struct span line, struct http_request *r)
{
	struct span method = take_until(&line, ' '), target = take_until(&line, ' '), path;

	if (!is_token(method) || target.length == 0 || line.length != strlen("HTTP/1.1"))
		return HTTP_BAD_REQUEST;
	if (memcmp(line.at, "HTTP/1.", strlen("HTTP/1.")) != 0)
		return memcmp(line.at, "HTTP/", strlen("HTTP/")) == 0 ? HTTP_VERSION
								      : HTTP_BAD_REQUEST;
	if (!is(method, "GET") && !is(method, "HEAD"))
		return HTTP_NOT_ALLOWED;
	path = take_until(&target, '?');
	if (path.at[0] != '/')
		return HTTP_BAD_REQUEST;
	if (path.length >= sizeof(r->path))
		return HTTP_NOT_FOUND;
	r->method = is(method, "HEAD") ? HTTP_HEAD : HTTP_GET;
	memcpy(r->path, path.at, path.length);
	r->path[path.length] = '\0';
	return HTTP_OK;
}

enum http_status http_parse(const char *bytes, size_t length, struct http_request *r)
{
	struct span head = { bytes, head_length(bytes, length) }, line;
	enum http_status status;
	int hosts = 0, is_ours = 0;

	memset(r, 0, sizeof(*r));
	if (head.length == 0)
		return length < HTTP_REQUEST_MAX ? HTTP_MORE : HTTP_TOO_LARGE;
	if (head.length > HTTP_REQUEST_MAX)
		return HTTP_TOO_LARGE;
	line = take_line(&head);
	status = is_text(line) ? parse_first(line, r) : HTTP_BAD_REQUEST;
	if (status != HTTP_OK)
		return status;
	for (line = take_line(&head); line.length; line = take_line(&head)) {
		struct span whole = line, name = take_until(&line, ':');

		/* No colon, a blank before it, or a line that goes on: RFC 9112, section 5. */
		if (!is_text(whole) || name.length == whole.length || !is_token(name))
			return HTTP_BAD_REQUEST;
		if (is_in_any_case(name, "host")) {
			hosts++;
			is_ours = is_here(without_blanks(line));
		}
	}
	if (hosts != 1)
		return HTTP_BAD_REQUEST;
	return is_ours ? HTTP_OK : HTTP_MISDIRECTED;
}

static const char *reason_of(enum http_status status)
{
	switch (status) {
	case HTTP_OK:
		return "OK";
	case HTTP_NOT_FOUND:
		return "Not Found";
	case HTTP_NOT_ALLOWED:
		return "Method Not Allowed";
	case HTTP_MISDIRECTED:
		return "Misdirected Request";
	case HTTP_TOO_LARGE:
		return "Request Header Fields Too Large";
	case HTTP_UNAVAILABLE:
		return "Service Unavailable";
	case HTTP_VERSION:
		return "HTTP Version Not Supported";
	case HTTP_MORE:
	case HTTP_BAD_REQUEST:
		break;
	}
	return "Bad Request";
}

struct http_text http_head(enum http_status status, const char *type, size_t length)
{
	struct http_text head;

	snprintf(head.text, sizeof(head.text),
		 "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		 "Connection: close\r\nCache-Control: no-store\r\n"
		 "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
		 "style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
		 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
		 "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
		 "Cross-Origin-Resource-Policy: same-origin\r\n%s\r\n",
		 (int)status, reason_of(status), type, length,
		 status == HTTP_NOT_ALLOWED ? "Allow: GET, HEAD\r\n" : "");
	return head;
}
