/* SPDX-License-Identifier: BSD-3-Clause */
/* markup.h -- what users wrote, safe inside HTML, SVG and scripts. */
#ifndef BASE_MARKUP_H
#define BASE_MARKUP_H
#include <stdio.h>

/* Any bytes as text of HTML and XML, also in quotes: markup is escaped, what is not UTF-8 or must
 * not occur becomes the replacement character. */
void html_write_text(FILE *f, const char *text);

/* Any bytes as a JSON string that may stand inside a script element. */
void html_write_json_string(FILE *f, const char *text);
#endif
