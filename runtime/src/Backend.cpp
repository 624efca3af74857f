#include "runtime/src/Backend.h"

namespace normrt {
namespace {

Status noStreams() {
  return Status::error(NORMRT_STATUS_UNSUPPORTED,
                       "expected a device with streams, but launches on this one are "
                       "synchronous");
}

} // namespace

Status Backend::createStream(void *&) { return noStreams(); }
Status Backend::destroyStream(void *) { return noStreams(); }
Status Backend::synchronizeStream(void *) { return noStreams(); }
Status Backend::beginGraph(void *) { return noStreams(); }
Status Backend::endGraph(void *, std::unique_ptr<Graph> &) { return noStreams(); }

Status openBackend(std::string_view name, std::unique_ptr<Backend> &backend) {
  const size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const bool hasOptions = colon != std::string_view::npos;
  const std::string_view options = hasOptions ? name.substr(colon + 1) : "";
  if (hasOptions && options.empty())
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected a number after \"",
                         name, "\", but got nothing");
  if (kind == "host")
    return openHostBackend(options, backend);
  if (kind == "cuda")
    return openCudaBackend(options, backend);
  if (kind == "level_zero")
    return openLevelZeroBackend(options, backend);
  return Status::error(
      NORMRT_STATUS_NOT_FOUND,
      "expected a device named \"host\", \"host:N\", \"cuda:N\" or "
      "\"level_zero:N\", because this library has no other backend, but got \"",
      name, "\"");
}

} // namespace normrt
