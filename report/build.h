/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this program was built from; CONTEND_VERSION comes from the build.
 */
#ifndef REPORT_BUILD_H
#define REPORT_BUILD_H

/* The machine may have more bits than the program. */
#if __SIZEOF_POINTER__ < 8
#define BUILD_BITS ", 32 bits"
#else
#define BUILD_BITS ""
#endif

#if defined(__clang__)
#define BUILD_COMPILER "clang " __clang_version__ BUILD_BITS
#else
#define BUILD_COMPILER "gcc " __VERSION__ BUILD_BITS
#endif

#endif /* REPORT_BUILD_H */
