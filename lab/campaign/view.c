/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c -- routes requests to pages and decides when a page is rebuilt. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/view.h"
#include "base/clock.h"
#include "lab/campaign/view_maker.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>

enum { SHARE_OF_TIME = 5 }; /* building pages uses at most a fifth of a core */

static const char html[] = "text/html; charset=utf-8", json[] = "application/json";

enum page_id { PAGE_RUNS, PAGE_REPORT, PAGE_FIGURE, PAGES };

/* A page that is built from the store. */
struct page {
	struct maker maker;
	struct store_stamp making,
		made; /* state of the store that is being rendered, and that was rendered last */
	struct body *body; /* NULL: not built yet */
	int64_t next_ns;   /* earliest time of the next rebuild */
	int is_wanted;
};

struct viewer {
	const struct live_subject *subject;
	int (*stop)(void *context);
	void *context;
	struct store_stamp stamp;
	struct page pages[PAGES];
};

/* --- building --- */

struct order {
	const struct viewer *view;
	enum page_id id;
};

static void write_page(void *context, FILE *f)
{
	const struct order *o = context;
	const struct live_subject *s = o->view->subject;

	switch (o->id) {
	case PAGE_RUNS:
		live_runs(f, s, &o->view->pages[PAGE_RUNS].making);
		break;
	case PAGE_REPORT:
		live_report(f, s);
		break;
	case PAGE_FIGURE:
	case PAGES:
		live_figure(f, s);
		break;
	}
}

static int is_of_now(const struct viewer *v, const struct page *p)
{
	return p->body && strcmp(p->made.text, v->stamp.text) == 0;
}

static void start(struct viewer *v, enum page_id id)
{
	struct page *p = &v->pages[id];
	struct order order = { v, id };

	p->making = v->stamp;
	if (maker_start(&p->maker, write_page, &order) != 0)
		p->next_ns = clock_ns() + WEIR_NS_PER_S;
}

static void finish(struct page *p)
{
	int taken = maker_take(&p->maker);

	if (taken == 0)
		return;
	/* CPU time rather than elapsed time, which includes waiting on a busy machine. */
	p->next_ns = clock_ns() + SHARE_OF_TIME * p->maker.cpu_ns;
	p->is_wanted = 0;
	if (taken < 0)
		return;
	body_leave(p->body);
	p->body = body_new(p->maker.bytes, p->maker.length);
	p->made = p->making;
}

static int work(void *context)
{
	struct viewer *v = context;

	v->stamp = store_stamp(v->subject->folder);
	for (int i = 0; i < PAGES; i++) {
		struct page *p = &v->pages[i];

		if (p->maker.pid)
			finish(p);
		else if (p->is_wanted && !is_of_now(v, p) && clock_ns() >= p->next_ns)
			start(v, (enum page_id)i);
	}
	return v->stop(v->context);
}

static uint32_t waits_for(void *context, int fds[SITE_FDS_MAX])
{
	const struct viewer *v = context;
	uint32_t count = 0;

	_Static_assert((int)PAGES <= (int)SITE_FDS_MAX, "every page may be waited for");
	for (int i = 0; i < PAGES; i++)
		if (v->pages[i].maker.pid)
			fds[count++] = v->pages[i].maker.fd;
	return count;
}

/* --- answering --- */

/* Pages that are cheap and safe enough to be written by the serving process itself. */
static struct body *write_now(const struct viewer *v,
			      void (*write)(FILE *f, const struct viewer *v))
{
	char *bytes = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&bytes, &length);

	if (!f)
		memory_refused(0);
	write(f, v);
	fclose(f);
	return body_new(bytes, length);
}

static void write_live(FILE *f, const struct viewer *v)
{
	live_page(f, v->subject);
}

static void write_state(FILE *f, const struct viewer *v)
{
	live_state(f, v->subject, &v->stamp, &v->pages[PAGE_RUNS].made);
}

static void write_lost(FILE *f, const struct viewer *v)
{
	(void)v;
	fputs("There is no such page; the runs are at /, the report at /report.\n", f);
}

/* A page of the store: up to date or, if the page allows it, the previous version. */
static int ask_page(struct viewer *v, enum page_id id, struct answer *a)
{
	struct page *p = &v->pages[id];
	int will_do = id == PAGE_RUNS ? p->body != NULL : is_of_now(v, p);

	p->is_wanted = 1;
	if (!will_do)
		return 0;
	*a = (struct answer){ HTTP_OK, id == PAGE_RUNS ? json : html, body_use(p->body) };
	return 1;
}

static int ask(void *context, const char *path, struct answer *a)
{
	struct viewer *v = context;

	if (strcmp(path, "/") == 0) {
		*a = (struct answer){ HTTP_OK, html, write_now(v, write_live) };
		return 1;
	}
	if (strcmp(path, "/state.json") == 0) {
		v->pages[PAGE_RUNS].is_wanted = v->stamp.text[0] != '\0';
		*a = (struct answer){ HTTP_OK, json, write_now(v, write_state) };
		return 1;
	}
	if (strcmp(path, "/runs.json") == 0)
		return ask_page(v, PAGE_RUNS, a);
	if (strcmp(path, "/report") == 0)
		return ask_page(v, PAGE_REPORT, a);
	if (strcmp(path, "/figure") == 0 && v->subject->figure)
		return ask_page(v, PAGE_FIGURE, a);
	*a = (struct answer){ HTTP_NOT_FOUND, "text/plain; charset=utf-8",
			      write_now(v, write_lost) };
	return 1;
}

/* --- entry points --- */

const struct figure_files *view_figure(const struct figure_list *l, const char *folder,
				       enum figure_size *size)
{
	for (uint32_t i = 0; i < l->count; i++)
		for (int k = 0; k < FIGURE_SIZES; k++) {
			char *end = figure_folder(&l->all[i], "", (enum figure_size)k);
			size_t length = strlen(folder), tail = strlen(end);
			int is_it;

			while (length > 1 && folder[length - 1] == '/')
				length--;
			/* "/pred/fig13", or the whole path without the slash */
			is_it = (length >= tail &&
				 strncmp(folder + length - tail, end, tail) == 0) ||
				(length + 1 == tail && strncmp(folder, end + 1, length) == 0);
			free(end);
			*size = (enum figure_size)k;
			if (is_it)
				return &l->all[i];
		}
	return NULL;
}

void view_run(int listener, const struct live_subject *s, int (*stop)(void *context), void *context)
{
	struct viewer v = { .subject = s, .stop = stop, .context = context };
	const struct site site = { &v, ask, waits_for, work };

	server_run(listener, &site);
	for (int i = 0; i < PAGES; i++) {
		maker_stop(&v.pages[i].maker);
		body_leave(v.pages[i].body);
	}
}
