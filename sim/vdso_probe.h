/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out where the code of a vDSO image wants its pages, and how it takes them to be laid out,
 * by calling it.
 *
 * With no page in place the address of the fault tells where the sequence is wanted. Then a page is
 * put there and filled in each known layout in turn; the layout is the one in which every clock,
 * the resolution and the time zone come back as they were written. In the same way the page behind
 * a namespace's and the paravirtual clock's are found, if the code looks at them at all.
 *
 * Each clock is also read while the sequence is odd, which a moment later it is no more: the call
 * must return, at once or then. What it returns is not looked at: code may ask the system instead
 * of waiting, and if it returns a mixture a run will find it torn. A sequence that changes within a
 * read is not tried: nobody but a run can do that at the right moment.
 */
#ifndef SIM_VDSO_PROBE_H
#define SIM_VDSO_PROBE_H

#include "sim/vdso_image.h"

/*
 * Fills *wants for an image whose bytes and functions are known. All calls are made in a child
 * process that is ended after ten seconds, so code that crashes or hangs does no harm beyond what
 * it was able to do as this user. Returns 0, or -1 with a sentence in *err that says what was
 * tried. The calling process should have one thread.
 */
int vdso_probe(const struct vdso_image *image, struct vdso_wants *wants, struct errmsg *err);

#endif /* SIM_VDSO_PROBE_H */
