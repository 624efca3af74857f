# Where normc is: the targets normrt::normrt and, where there is a compiler, normc::normc.
# An installed one is taken, else one that was built in the tree around the package.
set(NORMC_BUILD_DIR "$ENV{NORMC_BUILD_DIR}" CACHE PATH "A folder that normc was built in")
if(NOT NORMC_BUILD_DIR)
  set(NORMC_BUILD_DIR build)
endif()
# As seen from the tree: pip runs this in a folder of its own.
get_filename_component(NORMC_BUILD_DIR "${NORMC_BUILD_DIR}" ABSOLUTE
                       BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}/..")
find_package(normc 0.1 CONFIG QUIET)
if(normc_FOUND)
  message(STATUS "normc: installed, ${normc_DIR}")
  return()
endif()
if(NOT EXISTS ${NORMC_BUILD_DIR}/lib/libnormrt.so)
  message(FATAL_ERROR
    "normc was not found: expected an installed one on CMAKE_PREFIX_PATH, or one built in "
    "${NORMC_BUILD_DIR} (NORMC_BUILD_DIR names another folder). Build it with scripts/demo, "
    "or with cmake -G Ninja -B build && ninja -C build; then install this package again.")
endif()

message(STATUS "normc: built, ${NORMC_BUILD_DIR}")
set(tree ${CMAKE_CURRENT_SOURCE_DIR}/..)
find_path(NORMC_DLPACK_INCLUDE dlpack/dlpack.h REQUIRED)
add_library(normrt::normrt SHARED IMPORTED)
set_target_properties(normrt::normrt PROPERTIES
  IMPORTED_LOCATION ${NORMC_BUILD_DIR}/lib/libnormrt.so
  INTERFACE_INCLUDE_DIRECTORIES "${tree}/runtime/include;${NORMC_DLPACK_INCLUDE}")
if(EXISTS ${NORMC_BUILD_DIR}/lib/libnormc.so)
  add_library(normc::normc SHARED IMPORTED)
  set_target_properties(normc::normc PROPERTIES
    IMPORTED_LOCATION ${NORMC_BUILD_DIR}/lib/libnormc.so
    INTERFACE_INCLUDE_DIRECTORIES ${tree}/include)
endif()
