/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.c -- see crash.h.
 *
 * Objects that are loaded when the program starts are its own; what is loaded later is a plug-in.
 * Of the place that crashed, or of the nearest caller where that is in the C library or nowhere,
 * the object is looked up and, if it is a plug-in, named. The signal then does what it does without
 * us.
 *
 * A signal handler cannot be handed anything: what it needs is in this file's own variables,
 * written once before there is a second thread. */
#define _GNU_SOURCE
#include "cli/crash.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { OWN_OBJECTS_MAX = 64, FRAMES_MAX = 64, STACK_WORDS = 256, HANDLER_STACK_BYTES = 64 << 10 };

static uintptr_t
	own_objects[OWN_OBJECTS_MAX]; /* where they begin; the program itself is the first */
static size_t own_count;
static _Alignas(16) char handler_stack[HANDLER_STACK_BYTES];

enum place { PLACE_PROGRAM, PLACE_LIBRARY, PLACE_PLUGIN, PLACE_NOWHERE };

/* Whose code is at the address? dladdr allocates nothing and takes a lock that the thread may
 * have. */
static enum place place_of(uintptr_t address, Dl_info *info)
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

static struct registers registers_of(const ucontext_t *u)
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

/* The nearest caller that is the program or a plug-in, found by unwinding the stack. */
static enum place caller_of(uintptr_t code, Dl_info *info)
{
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX), i = 0;

	while (i < count && (uintptr_t)frames[i] != code) /* our own, and the signal's */
		i++;
	for (; i < count; i++) {
		enum place place = place_of((uintptr_t)frames[i], info);

		if (place == PLACE_PROGRAM || place == PLACE_PLUGIN)
			return place;
	}
	return PLACE_NOWHERE;
}

/* The same where the stack cannot be unwound, as after a jump to nowhere: the first address on it
 * that is in the program or in a plug-in is that of a caller, or was. */
static enum place caller_on_stack(uintptr_t stack, Dl_info *info)
{
	const uintptr_t *words = (const uintptr_t *)(stack & ~(sizeof(uintptr_t) - 1));

	for (int i = 0; words && i < STACK_WORDS; i++) {
		enum place place = place_of(words[i], info);

		if (place == PLACE_PROGRAM || place == PLACE_PLUGIN)
			return place;
	}
	return PLACE_NOWHERE;
}

static void say(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

static void on_crash(int number, siginfo_t *what, void *context)
{
	struct registers at = registers_of(context);
	Dl_info info;
	enum place place;

	(void)what;
	signal(number, SIG_DFL); /* also for what may happen while we look */
	place = place_of(at.code, &info);
	if (place == PLACE_LIBRARY)
		place = caller_of(at.code, &info);
	if (place == PLACE_NOWHERE)
		place = caller_on_stack(at.stack, &info);
	if (place == PLACE_PLUGIN) {
		say("weir: crashed in plug-in ");
		say(info.dli_fname);
		say("\n");
	}
	raise(number);
}

static int add_own(struct dl_phdr_info *object, size_t size, void *context)
{
	Dl_info info;

	(void)size;
	(void)context;
	if (own_count == OWN_OBJECTS_MAX || object->dlpi_phnum == 0)
		return 0;
	/* By an address in it: where it begins as dladdr has it. */
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

	backtrace(&first, 1); /* has it load now what it needs */
	dl_iterate_phdr(add_own, NULL);
	sigaltstack(&stack, NULL);
	action.sa_sigaction = on_crash;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}
