# Tests of the CUDA backend: with a fake driver everywhere, and on a GPU where there is
# one. Included by ../CMakeLists.txt.
set(NORMRT_LAUNCH_SUITES
  LaunchContractTest.cpp LaunchLayoutTest.cpp LaunchThreadsTest.cpp
  LaunchVariantsTest.cpp PackageBuilder.cpp)

# The kernels that the fake driver loads as cubins.
add_library(normrt_FakeKernels MODULE cuda/FakeKernels.c)
set_target_properties(normrt_FakeKernels PROPERTIES PREFIX "" C_VISIBILITY_PRESET default)
target_compile_options(normrt_FakeKernels PRIVATE -fno-sanitize=all -ffreestanding)
target_link_options(normrt_FakeKernels PRIVATE -nostdlib -fno-sanitize=all)

# libcuda.so.1, in a folder of its own, where nobody finds it who does not link it.
add_library(normrt_FakeDriver SHARED cuda/FakeDriver.cpp cuda/FakeExecution.cpp)
set_target_properties(normrt_FakeDriver PROPERTIES
  OUTPUT_NAME cuda SOVERSION 1 CXX_VISIBILITY_PRESET default
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake-driver)
target_include_directories(normrt_FakeDriver PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(normrt_FakeDriver PRIVATE ${CMAKE_DL_LIBS})

function(normrt_add_fake_driver_suite name)
  add_executable(${name} ${ARGN})
  target_compile_definitions(${name} PRIVATE
    NORMRT_TEST_CUDA
    NORMRT_TEST_KERNELS="$<TARGET_FILE:normrt_FakeKernels>"
    NORMRT_OTHER_KERNELS="$<TARGET_FILE:normrt_OtherKernels>")
  target_link_libraries(${name}
    PRIVATE normrt normrt_package normrt_FakeDriver GTest::gtest GTest::gtest_main)
  add_dependencies(${name} normrt_FakeKernels normrt_OtherKernels)
  gtest_discover_tests(${name})
endfunction()

normrt_add_fake_driver_suite(normrt-cuda-unittests
  ${NORMRT_LAUNCH_SUITES}
  cuda/ArchitectureTest.cpp
  cuda/CudaDeviceTest.cpp
  cuda/CudaLaunchTest.cpp
  cuda/CudaLoadTest.cpp
  cuda/CudaTestDevice.cpp
  cuda/FakeTarget.cpp
  ${PROJECT_SOURCE_DIR}/runtime/src/cuda/Architecture.cpp)
normrt_add_fake_driver_suite(normrt-cuda-driver-unittests
  PackageBuilder.cpp cuda/CudaDriverTest.cpp)

# The runtime's declarations of the driver's API against NVIDIA's.
find_path(NORMRT_CUDA_INCLUDE cuda.h PATHS /usr/local/cuda/include)
if(NORMRT_CUDA_INCLUDE)
  add_library(normrt_DriverApiLayoutTest OBJECT cuda/DriverApiLayoutTest.cpp)
  target_include_directories(normrt_DriverApiLayoutTest PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(normrt_DriverApiLayoutTest SYSTEM
                             PRIVATE ${NORMRT_CUDA_INCLUDE})
endif()

# The same suites on a GPU, with kernels that clang compiles to PTX. The executable holds
# them, finds libnormrt beside itself or in ../lib, and needs nothing else but a driver.
find_program(NORMRT_NVPTX_CLANG NAMES clang-22 clang HINTS ${LLVM_TOOLS_BINARY_DIR})
if(NOT NORMRT_NVPTX_CLANG)
  message(STATUS "normrt-cuda-gpu-tests is left out: it needs clang for its kernels")
  return()
endif()
foreach(kernels "CudaKernels:80" "CudaKernels90:90")
  string(REPLACE ":" ";" kernels ${kernels})
  list(GET kernels 0 source)
  list(GET kernels 1 architecture)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${source}.ptx
    COMMAND ${NORMRT_NVPTX_CLANG} --target=nvptx64-nvidia-cuda -march=sm_${architecture}
            --cuda-feature=+ptx80 -ffreestanding -ffp-contract=off -O2 -S
            -o ${CMAKE_CURRENT_BINARY_DIR}/${source}.ptx
            ${CMAKE_CURRENT_SOURCE_DIR}/cuda/${source}.c
    DEPENDS cuda/${source}.c
    COMMENT "Compiling ${source}.c to PTX"
    VERBATIM)
endforeach()
add_executable(normrt-cuda-gpu-tests
  ${NORMRT_LAUNCH_SUITES}
  cuda/CudaTestDevice.cpp
  cuda/GpuMain.cpp
  cuda/GpuTarget.cpp
  cuda/GpuTest.cpp)
set_source_files_properties(cuda/GpuTarget.cpp PROPERTIES OBJECT_DEPENDS
  "${CMAKE_CURRENT_BINARY_DIR}/CudaKernels.ptx;${CMAKE_CURRENT_BINARY_DIR}/CudaKernels90.ptx")
# The host's kernels are replaced before a package is made: any bytes that are there do.
target_compile_definitions(normrt-cuda-gpu-tests PRIVATE
  NORMRT_TEST_CUDA
  NORMRT_TEST_KERNELS="/proc/self/exe"
  NORMRT_OTHER_KERNELS="/proc/self/exe"
  NORMRT_TEST_PTX="${CMAKE_CURRENT_BINARY_DIR}/CudaKernels.ptx"
  NORMRT_TEST_PTX_90="${CMAKE_CURRENT_BINARY_DIR}/CudaKernels90.ptx")
set_target_properties(normrt-cuda-gpu-tests PROPERTIES
  BUILD_RPATH "$ORIGIN;$ORIGIN/../lib")
target_link_libraries(normrt-cuda-gpu-tests
  PRIVATE normrt normrt_package GTest::gtest)
add_test(NAME normrt-cuda-gpu-tests COMMAND normrt-cuda-gpu-tests)
set_tests_properties(normrt-cuda-gpu-tests PROPERTIES SKIP_RETURN_CODE 77)
