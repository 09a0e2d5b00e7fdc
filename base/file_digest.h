/* SPDX-License-Identifier: BSD-3-Clause */
/* file_digest.h -- the digest of a file (base/digest.h): where a setting names a file, what is in
 * it belongs to the identity of a run. */
#ifndef BASE_FILE_DIGEST_H
#define BASE_FILE_DIGEST_H
#include "base/digest.h"
#include "weir/error.h"

int file_digest(const char *file, struct digest *d, struct weir_error *e);
#endif
