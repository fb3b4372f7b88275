# SPDX-License-Identifier: GPL-2.0-or-later
#
# Removes what was installed last, as its list says, and then those folders of it that are contend's
# own and have become empty: cmake -DMANIFEST=install_manifest.txt -P uninstall.cmake
# As when it was installed, DESTDIR in the environment stands before each name.

if(NOT EXISTS "${MANIFEST}")
	message(FATAL_ERROR "nothing to remove: there is no ${MANIFEST}, which cmake --install writes")
endif()

file(STRINGS "${MANIFEST}" installed)
set(folders "")
foreach(name ${installed})
	set(path "$ENV{DESTDIR}${name}")
	if(EXISTS "${path}" OR IS_SYMLINK "${path}")
		message(STATUS "removing ${path}")
		file(REMOVE "${path}")
	else()
		message(STATUS "not there: ${path}")
	endif()
	get_filename_component(folder "${path}" DIRECTORY)
	while(folder MATCHES "/(doc|share|include)/contend(/|$)")
		list(APPEND folders "${folder}")
		get_filename_component(folder "${folder}" DIRECTORY)
	endwhile()
endforeach()

# The longest first: what lies in a folder goes before it.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder ${folders})
	file(GLOB left LIST_DIRECTORIES true "${folder}/*" "${folder}/.*")
	if(NOT left AND IS_DIRECTORY "${folder}")
		file(REMOVE_RECURSE "${folder}")
	endif()
endforeach()
file(REMOVE "${MANIFEST}")
