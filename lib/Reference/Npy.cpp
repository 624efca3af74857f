#include "normc/Reference/Npy.h"

#include <xtensor/xnpy.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace normc::reference {
namespace {

std::string fileError(const std::string &path, const std::string &message) {
  return '"' + path + "\": " + message;
}

/// The whole file, or an error.
ErrorOr<std::string> readFile(const std::string &path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status))
    return ErrorOr<std::string>::fail(
        fileError(path, "expected a file, but got a folder"));
  std::ifstream stream(path, std::ios::binary);
  std::string content;
  if (stream) {
    content.assign(std::istreambuf_iterator<char>(stream), {});
    if (!stream.bad())
      return ErrorOr<std::string>::ok(std::move(content));
  }
  return ErrorOr<std::string>::fail(
      fileError(path, std::string("cannot be read: ") + std::strerror(errno)));
}

/// Writes a temporary file beside `path` and renames it. A device or a pipe keeps its
/// place and is written as it is.
std::string writeFile(const std::string &path, std::string_view head,
                      std::span<const std::byte> body) {
  static std::atomic<unsigned> counter;
  std::error_code none;
  bool isSpecial = std::filesystem::is_other(path, none);
  std::string temporary = isSpecial ? path
                                    : path + ".tmp" + std::to_string(getpid()) + "." +
                                          std::to_string(counter++);
  auto failed = [&](const char *what) {
    std::string reason = std::strerror(errno);
    if (!isSpecial)
      std::remove(temporary.c_str());
    return fileError(path, std::string(what) + ": " + reason);
  };
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  if (!stream)
    return fileError(path, std::string("cannot be written: ") + std::strerror(errno));
  stream.write(head.data(), static_cast<std::streamsize>(head.size()));
  stream.write(reinterpret_cast<const char *>(body.data()),
               static_cast<std::streamsize>(body.size()));
  stream.close();
  if (!stream)
    return failed("cannot be written");
  if (!isSpecial && std::rename(temporary.c_str(), path.c_str()) != 0)
    return failed("cannot be replaced");
  return {};
}

/// As many bytes of `content` as `bytes` has; none is no memcpy, whose pointers may not
/// be null.
void copyBytes(const std::string &content, size_t offset,
               std::vector<std::byte> &bytes) {
  auto begin =
      std::as_bytes(std::span(content)).begin() + static_cast<std::ptrdiff_t>(offset);
  std::copy_n(begin, bytes.size(), bytes.begin());
}

struct Header {
  std::string typestring; ///< as NumPy spells it: "<f4"
  bool fortranOrder = false;
  std::vector<size_t> shape;
  size_t size = 0; ///< bytes before the data
};

/// xtensor's parser relies on the form that NumPy writes: what it does not check itself
/// is checked here, before.
std::string checkDictionary(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  if (text.size() < 2 || text.back() != '\n')
    return "expected a header that ends in a newline";
  for (const char *key : {"'descr':'", "'fortran_order':", "'shape':("})
    if (text.find(key) == std::string::npos)
      return std::string("expected a header with ") + key + "...";
  size_t begin = text.find("'shape':(") + std::strlen("'shape':(");
  size_t end = text.find(')', begin);
  std::string shape = text.substr(begin, end == std::string::npos ? end : end - begin);
  if (end == std::string::npos ||
      shape.find_first_not_of("0123456789,") != std::string::npos)
    return "expected a tuple of numbers as shape, but got (" + shape;
  return {};
}

/// Throws std::runtime_error as xtensor does. `content` begins with the magic string.
Header parseNpyHeader(const std::string &content) {
  // xtensor's own reading of the length takes its bytes as signed.
  auto byteAt = [&](size_t at) -> size_t {
    return at < content.size() ? static_cast<unsigned char>(content[at]) : 0;
  };
  const size_t major = byteAt(6), minor = byteAt(7);
  if ((major != 1 && major != 2) || minor != 0)
    throw std::runtime_error("expected version 1.0 or 2.0, but got " +
                             std::to_string(major) + "." + std::to_string(minor));
  size_t length = byteAt(8) | byteAt(9) << 8;
  if (major == 2)
    length |= byteAt(10) << 16 | byteAt(11) << 24;
  const size_t begin = major == 1 ? 10 : 12;
  if (content.size() < begin || length > content.size() - begin)
    throw std::runtime_error("expected a header of " + std::to_string(length) +
                             " bytes, but the file ends before");
  std::string text = content.substr(begin, length);
  std::string problem = checkDictionary(text);
  if (!problem.empty())
    throw std::runtime_error(problem);
  // xtensor knows no type V; two raw bytes are read as u2.
  size_t raw = text.find("V2'");
  if (raw != std::string::npos)
    text[raw] = 'u';
  Header header;
  xt::detail::parse_header(text, header.typestring, &header.fortranOrder, header.shape);
  header.size = begin + length;
  return header;
}

std::optional<Type> floatType(const std::string &typestring) {
  if (typestring == "<f2")
    return Type::F16;
  if (typestring == "<f4")
    return Type::F32;
  if (typestring == "<f8")
    return Type::F64;
  return std::nullopt;
}

/// What the file's elements are read as, given what is asked for; empty: refused.
std::optional<Type> sourceType(const Header &header, std::optional<Type> asked) {
  bool bits = header.typestring == "<u2" || header.typestring == "|u2";
  if (bits)
    return asked == Type::BF16 ? asked : std::nullopt;
  std::optional<Type> found = floatType(header.typestring);
  if (!asked || !found || found == asked)
    return found;
  return asked == Type::BF16 && found == Type::F32 ? found : std::nullopt;
}

std::string expectedTypes(std::optional<Type> asked) {
  if (!asked)
    return "<f2, <f4 or <f8";
  switch (*asked) {
  case Type::F16:
    return "<f2 for f16";
  case Type::BF16:
    return "<f4, <u2 or V2 for bf16";
  case Type::F32:
    return "<f4 for f32";
  case Type::F64:
    break;
  }
  return "<f8 for f64";
}

ErrorOr<Array> arrayFrom(const Header &header, const std::string &content,
                         std::optional<Type> asked) {
  std::optional<Type> source = sourceType(header, asked);
  if (!source)
    return ErrorOr<Array>::fail("expected element type " + expectedTypes(asked) +
                                ", but got " + header.typestring);
  // Bounded by the file, so that a wrong shape asks for no memory.
  const size_t available = content.size() - header.size;
  size_t needed = byteSize(*source);
  std::vector<int64_t> shape;
  for (size_t extent : header.shape) {
    shape.push_back(static_cast<int64_t>(extent));
    if (extent > (size_t{1} << 40) || (extent && needed > (size_t{1} << 60) / extent))
      return ErrorOr<Array>::fail(
          "expected a shape of at most 2^40 elements, but got " + formatShape(shape));
    needed *= extent;
  }
  if (available != needed)
    return ErrorOr<Array>::fail("expected " + std::to_string(needed) +
                                " bytes of data for " + formatShape(shape) + " of " +
                                header.typestring + ", but got " +
                                std::to_string(available));
  Array array = makeArray(*source, shape);
  copyBytes(content, header.size, array.bytes);
  if (header.fortranOrder && shape.size() > 1) {
    for (size_t dim = 0, stride = 1; dim < shape.size(); ++dim) {
      array.strides[dim] = static_cast<int64_t>(stride);
      stride *= std::max<size_t>(header.shape[dim], 1);
    }
    array = withStrides(array, rowMajorStrides(shape));
  }
  if (asked && *asked != *source)
    array = makeArray(*asked, shape, array.toDoubles());
  return ErrorOr<Array>::ok(std::move(array));
}

} // namespace

ErrorOr<Array> readNpy(const std::string &path, std::optional<Type> type) {
  ErrorOr<std::string> content = readFile(path);
  if (!content)
    return ErrorOr<Array>::fail(content.error);
  if (content->size() < 10 || content->compare(0, 6, "\x93NUMPY") != 0)
    return ErrorOr<Array>::fail(fileError(
        path, "expected a .npy file, which begins with \\x93NUMPY, but got another"));
  try {
    ErrorOr<Array> array = arrayFrom(parseNpyHeader(*content), *content, type);
    if (!array)
      array.error = fileError(path, array.error);
    return array;
  } catch (const std::exception &error) {
    return ErrorOr<Array>::fail(fileError(path, std::string("not a .npy file that can "
                                                            "be read: ") +
                                                    error.what()));
  }
}

std::string writeNpy(const std::string &path, const Array &array, Bf16File bf16) {
  Array compact =
      array.isRowMajor() ? array : withStrides(array, rowMajorStrides(array.shape));
  std::string typestring = "<f" + std::to_string(byteSize(array.type));
  if (array.type == Type::BF16 && bf16 == Bf16File::AsBits)
    typestring = "<u2";
  if (array.type == Type::BF16 && bf16 == Bf16File::AsF32) {
    compact = makeArray(Type::F32, array.shape, compact.toDoubles());
    typestring = "<f4";
  }
  std::ostringstream head;
  xt::detail::write_header(head, typestring, false, array.shape);
  return writeFile(path, head.str(), compact.bytes);
}

ErrorOr<Array> readRaw(const std::string &path, Type type, std::vector<int64_t> shape) {
  ErrorOr<std::string> content = readFile(path);
  if (!content)
    return ErrorOr<Array>::fail(content.error);
  Array array{type, std::move(shape), {}, {}};
  size_t needed = static_cast<size_t>(array.elements()) * byteSize(type);
  if (content->size() != needed)
    return ErrorOr<Array>::fail(fileError(
        path, "expected " + std::to_string(needed) + " bytes for " +
                  formatShape(array.shape) + " of " + std::string(typeName(type)) +
                  ", but got " + std::to_string(content->size())));
  array = makeArray(type, array.shape);
  copyBytes(*content, 0, array.bytes);
  return ErrorOr<Array>::ok(std::move(array));
}

std::string writeRaw(const std::string &path, const Array &array) {
  if (array.isRowMajor())
    return writeFile(path, {}, array.bytes);
  return writeFile(path, {}, withStrides(array, rowMajorStrides(array.shape)).bytes);
}

} // namespace normc::reference
