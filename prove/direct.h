/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source that was compiled to be explored does, done as it stands: to prepare what is
 * explored, by one thread alone. A wait for what is not so already ends the process, since nobody
 * else would make it so.
 */
#ifndef PROVE_DIRECT_H
#define PROVE_DIRECT_H

#include "prove/calls.h"

extern const struct prove_calls direct_calls;

#endif /* PROVE_DIRECT_H */
