#include "runtime/src/Backend.h"

namespace normrt {

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
  return Status::error(NORMRT_STATUS_NOT_FOUND,
                       "expected a device named \"host\" or \"host:N\", because this "
                       "library has no other backend, but got \"",
                       name, "\"");
}

} // namespace normrt
