// The result of everything inside the runtime that can fail: a status of the C API and
// the message that goes with it. Nothing inside throws but the standard library, whose
// bad_alloc the C boundary turns into a status.
#ifndef NORMRT_STATUS_H
#define NORMRT_STATUS_H

#include "runtime/include/normrt.h"

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace normrt {

inline void append(std::string &text, std::string_view part) { text += part; }
inline void append(std::string &text, std::integral auto part) {
  text += std::to_string(part);
}

/// Joins strings and integers to one string.
template <class... Parts> std::string concat(const Parts &...parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

class [[nodiscard]] Status {
public:
  Status() = default;
  template <class... Parts>
  static Status error(normrt_status code, const Parts &...parts) {
    Status status;
    status.code_ = code;
    status.message_ = concat(parts...);
    return status;
  }

  bool failed() const { return code_ != NORMRT_STATUS_OK; }
  normrt_status code() const { return code_; }
  const std::string &message() const { return message_; }

  /// The same failure with words before its message ("entry 2: "). Messages of nested
  /// structures are put together on the way out, so that success costs nothing.
  template <class... Parts> Status within(const Parts &...parts) && {
    message_ = concat(parts..., std::string_view(": "), message_);
    return std::move(*this);
  }

private:
  normrt_status code_ = NORMRT_STATUS_OK;
  std::string message_;
};

} // namespace normrt

/// Returns from the enclosing function when the expression failed.
#define NORMRT_TRY(expression)                                                         \
  do {                                                                                 \
    if (::normrt::Status tryStatus = (expression); tryStatus.failed())                 \
      return tryStatus;                                                                \
  } while (false)

#endif // NORMRT_STATUS_H
