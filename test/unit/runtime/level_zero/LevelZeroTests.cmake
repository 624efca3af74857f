# Tests of the Level Zero backend on the test driver, through the real loader. Included by
# ../CMakeLists.txt. They run as a whole in each mode of the driver, and are left out, with
# the reason, where there is no loader or no OpenCL runtime for it (scripts/setup).
find_library(NORMRT_ZE_LOADER NAMES ze_loader libze_loader.so.1)
find_program(NORMRT_SPIRV_CLANG NAMES clang-22 HINTS ${LLVM_TOOLS_BINARY_DIR})
if(NOT NORMRT_ZE_LOADER OR NOT NORMRT_SPIRV_CLANG OR NOT TARGET normc_ze_test_driver)
  message(STATUS "normrt-level-zero-tests are left out: they need libze_loader, clang-22 "
                 "and the headers of OpenCL")
  return()
endif()

set(NORMRT_TEST_SPIRV ${CMAKE_CURRENT_BINARY_DIR}/LevelZeroKernels.spv)
add_custom_command(
  OUTPUT ${NORMRT_TEST_SPIRV}
  COMMAND ${NORMRT_SPIRV_CLANG} --target=spirv64v1.4-unknown-unknown -x cl -cl-std=CL3.0
          -O2 -fintegrated-objemitter -c -o ${NORMRT_TEST_SPIRV}
          ${CMAKE_CURRENT_SOURCE_DIR}/level_zero/LevelZeroKernels.cl
  DEPENDS level_zero/LevelZeroKernels.cl
  COMMENT "Compiling LevelZeroKernels.cl to SPIR-V"
  VERBATIM)
add_custom_target(normrt_LevelZeroKernels DEPENDS ${NORMRT_TEST_SPIRV})

add_executable(normrt-level-zero-tests
  ${NORMRT_LAUNCH_SUITES}
  cuda/GpuMain.cpp
  level_zero/DriverTest.cpp
  level_zero/LevelZeroTest.cpp
  level_zero/RefusalsTest.cpp
  level_zero/SpirvModuleTest.cpp
  ${PROJECT_SOURCE_DIR}/runtime/src/level_zero/SpirvModule.cpp)
# The host's kernels are replaced before a package is made: any bytes that are there do.
target_compile_definitions(normrt-level-zero-tests PRIVATE
  NORMRT_TEST_LEVEL_ZERO
  NORMRT_TEST_DEVICE="level_zero:0"
  NORMRT_TEST_KERNELS="/proc/self/exe"
  NORMRT_OTHER_KERNELS="/proc/self/exe"
  NORMRT_TEST_SPIRV="${NORMRT_TEST_SPIRV}")
target_link_libraries(normrt-level-zero-tests
  PRIVATE normrt normrt_package ${NORMRT_ZE_LOADER} GTest::gtest)
add_dependencies(normrt-level-zero-tests normrt_LevelZeroKernels normc_ze_test_driver)

# pvc and bmg: packages for these chips, on a device that says it is one.
foreach(mode plain unordered guarded "unordered guarded" validated pvc bmg)
  set(environment ${NORMC_ZE_TEST_ENVIRONMENT} "NORMC_ZE_TEST_MODE=${mode}")
  if(mode STREQUAL pvc)
    list(APPEND environment NORMRT_TEST_CHIP=pvc NORMC_ZE_TEST_DEVICE_ID=0x0bd5)
  elseif(mode STREQUAL bmg)
    list(APPEND environment NORMRT_TEST_CHIP=bmg NORMC_ZE_TEST_DEVICE_ID=0xe20b)
  endif()
  if(mode STREQUAL validated)
    list(APPEND environment ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1)
  endif()
  string(REPLACE " " "-" name normrt-level-zero-${mode})
  add_test(NAME ${name} COMMAND normrt-level-zero-tests)
  set_tests_properties(${name} PROPERTIES
    SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endforeach()
