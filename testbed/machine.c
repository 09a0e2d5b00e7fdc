/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c -- idle-state suppression and the loader of the DCTCP program. Contract in
 * machine.h. */
#define _GNU_SOURCE
#include "testbed/machine.h"
#include <sched.h>
#include <signal.h>
#include <stddef.h>

#ifdef WEIR_HAS_BPF
#include "base/memory.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#endif

/* --- keeping processors awake --- */

/* Spins until cancelled. */
static void *awake_idle_thread(void *none)
{
	const struct sched_param lowest = { 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &lowest))
		return none;
	for (;;) {
		for (int i = 0; i < 1000; i++)
			__asm__ volatile(""); /* keeps the compiler from removing the loop */
		pthread_testcancel();
	}
}

static int awake_start_on(size_t processor, pthread_t *thread)
{
	pthread_attr_t attr;
	cpu_set_t one;
	int failed;

	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	pthread_attr_init(&attr);
	failed = pthread_attr_setaffinity_np(&attr, sizeof(one), &one) ||
		 pthread_create(thread, &attr, awake_idle_thread, NULL);
	pthread_attr_destroy(&attr);
	return failed;
}

void awake_start(struct awake *a)
{
	cpu_set_t usable;
	sigset_t all, before;

	a->count = 0;
	if (sched_getaffinity(0, sizeof(usable), &usable))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are handled by the other threads */
	for (size_t i = 0; i < CPU_SETSIZE && a->count < AWAKE_MAX; i++)
		if (CPU_ISSET(i, &usable) && !awake_start_on(i, &a->threads[a->count]))
			a->count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void awake_end(struct awake *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		pthread_cancel(a->threads[i]);
		pthread_join(a->threads[i], NULL);
	}
}

/* --- DCTCP --- */

#ifdef WEIR_HAS_BPF
extern const unsigned char dctcp_bpf[]; /* the program, embedded by the Makefile */
extern const size_t dctcp_bpf_size;

/* Kernel constants that the headers of some distributions lack. With BPF_F_LINK the struct_ops is
 * held by a descriptor and unregistered when the process ends; without it, it would outlive a
 * kill. */
enum { MAP_OF_LINK = 1 << 13, ATTACH_STRUCT_OPS = 44, ALPHA_ONE = 1024 };

struct own_dctcp {
	struct bpf_object *object;
	struct bpf_link *values; /* keeps the struct_ops registered */
	int link;
};

static int dctcp_print_nothing(enum libbpf_print_level level, const char *format, va_list values)
{
	(void)level;
	(void)format;
	(void)values;
	return 0;
}

/* Writes alpha_start into the program's read-only data, in units of ALPHA_ONE. */
static int dctcp_set_alpha(struct own_dctcp *d, double alpha_start)
{
	struct bpf_map *map = bpf_object__find_map_by_name(d->object, ".rodata");
	uint32_t value = (uint32_t)(alpha_start * ALPHA_ONE);

	return !map || bpf_map__set_initial_value(map, &value, sizeof(value)) ? -1 : 0;
}

static int dctcp_load(struct own_dctcp *d, double alpha_start, struct weir_error *e)
{
	struct bpf_map *map;

	d->object = bpf_object__open_mem(dctcp_bpf, dctcp_bpf_size, NULL);
	if (!d->object)
		return weir_error_set(e, "cannot load the BPF program: %s", strerror(errno));
	map = bpf_object__find_map_by_name(d->object, "weir_dctcp");
	if (!map || dctcp_set_alpha(d, alpha_start) || bpf_map__set_map_flags(map, MAP_OF_LINK))
		return weir_error_set(e, "the BPF program holds no congestion control");
	if (bpf_object__load(d->object))
		return weir_error_set(e, "the kernel refused it: %s", strerror(errno));
	d->values = bpf_map__attach_struct_ops(map);
	if (!d->values)
		return weir_error_set(e, "the kernel refused it: %s", strerror(errno));
	d->link =
		bpf_link_create(bpf_map__fd(map), 0, (enum bpf_attach_type)ATTACH_STRUCT_OPS, NULL);
	if (d->link < 0)
		return weir_error_set(e, "the kernel did not register it: %s", strerror(errno));
	return 0;
}

struct own_dctcp *own_dctcp_new(double alpha_start, struct weir_error *e)
{
	struct own_dctcp *d = memory_zeroed(1, sizeof(*d));

	libbpf_set_print(dctcp_print_nothing);
	d->link = -1;
	errno = 0;
	if (!dctcp_load(d, alpha_start, e))
		return d;
	if (errno == EEXIST) { /* the name is global to all namespaces of a machine */
		own_dctcp_free(d);
		weir_error_set(e, "another testbed on this machine uses Weir's DCTCP; wait for it "
				  "to end");
		return NULL;
	}
	own_dctcp_free(d);
	weir_error_prefix(e, "this kernel has no dctcp, and Weir's needs root (CAP_BPF, "
			     "CAP_NET_ADMIN) and /sys/kernel/btf/vmlinux: ");
	return NULL;
}

void own_dctcp_free(struct own_dctcp *d)
{
	if (!d)
		return;
	if (d->link >= 0)
		close(d->link);
	if (d->values)
		bpf_link__disconnect(d->values);
	if (d->values)
		bpf_link__destroy(d->values);
	bpf_object__close(d->object);
	free(d);
}

#else

struct own_dctcp *own_dctcp_new(double alpha_start, struct weir_error *e)
{
	(void)alpha_start;
	weir_error_set(e, "this kernel has no dctcp, and this weir was built without clang and "
			  "libbpf (package libbpf-dev), which Weir's needs");
	return NULL;
}

void own_dctcp_free(struct own_dctcp *d)
{
	(void)d;
}
#endif
