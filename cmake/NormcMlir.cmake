# MLIR, and the two functions with which the project's MLIR libraries are made.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Include paths, definitions and libraries that everything on MLIR needs.
add_library(normc_mlir INTERFACE)
target_include_directories(normc_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS}
                                                       ${LLVM_INCLUDE_DIRS})
target_include_directories(normc_mlir INTERFACE
  ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}
  ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR}/dialects)
separate_arguments(NORMC_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(normc_mlir INTERFACE ${NORMC_LLVM_DEFINITIONS})
target_compile_options(normc_mlir INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
# A program with the property NORMC_STATIC_MLIR has them as archives, for machines where
# they are not installed.
file(GLOB NORMC_LLVM_ARCHIVES ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER NORMC_LLVM_ARCHIVES EXCLUDE REGEX "libMLIRCAPI")
find_library(NORMC_STATIC_ZLIB libz.a)
mark_as_advanced(NORMC_STATIC_ZLIB)
add_library(normc_static_mlir INTERFACE)
target_link_libraries(normc_static_mlir INTERFACE -Wl,--start-group ${NORMC_LLVM_ARCHIVES}
  -Wl,--end-group zstd::libzstd_static $<$<BOOL:${NORMC_STATIC_ZLIB}>:${NORMC_STATIC_ZLIB}>)
set(NORMC_IS_STATIC $<BOOL:$<TARGET_PROPERTY:NORMC_STATIC_MLIR>>)
target_link_libraries(normc_mlir INTERFACE
  $<${NORMC_IS_STATIC}:normc_static_mlir>
  $<$<NOT:${NORMC_IS_STATIC}>:MLIR> $<$<NOT:${NORMC_IS_STATIC}>:LLVM>)

# One precompiled header for every MLIR source: parsing MLIR's headers is nearly
# all of a translation unit's compile time (7 s without, 0.2 s with).
add_library(normc_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/Pch.cpp)
target_link_libraries(normc_pch PUBLIC normc_mlir)
target_precompile_headers(normc_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Pch.h)

# normc_mlir_library(NAME sources... [DEPENDS tablegen targets...] [LINK libraries...])
function(normc_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM normc_pch)
  target_link_libraries(${name} PUBLIC normc_mlir ${ARG_LINK})
  add_dependencies(${name} normc_headers ${ARG_DEPENDS})
endfunction()

# normc_mlir_executable(NAME sources... [LINK libraries...])
function(normc_mlir_executable name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # The precompiled header is made for libraries, with -fPIC; CMake would give -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC>)
  target_precompile_headers(${name} REUSE_FROM normc_pch)
  target_link_libraries(${name} PRIVATE normc_mlir ${ARG_LINK})
  add_dependencies(${name} normc_headers ${ARG_DEPENDS})
endfunction()

# All generated headers; a library that includes any of them depends on this.
add_custom_target(normc_headers)
