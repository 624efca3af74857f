"""The lit suite: every .mlir file under test/ and examples of its own."""
import ctypes
import os
import platform
import shutil
import sys

import lit.formats

config.name = "normc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.normc_test_build_dir

path = [config.normc_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.substitutions.append(("%examples", os.path.join(config.normc_source_dir, "examples")))
config.substitutions.append(
    ("FileCheck", os.path.join(config.llvm_tools_dir, "FileCheck") + " --enable-var-scope")
)

# A test that needs a tool says so: REQUIRES: tool-normc.
for tool in sorted(os.listdir(config.normc_tools_dir)):
    if os.access(os.path.join(config.normc_tools_dir, tool), os.X_OK):
        config.available_features.add("tool-" + tool)

# A test that looks at machine code, or at exit codes.
config.available_features.add("host-" + platform.machine())
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(
    ("%other-host", "aarch64" if platform.machine() == "x86_64" else "x86-64-v3")
)

# A test that assembles CUDA kernels, with the ptxas that normc would take.
cuda = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "ptxas")
ptxas = shutil.which("ptxas") or shutil.which(cuda)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

# Tests that validate SPIR-V, and that compile it with Intel's compiler.
for tool in ("spirv-val", "ocloc"):
    if shutil.which(tool):
        config.available_features.add(tool)

# Tests that run SPIR-V kernels through the Level Zero loader, on the test driver.
environment = [word for word in config.normc_ze_test_environment.split(";") if word]
ze = dict(word.split("=", 1) for word in environment)
needed = [ze.get("ZE_ENABLE_ALT_DRIVERS", ""), ze.get("NORMC_ZE_TEST_OPENCL", "")]
if all(map(os.path.exists, needed)) and shutil.which("spirv-val"):
    config.available_features.add("level-zero")
config.substitutions.append(("%level-zero-driver", needed[0]))
config.substitutions.append(("%level-zero", "env " + " ".join(environment)))

# A test of what is said where there is none.
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    config.available_features.add("no-cuda-driver")
