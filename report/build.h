/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this program was built from; CONTEND_VERSION comes from the build.
 */
#ifndef REPORT_BUILD_H
#define REPORT_BUILD_H

#if defined(__clang__)
#define BUILD_COMPILER "clang " __clang_version__
#else
#define BUILD_COMPILER "gcc " __VERSION__
#endif

#endif /* REPORT_BUILD_H */
