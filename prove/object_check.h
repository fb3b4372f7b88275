/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a source that was compiled to be explored does nothing that an explorer cannot see.
 */
#ifndef PROVE_OBJECT_CHECK_H
#define PROVE_OBJECT_CHECK_H

#include "prove/object.h"

/*
 * Looks at object->elf, and sets object->is_lock. 0, or -1 with a sentence in *err that names the
 * function, the variable or the instruction.
 */
int object_check(struct object *object, struct errmsg *err);

#endif /* PROVE_OBJECT_CHECK_H */
