#include "normc/Reference/Array.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace normc::reference {
namespace {

constexpr int64_t mostElements = int64_t{1} << 40;

/// Calls body(offset) for each element in row-major order, with its offset in elements.
template <typename Body>
void forEachOffset(const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &strides, Body body) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<int64_t> index(shape.size());
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    body(offset);
    for (size_t dim = shape.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

} // namespace

int64_t Array::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

bool Array::isRowMajor() const {
  std::vector<int64_t> compact = rowMajorStrides(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] > 1 && strides[dim] != compact[dim])
      return elements() == 0;
  return true;
}

std::vector<double> Array::toDoubles() const {
  std::vector<double> values(static_cast<size_t>(elements()));
  if (isRowMajor()) {
    decodeAll(type, bytes.data(), values);
    return values;
  }
  size_t at = 0, width = byteSize(type);
  forEachOffset(shape, strides, [&](int64_t offset) {
    decodeAll(type, bytes.data() + static_cast<size_t>(offset) * width,
              std::span(&values[at++], 1));
  });
  return values;
}

Array makeArray(Type type, std::vector<int64_t> shape) {
  Array array{type, std::move(shape), {}, {}};
  array.strides = rowMajorStrides(array.shape);
  array.bytes.resize(static_cast<size_t>(array.elements()) * byteSize(type));
  return array;
}

Array makeArray(Type type, std::vector<int64_t> shape, std::span<const double> values) {
  Array array = makeArray(type, std::move(shape));
  encodeAll(type, values.first(static_cast<size_t>(array.elements())),
            array.bytes.data());
  return array;
}

Array withStrides(const Array &array, std::vector<int64_t> strides) {
  Array result{array.type, array.shape, std::move(strides), {}};
  if (array.elements() == 0)
    return result;
  size_t width = byteSize(array.type);
  int64_t last = 0;
  for (size_t dim = 0; dim < result.shape.size(); ++dim)
    last += (result.shape[dim] - 1) * result.strides[dim];
  result.bytes.resize(static_cast<size_t>(last + 1) * width);
  std::vector<int64_t> sources;
  sources.reserve(static_cast<size_t>(array.elements()));
  forEachOffset(array.shape, array.strides,
                [&](int64_t offset) { sources.push_back(offset); });
  size_t at = 0;
  forEachOffset(result.shape, result.strides, [&](int64_t offset) {
    std::memcpy(result.bytes.data() + static_cast<size_t>(offset) * width,
                array.bytes.data() + static_cast<size_t>(sources[at++]) * width, width);
  });
  return result;
}

ErrorOr<std::vector<int64_t>> parseShape(std::string_view text) {
  using Shape = ErrorOr<std::vector<int64_t>>;
  std::vector<int64_t> shape;
  if (text == "scalar")
    return Shape::ok(shape);
  const std::string quoted = '"' + std::string(text) + '"';
  int64_t product = 1;
  for (std::string_view rest = text;;) {
    size_t cross = std::min(rest.find('x'), rest.size());
    std::string_view word = rest.substr(0, cross);
    int64_t extent = -1;
    auto [end, status] =
        std::from_chars(word.data(), word.data() + word.size(), extent);
    if (status != std::errc() || end != word.data() + word.size() || extent < 0)
      return Shape::fail("expected a shape such as 4x128, or scalar, but got " +
                         quoted);
    // Zero does not hide an extent that no array could have.
    int64_t factor = std::max<int64_t>(extent, 1);
    if (factor > mostElements / product)
      return Shape::fail("expected a shape of at most 2^40 elements, but got " +
                         quoted);
    product *= factor;
    shape.push_back(extent);
    if (cross == rest.size())
      return Shape::ok(std::move(shape));
    rest.remove_prefix(cross + 1);
  }
}

std::string formatShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

} // namespace normc::reference
