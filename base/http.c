/* SPDX-License-Identifier: BSD-3-Clause */
/* http.c -- parsing request heads and writing response heads, see http.h. */
#include "base/http.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Bytes of the head. */
struct http_span {
	const char *at;
	size_t length;
};

static int http_equals(struct http_span s, const char *text)
{
	return s.length == strlen(text) && memcmp(s.at, text, s.length) == 0;
}

static int http_equals_nocase(struct http_span s, const char *text)
{
	return s.length == strlen(text) && strncasecmp(s.at, text, s.length) == 0;
}

/* Cuts off and returns everything before the character, which is dropped; without one, all. */
static struct http_span http_cut(struct http_span *rest, char end)
{
	const char *found = memchr(rest->at, end, rest->length);
	struct http_span taken = { rest->at, found ? (size_t)(found - rest->at) : rest->length };
	size_t gone = taken.length + (found != NULL);

	*rest = (struct http_span){ rest->at + gone, rest->length - gone };
	return taken;
}

static struct http_span http_trim(struct http_span s)
{
	while (s.length && (s.at[0] == ' ' || s.at[0] == '\t')) {
		s.at++;
		s.length--;
	}
	while (s.length && (s.at[s.length - 1] == ' ' || s.at[s.length - 1] == '\t'))
		s.length--;
	return s;
}

/* Cuts off the next line. Lines end in CR LF, and a lone LF is accepted (RFC 9112, section 2.2). */
static struct http_span http_cut_line(struct http_span *rest)
{
	struct http_span line = http_cut(rest, '\n');

	if (line.length && line.at[line.length - 1] == '\r')
		line.length--;
	return line;
}

/* Length of the head including its empty last line; 0: incomplete. */
static size_t http_head_length(const char *bytes, size_t length)
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

/* No control characters: they could end the text early or drive a terminal that shows it. */
static int http_is_text(struct http_span s)
{
	for (size_t i = 0; i < s.length; i++)
		if ((unsigned char)s.at[i] < ' ' && s.at[i] != '\t')
			return 0;
	return 1;
}

/* A token as of RFC 9110, section 5.6.2. */
static int http_is_token(struct http_span s)
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

static int http_is_local(struct http_span host)
{
	struct http_span name = http_cut(&host, ':');

	for (size_t i = 0; i < host.length; i++)
		if (host.at[i] < '0' || host.at[i] > '9')
			return 0;
	return http_equals(name, "127.0.0.1") || http_equals_nocase(name, "localhost");
}

/* "GET /report HTTP/1.1" */
static enum http_status http_parse_request_line(struct http_span line, struct http_request *r)
{
	struct http_span method = http_cut(&line, ' '), target = http_cut(&line, ' '), path;

	if (!http_is_token(method) || target.length == 0 || line.length != strlen("HTTP/1.1"))
		return HTTP_BAD_REQUEST;
	if (memcmp(line.at, "HTTP/1.", strlen("HTTP/1.")) != 0)
		return memcmp(line.at, "HTTP/", strlen("HTTP/")) == 0 ? HTTP_VERSION
								      : HTTP_BAD_REQUEST;
	if (!http_equals(method, "GET") && !http_equals(method, "HEAD"))
		return HTTP_NOT_ALLOWED;
	path = http_cut(&target, '?');
	if (path.at[0] != '/')
		return HTTP_BAD_REQUEST;
	if (path.length >= sizeof(r->path))
		return HTTP_NOT_FOUND;
	r->method = http_equals(method, "HEAD") ? HTTP_HEAD : HTTP_GET;
	memcpy(r->path, path.at, path.length);
	r->path[path.length] = '\0';
	return HTTP_OK;
}

enum http_status http_parse(const char *bytes, size_t length, struct http_request *r)
{
	struct http_span head = { bytes, http_head_length(bytes, length) }, line;
	enum http_status status;
	int hosts = 0, is_ours = 0;

	memset(r, 0, sizeof(*r));
	if (head.length == 0)
		return length < HTTP_REQUEST_MAX ? HTTP_MORE : HTTP_TOO_LARGE;
	if (head.length > HTTP_REQUEST_MAX)
		return HTTP_TOO_LARGE;
	line = http_cut_line(&head);
	status = http_is_text(line) ? http_parse_request_line(line, r) : HTTP_BAD_REQUEST;
	if (status != HTTP_OK)
		return status;
	for (line = http_cut_line(&head); line.length; line = http_cut_line(&head)) {
		struct http_span whole = line, name = http_cut(&line, ':');

		/* Refuses a missing colon, a blank before it and folded lines: RFC 9112, section 5.
		 */
		if (!http_is_text(whole) || name.length == whole.length || !http_is_token(name))
			return HTTP_BAD_REQUEST;
		if (http_equals_nocase(name, "host")) {
			hosts++;
			is_ours = http_is_local(http_trim(line));
		}
	}
	if (hosts != 1)
		return HTTP_BAD_REQUEST;
	return is_ours ? HTTP_OK : HTTP_MISDIRECTED;
}

static const char *http_reason(enum http_status status)
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
		 (int)status, http_reason(status), type, length,
		 status == HTTP_NOT_ALLOWED ? "Allow: GET, HEAD\r\n" : "");
	return head;
}
