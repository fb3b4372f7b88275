# SPDX-License-Identifier: GPL-2.0-or-later
#
# What differs in Debian's package from what cmake --install puts in place. Run by cpack.

file(GLOB_RECURSE pages "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.1")
if(NOT pages)
	message(FATAL_ERROR "there are no manual pages to compress")
endif()
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE licence "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/LICENSE")
get_filename_component(documents "${licence}" DIRECTORY)
file(REMOVE "${licence}")
file(WRITE "${documents}/copyright" "contend is
Copyright (C) 2026 the authors of contend

It is free software: you may hand it on and change it under the terms of the GNU
General Public License, version 2 or, at your choice, any later one. On Debian
systems its text is in /usr/share/common-licenses/GPL-2.
")

# SOURCE_DATE_EPOCH in the environment says another time.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${documents}/changelog" "contend (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from its source tree.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9n "${documents}/changelog" COMMAND_ERROR_IS_FATAL ANY)
