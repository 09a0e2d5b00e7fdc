/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.c -- SIGINT by a waiting thread or by polling; and a crash handler that names the
 * plug-in. Contract in signals.h. */
#define _GNU_SOURCE
#include "cli/signals.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sigset_t signals_of(enum signal_set which)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (which == SIGNALS_INT_TERM)
		sigaddset(&set, SIGTERM);
	return set;
}

/* --- Ctrl-C --- */

static void *interrupt_wait(void *context)
{
	struct interrupt *i = context;
	sigset_t set = signals_of(SIGNALS_INT);
	int number;

	sigwait(&set, &number);
	atomic_store(&i->stop, 1);
	sigwait(&set, &number);
	signal(SIGINT, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGINT);
	return NULL;
}

void interrupt_start(struct interrupt *i)
{
	atomic_init(&i->stop, 0);
	signals_block(SIGNALS_INT);
	i->watching = pthread_create(&i->thread, NULL, interrupt_wait, i) == 0;
	if (!i->watching)
		signals_unblock(SIGNALS_INT);
}

void interrupt_stop(struct interrupt *i)
{
	if (!i->watching)
		return;
	pthread_cancel(i->thread); /* sigwait is a cancellation point */
	pthread_join(i->thread, NULL);
	signals_unblock(SIGNALS_INT);
}

/* --- polled signals --- */

void signals_block(enum signal_set which)
{
	const sigset_t set = signals_of(which);

	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void signals_unblock(enum signal_set which)
{
	const sigset_t set = signals_of(which);

	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int signals_arrived(enum signal_set which)
{
	const struct timespec at_once = { 0, 0 };
	const sigset_t set = signals_of(which);

	return sigtimedwait(&set, NULL, &at_once) > 0;
}

/* --- crashes ---
 *
 * Objects that are loaded when the program starts are its own; what is loaded later is a plug-in.
 * The handler looks up the object that holds the crashing address, or that of the nearest caller
 * where the address is in the C library or nowhere, and names it if it is a plug-in. Then the
 * signal takes its default action.
 *
 * A signal handler gets no argument of ours: what it needs is in this file's variables, written
 * once before there is a second thread. */

enum { OWN_OBJECTS_MAX = 64, FRAMES_MAX = 64, STACK_WORDS = 256, HANDLER_STACK_BYTES = 64 << 10 };

static uintptr_t own_objects[OWN_OBJECTS_MAX]; /* base addresses; the program itself is the first */
static size_t own_count;
static _Alignas(16) char handler_stack[HANDLER_STACK_BYTES];

enum place { PLACE_PROGRAM, PLACE_LIBRARY, PLACE_PLUGIN, PLACE_NOWHERE };

/* The object that holds the address. dladdr does not allocate, but takes a lock that the crashed
 * thread may hold. */
static enum place crash_place(uintptr_t address, Dl_info *info)
{
	if (!dladdr((const void *)address, info))
		return PLACE_NOWHERE;
	for (size_t i = 0; i < own_count; i++)
		if (own_objects[i] == (uintptr_t)info->dli_fbase)
			return i == 0 ? PLACE_PROGRAM : PLACE_LIBRARY;
	return own_count < OWN_OBJECTS_MAX ? PLACE_PLUGIN : PLACE_LIBRARY;
}

struct registers {
	uintptr_t code, stack;
};

static struct registers crash_registers(const ucontext_t *u)
{
#if defined(__x86_64__)
	return (struct registers){ (uintptr_t)u->uc_mcontext.gregs[REG_RIP],
				   (uintptr_t)u->uc_mcontext.gregs[REG_RSP] };
#elif defined(__aarch64__)
	return (struct registers){ (uintptr_t)u->uc_mcontext.pc, (uintptr_t)u->uc_mcontext.sp };
#else
	(void)u;
	return (struct registers){ 0, 0 };
#endif
}

/* The nearest caller in the program or a plug-in, by unwinding the stack. */
static enum place crash_caller(uintptr_t code, Dl_info *info)
{
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX), i = 0;

	while (i < count &&
	       (uintptr_t)frames[i] != code) /* this handler's frame and the signal trampoline */
		i++;
	for (; i < count; i++) {
		enum place place = crash_place((uintptr_t)frames[i], info);

		if (place == PLACE_PROGRAM || place == PLACE_PLUGIN)
			return place;
	}
	return PLACE_NOWHERE;
}

/* Fallback if unwinding fails, for example after a jump to an invalid address: the first word on
 * the stack that is an address in the program or a plug-in. */
static enum place crash_caller_on_stack(uintptr_t stack, Dl_info *info)
{
	const uintptr_t *words = (const uintptr_t *)(stack & ~(sizeof(uintptr_t) - 1));

	for (int i = 0; words && i < STACK_WORDS; i++) {
		enum place place = crash_place(words[i], info);

		if (place == PLACE_PROGRAM || place == PLACE_PLUGIN)
			return place;
	}
	return PLACE_NOWHERE;
}

static void crash_write(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

static void crash_handle(int number, siginfo_t *what, void *context)
{
	struct registers at = crash_registers(context);
	Dl_info info;
	enum place place;

	(void)what;
	signal(number, SIG_DFL); /* also for a crash inside this handler */
	place = crash_place(at.code, &info);
	if (place == PLACE_LIBRARY)
		place = crash_caller(at.code, &info);
	if (place == PLACE_NOWHERE)
		place = crash_caller_on_stack(at.stack, &info);
	if (place == PLACE_PLUGIN) {
		crash_write("weir: crashed in plug-in ");
		crash_write(info.dli_fname);
		crash_write("\n");
	}
	raise(number);
}

static int crash_add_own_object(struct dl_phdr_info *object, size_t size, void *context)
{
	Dl_info info;

	(void)size;
	(void)context;
	if (own_count == OWN_OBJECTS_MAX || object->dlpi_phnum == 0)
		return 0;
	/* Base address of the object, as dladdr reports it. */
	if (dladdr(object->dlpi_phdr, &info))
		own_objects[own_count++] = (uintptr_t)info.dli_fbase;
	return 0;
}

void crash_watch(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	const stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK }, old;
	void *first;

	backtrace(&first, 1); /* loads the unwinder now, because loading allocates */
	dl_iterate_phdr(crash_add_own_object, NULL);
	sigaltstack(&stack, NULL);
	action.sa_sigaction = crash_handle;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}
