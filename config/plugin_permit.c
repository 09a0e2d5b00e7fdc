/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_permit.c -- see plugin_permit.h. */
#define _XOPEN_SOURCE 700
#include "config/plugin_permit.h"
#include "base/memory.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(PLUGIN_PATH_SIZE >= 4096, "realpath writes up to PATH_MAX bytes");

/* A list of texts. Entries stay: what they are asked for may come at any time. */
struct paths {
	char **all;
	uint32_t count;
};

enum reach { REACH_PERMITTED, REACH_ALL };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum reach reach; /* under the lock, as all of these */
static int looks_only;
static uint64_t looks;
static struct paths folders, files; /* resolved; folders end with a slash */
static struct paths looked_at;      /* as they were named */

static int paths_have(const struct paths *p, const char *path)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (strcmp(p->all[i], path) == 0)
			return 1;
	return 0;
}

/* Once each. */
static void paths_add(struct paths *p, const char *path)
{
	size_t size = strlen(path) + 1;

	pthread_mutex_lock(&lock);
	if (!paths_have(p, path)) {
		p->all = memory_grow(p->all, p->count + UINT64_C(1), sizeof(*p->all));
		p->all[p->count] = memory_grow(NULL, size, 1);
		memcpy(p->all[p->count++], path, size);
	}
	pthread_mutex_unlock(&lock);
}

/* --- permits --- */

void plugin_permit_all(void)
{
	pthread_mutex_lock(&lock);
	reach = REACH_ALL;
	pthread_mutex_unlock(&lock);
}

void plugin_permit_looks_only(void)
{
	pthread_mutex_lock(&lock);
	looks_only = 1;
	pthread_mutex_unlock(&lock);
}

void plugin_permit_folder(const char *folder)
{
	char real[PLUGIN_PATH_SIZE + 1];
	size_t length;

	if (!realpath(folder, real))
		return;
	length = strlen(real);
	if (real[length - 1] != '/') /* of the root alone */
		memcpy(real + length, "/", 2);
	paths_add(&folders, real);
}

void plugin_permit_tree_of(const char *file)
{
	char real[PLUGIN_PATH_SIZE];

	if (!realpath(file, real))
		return;
	strrchr(real, '/')[1] = '\0';
	plugin_permit_folder(real);
}

void plugin_permit_named(const char *text)
{
	static const char ends[] = "(),;=";
	char name[PLUGIN_PATH_SIZE], real[PLUGIN_PATH_SIZE];

	while (*text) {
		size_t length;

		text += strspn(text, " \t(),;=");
		length = strcspn(text, ends);
		if (length > 0 && length < sizeof(name) && memchr(text, '/', length)) {
			memcpy(name, text, length);
			while (name[length - 1] == ' ' || name[length - 1] == '\t')
				length--;
			name[length] = '\0';
			if (realpath(name, real))
				paths_add(&files, real);
		}
		text += strcspn(text, ends);
	}
}

/* --- decisions --- */

static int is_permitted(const char *real)
{
	if (reach == REACH_ALL || paths_have(&files, real))
		return 1;
	for (uint32_t i = 0; i < folders.count; i++)
		if (strncmp(real, folders.all[i], strlen(folders.all[i])) == 0)
			return 1;
	return 0;
}

int plugin_permit_check(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e)
{
	int permitted;

	if (!realpath(path, real))
		return weir_error_set(e, "cannot be loaded: cannot open shared object file: %s",
				      strerror(errno));
	pthread_mutex_lock(&lock);
	permitted = looks_only || is_permitted(real);
	pthread_mutex_unlock(&lock);
	if (permitted)
		return 0;
	return weir_error_set(
		e,
		"not loaded: a plug-in is code, and %.300s does not lie in the folder of the file "
		"that names it; --allow-plugins (weir_sim_allow_plugins) loads it, and so does "
		"naming it "
		"on the command line",
		real);
}

int plugin_permit_is_look(void)
{
	int only;

	pthread_mutex_lock(&lock);
	only = looks_only;
	pthread_mutex_unlock(&lock);
	return only;
}

void plugin_permit_count_look(const char *path)
{
	paths_add(&looked_at, path);
	pthread_mutex_lock(&lock);
	looks++;
	pthread_mutex_unlock(&lock);
}

uint64_t plugin_looks(void)
{
	uint64_t count;

	pthread_mutex_lock(&lock);
	count = looks;
	pthread_mutex_unlock(&lock);
	return count;
}

const char *plugin_looked_at_path(uint32_t i)
{
	return i < looked_at.count ? looked_at.all[i] : NULL;
}
