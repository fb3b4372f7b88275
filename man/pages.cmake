# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a manual page of each NAME.man of this folder, by the program that has been built: options are
# in its own tables only. What cannot run here makes none.

if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
	message(STATUS "no manual pages: they are made by the program, which cannot run here")
	return()
endif()

set(pages "")
file(GLOB written CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/man/*.man)
foreach(source ${written})
	get_filename_component(name ${source} NAME_WE)
	set(page ${CMAKE_BINARY_DIR}/man/${name}.1)
	# Not half of one, if the program fails.
	add_custom_command(OUTPUT ${page}
		COMMAND ${CMAKE_SOURCE_DIR}/man/page $<TARGET_FILE:contend> ${source} > ${page}.part
		COMMAND ${CMAKE_COMMAND} -E rename ${page}.part ${page}
		DEPENDS contend ${source} ${CMAKE_SOURCE_DIR}/man/page VERBATIM)
	list(APPEND pages ${page})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
add_custom_target(man ALL DEPENDS ${pages})
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
