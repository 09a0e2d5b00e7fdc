/* SPDX-License-Identifier: BSD-3-Clause */
/* compiler.h -- the hints of weir/compiler.h by short names, for sources that no other program
 * includes. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H
#include "weir/compiler.h"

#define LIKELY WEIR_LIKELY
#define UNLIKELY WEIR_UNLIKELY
#define ALWAYS_INLINE WEIR_ALWAYS_INLINE
#define NOINLINE WEIR_NOINLINE

/* An error path or another rarely executed function: optimised for size and placed apart. */
#define COLD __attribute__((noinline, cold))

#endif
