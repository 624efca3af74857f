// Launches that were captured on a stream, to be run again and timed by the device.
#ifndef NORMRT_CUDA_CUDAGRAPH_H
#define NORMRT_CUDA_CUDAGRAPH_H

#include "runtime/src/Backend.h"
#include "runtime/src/cuda/CudaDevice.h"

namespace normrt::cuda {

class CudaGraph final : public normrt::Graph {
public:
  /// Ends the capture on a stream and makes what it captured ready to run. The device,
  /// whose context is current, must outlive the graph.
  static Status endCapture(const CudaDevice &device, Stream stream,
                           std::unique_ptr<normrt::Graph> &graph);
  explicit CudaGraph(const CudaDevice &device) : device_(device) {}
  ~CudaGraph() override;

  Status time(int repeats, double *seconds) override;

private:
  const CudaDevice &device_;
  GraphExec executable_ = nullptr;
  Stream stream_ = nullptr;
};

} // namespace normrt::cuda

#endif // NORMRT_CUDA_CUDAGRAPH_H
