/* folder.h -- which result folder does the user mean? */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H
#include "cli/commands.h"

enum { FOLDER_SIZE = 512 };

/* The first word of the command line, or the only folder here whose name ends in .results. */
int find_folder(const struct arguments *a, char folder[FOLDER_SIZE], struct error *e);

/* Where the runs of a scenario go unless told otherwise: "mine.ini" to "mine.results", here. */
int default_folder(const char *file, char folder[FOLDER_SIZE], struct error *e);

/* Characters in a line of the terminal that f is, or of a page where it is none. */
int line_width(FILE *f);
#endif
