/* SPDX-License-Identifier: BSD-3-Clause */
/* compiler.h -- short names of the compiler hints in weir/compiler.h, for sources and internal
 * headers. Public headers use the prefixed names. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H
#include "weir/compiler.h"

#define LIKELY WEIR_LIKELY
#define UNLIKELY WEIR_UNLIKELY
#define ALWAYS_INLINE WEIR_ALWAYS_INLINE
#define NOINLINE WEIR_NOINLINE

/* A slow path: never inlined, optimised for size, placed away from the hot code. */
#define COLD __attribute__((noinline, cold))

#endif
