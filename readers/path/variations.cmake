# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compiles the read paths: vdso.c once for each variation, every other file of this folder once, all
# of them counted and bare, NAME.c as NAME_counted and NAME_bare. Links each bare one by itself, so
# that copies of it can be made, and puts these and the sources into the binary. Writes the table of
# variations that readers/variation.h declares, and that of readers/sources.h.

set(path_dir ${CMAKE_SOURCE_DIR}/readers/path)

# The recipe of every path that would ship, built now or when it is asked for (readers/compile.c).
set(recipe -O2 -g -std=gnu11 -fPIC -fvisibility=hidden -fno-stack-protector
	-fno-asynchronous-unwind-tables)
set(recipe_link -nostdlib -static-pie -Wl,--build-id=none -Wl,-z,noexecstack
	-Wl,-z,max-page-size=64 -Wl,--compress-debug-sections=zlib)
# What compilers call where an instruction is missing, a division of 64 bits for instance.
set(recipe_library -lgcc)
separate_arguments(recipe_machine UNIX_COMMAND "${CMAKE_C_FLAGS}")
set(recipe_definitions -D_GNU_SOURCE)
if(CMAKE_SYSROOT)
	list(APPEND recipe_machine --sysroot=${CMAKE_SYSROOT})
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
	list(APPEND recipe_definitions -D_TIME_BITS=64 -D_FILE_OFFSET_BITS=64)
endif()
get_filename_component(recipe_cc ${CMAKE_C_COMPILER} NAME)
foreach(part machine definitions link library)
	list(JOIN recipe_${part} " " recipe_${part}_text)
endforeach()
list(JOIN recipe " " recipe_text)
set_source_files_properties(readers/compile.c PROPERTIES COMPILE_DEFINITIONS
	"CONTEND_CC=\"${recipe_cc}\";CONTEND_CC_MACHINE=\"${recipe_machine_text}\";CONTEND_CC_FLAGS=\"${recipe_text}\";CONTEND_CC_DEFINITIONS=\"${recipe_definitions_text}\";CONTEND_CC_LINK=\"${recipe_link_text}\";CONTEND_CC_LIBRARY=\"${recipe_library_text}\"")

# A file's bytes, from SYMBOL to SYMBOL_end.
set(embedded "")
set(embedded_files "")
macro(contend_embed symbol file)
	string(APPEND embedded "EMBED(${symbol}, \"${file}\")\n")
	list(APPEND embedded_files ${file})
endmacro()

# The way a path would ship, by itself.
function(contend_link_alone symbol)
	set(elf ${CMAKE_BINARY_DIR}/paths/${symbol}.elf)
	add_custom_command(OUTPUT ${elf}
		COMMAND ${CMAKE_C_COMPILER} ${recipe_machine} $<TARGET_OBJECTS:path_${symbol}>
			-T ${path_dir}/code.lds -Wl,-e,${symbol} ${recipe_link} ${recipe_library} -o ${elf}
		DEPENDS path_${symbol} $<TARGET_OBJECTS:path_${symbol}> ${path_dir}/code.lds
		VERBATIM)
endfunction()

function(contend_path_of_binary source symbol counted options)
	add_library(path_${symbol} OBJECT ${source})
	target_compile_definitions(path_${symbol} PRIVATE READER_NAME=${symbol} READER_COUNTED=${counted}
		${ARGN})
	target_link_libraries(path_${symbol} PRIVATE ${options} PkgConfig::URCU)
	target_sources(contend_readers PRIVATE $<TARGET_OBJECTS:path_${symbol}>)
endfunction()

function(contend_path source symbol counted)
	if(counted)
		contend_path_of_binary(${source} ${symbol} 1 contend_options ${ARGN})
	else()
		contend_path_of_binary(${source} ${symbol} 0 contend_bare_options ${ARGN})
		target_compile_options(path_${symbol} PRIVATE ${recipe})
		contend_link_alone(${symbol})
	endif()
endfunction()

# Both ways; the bare one also in the binary as a file.
macro(contend_both_paths source name)
	contend_path(${source} ${name}_counted 1 ${ARGN})
	contend_path(${source} ${name}_bare 0 ${ARGN})
	contend_embed(${name}_elf ${CMAKE_BINARY_DIR}/paths/${name}_bare.elf)
endmacro()

# As a macro that stands before a parenthesis: nothing, or the name of the hint.
set(hint_none "")
set(hint_unlikely unlikely)
set(hint_likely likely)
set(inline_always "READER_INLINE=static inline __attribute__((always_inline))")
set(inline_never "READER_INLINE=static __attribute__((noinline))")
set(inline_auto "READER_INLINE=static")

set(declarations "")
set(rows "")

# One variation of vdso.c, on a page of that layout.
macro(contend_variation layout hint retry inlining callers)
	string(MAKE_C_IDENTIFIER vdso_${layout}_${hint}_${retry}_${inlining}_${callers} symbol)
	string(TOUPPER PAGE_LAYOUT_${layout} constants)
	string(MAKE_C_IDENTIFIER ${constants} constants)
	set(definitions "${inline_${inlining}}" READER_CALLERS=${callers})
	list(APPEND definitions HINT_BEGIN=${hint_${hint}} HINT_RETRY=${hint_${retry}})
	list(APPEND definitions READER_LAYOUT=${constants})
	contend_both_paths(${path_dir}/vdso.c ${symbol} ${definitions})
	string(APPEND declarations "reader_fn ${symbol}_counted, ${symbol}_bare;\n"
		"extern const u8 ${symbol}_elf[], ${symbol}_elf_end[];\n")
	string(APPEND rows
		"\t{\"${layout}\", \"${hint}\", \"${retry}\", \"${inlining}\", \"${callers}\","
		" ${symbol}_counted, ${symbol}_bare, ${symbol}_elf, ${symbol}_elf_end},\n")
endmacro()

foreach(hint none unlikely likely)
foreach(retry none unlikely likely)
foreach(inlining always never auto)
foreach(callers 1 2)
	contend_variation(v6.15 ${hint} ${retry} ${inlining} ${callers})
endforeach()
endforeach()
endforeach()
endforeach()

# On other pages the usual one alone; others are compiled when they are asked for.
foreach(layout v6.17 v6.10 v5.3 gtod gtod-basemult raw-separate)
	contend_variation(${layout} unlikely unlikely always 1)
endforeach()

file(GLOB sources CONFIGURE_DEPENDS ${path_dir}/*.c)
list(REMOVE_ITEM sources ${path_dir}/vdso.c)
foreach(source ${sources})
	get_filename_component(name ${source} NAME_WE)
	contend_both_paths(${source} ${name})
endforeach()

# Locks, each also as who publishes. Those that call libraries are only linked into the binary; there
# is no copying them, and so their code need not stand every place.
function(contend_publisher source symbol)
	add_library(path_${symbol} OBJECT ${source})
	target_compile_definitions(path_${symbol} PRIVATE READER_NAME=${symbol} READER_COUNTED=0
		READER_PART=LOCK_PUBLISHES)
	target_link_libraries(path_${symbol} PRIVATE contend_options PkgConfig::URCU)
	target_sources(contend_readers PRIVATE $<TARGET_OBJECTS:path_${symbol}>)
endfunction()

file(GLOB locks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/readers/lock/*.c)
foreach(source ${locks})
	get_filename_component(name ${source} NAME_WE)
	contend_both_paths(${source} lock_${name})
	contend_publisher(${source} lock_${name}_publish)
endforeach()

file(GLOB library_locks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/readers/library/*.c)
foreach(source ${library_locks})
	get_filename_component(name ${source} NAME_WE)
	contend_path_of_binary(${source} lock_${name}_counted 1 contend_options)
	contend_path_of_binary(${source} lock_${name}_bare 0 contend_bare_options)
	target_compile_options(path_lock_${name}_bare PRIVATE ${recipe} -fPIE)
	contend_publisher(${source} lock_${name}_publish)
endforeach()

set(table ${CMAKE_BINARY_DIR}/variations.c)
file(CONFIGURE OUTPUT ${table} @ONLY CONTENT "/* Generated by readers/path/variations.cmake. */
#include \"readers/variation.h\"

@declarations@
const struct variation variations[] = {
@rows@};
const int variation_count = ARRAY_SIZE(variations);
")
target_sources(contend_readers PRIVATE ${table})

# What a source may include, and the sources: all that a compiler needs beside liburcu's headers.
set(reader_headers sim/types.h sim/barrier.h sim/primitives.h sim/page.h sim/errmsg.h sim/counter.h
	sim/arch_counter.h sim/pvclock.h sim/wide.h sim/layouts.h sim/lock.h readers/reader.h
	readers/lock.h)
set(source_rows "")
set(source_declarations "")
foreach(file ${reader_headers} readers/library/exclusive.h readers/library/flavour.h readers/library/poison.h readers/library/rcu.h
	readers/library/rwlock.h prove/access.h prove/calls.h prove/runtime/runtime.h prove/runtime/tsan.c
	prove/runtime/locks.c prove/runtime/rcu.c prove/runtime/publish.c writers/broken_pages.h
	sim/publish.h sim/layout.h sim/timekeeper.h)
	list(APPEND source_files ${CMAKE_SOURCE_DIR}/${file})
endforeach()
foreach(file ${source_files} ${sources} ${locks} ${library_locks} ${path_dir}/vdso.c ${path_dir}/code.lds
	${path_dir}/i386/gnu/stubs-32.h)
	file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${file})
	string(MAKE_C_IDENTIFIER source_${name} symbol)
	contend_embed(${symbol} ${file})
	string(APPEND source_declarations "extern const u8 ${symbol}[], ${symbol}_end[];\n")
	string(APPEND source_rows "\t{\"${name}\", ${symbol}, ${symbol}_end},\n")
endforeach()

set(table ${CMAKE_BINARY_DIR}/embedded.c)
file(CONFIGURE OUTPUT ${table} @ONLY CONTENT "/* Generated by readers/path/variations.cmake. */
#include \"readers/sources.h\"

#define EMBED(symbol, file)                                            \\
	__asm__(\".pushsection .rodata\\n.balign 16\\n.global \" #symbol    \\
		\"\\n.global \" #symbol \"_end\\n\" #symbol \":\\n.incbin \\\"\" \\
		file \"\\\"\\n\" #symbol \"_end:\\n.byte 0\\n.popsection\");

@embedded@
@source_declarations@
const struct source sources[] = {
@source_rows@	{.path = NULL},
};
")
set_source_files_properties(${table} PROPERTIES OBJECT_DEPENDS "${embedded_files}")
target_sources(contend_readers PRIVATE ${table})
