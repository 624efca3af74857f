// Compiles a norm and launches it, in one process.
#include <cstdio>
#include <normc-c/normc.hpp>

int main() try {
  normc::Compiler compiler;
  normc::Package package =
      compiler.compile(normc::rmsNorm(NORMC_TYPE_F32, 0), {"host"});
  normc::Function rms_norm(normc::Device("host"), package);

  float x[] = {3, 4}, y[2] = {};
  int64_t shape[] = {1, 2};
  DLTensor in = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0}, out = in;
  out.data = y;
  rms_norm({&in, &out});
  std::printf("%.6f %.6f\n", y[0], y[1]); // 0.848528 1.131371
} catch (const normc::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
