#include "normc/Reference/Array.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <thread>

namespace normc::reference {
namespace {

// Only +, -, *, /, sqrt: they are exact operations of IEEE 754, so the values do not
// depend on a machine's libm.

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014) over a counter.
uint64_t randomBits(uint64_t seed, uint64_t index) {
  auto mix = [](uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  constexpr uint64_t golden = 0x9e3779b97f4a7c15;
  return mix(mix(seed + golden) + (index + 1) * golden);
}

/// In (0, 1): the middle of one of 2^52 intervals.
double openUniform(uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

/// log(x) for normal x > 0, to about 1e-15: x = m * 2^e with m in [sqrt(1/2), sqrt(2)),
/// log(m) = 2 * atanh((m - 1) / (m + 1)), whose argument is at most 0.172.
double portableLog(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) |
                                   (uint64_t{1023} << 52));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  double t = (m - 1) / (m + 1), square = t * t, sum = 0;
  for (int k = 19; k >= 1; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * t * sum + exponent * 0.6931471805599453;
}

/// The inverse of the standard normal distribution, to 1.2e-9 relative: rational
/// approximations by P. J. Acklam, "An algorithm for computing the inverse normal
/// cumulative distribution function" (2003).
double inverseNormal(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                          -2.759285104469687e+02, 1.383577518672690e+02,
                          -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                          -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                          -2.400758277161838e+00, -2.549732539343734e+00,
                          4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
                          2.445134137142996e+00, 3.754408661413742e+00};
  constexpr double tail = 0.02425;
  double outer = std::min(p, 1 - p);
  if (outer >= tail) {
    double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  double q = std::sqrt(-2 * portableLog(outer));
  double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
             ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  return p < 0.5 ? x : -x;
}

enum class Kind { Normal, Uniform, Constant, Ramp };

struct Specification {
  Kind kind;
  uint64_t seed = 0;
  double first = 0; ///< the constant, or where the ramp starts
  double scale = 1, offset = 0;
  std::vector<int64_t> shape = {};

  double value(int64_t index) const {
    auto counter = static_cast<uint64_t>(index);
    switch (kind) {
    case Kind::Normal:
      return inverseNormal(openUniform(randomBits(seed, counter))) * scale + offset;
    case Kind::Uniform: {
      double unit = static_cast<double>(randomBits(seed, counter) >> 11) * 0x1p-53;
      return (2 * unit - 1) * scale + offset;
    }
    case Kind::Constant:
      return first;
    case Kind::Ramp:
      break;
    }
    return first + static_cast<double>(index);
  }
};

void fill(const Specification &specification, int64_t begin, int64_t end,
          Array &array) {
  constexpr int64_t block = 1024;
  double values[block];
  for (int64_t at = begin; at < end; at += block) {
    auto count = static_cast<size_t>(std::min(block, end - at));
    for (size_t i = 0; i < count; ++i)
      values[i] = specification.value(at + static_cast<int64_t>(i));
    encodeAll(array.type, std::span(values, count),
              array.bytes.data() + static_cast<size_t>(at) * byteSize(array.type));
  }
}

void fillInParallel(const Specification &specification, Array &array) {
  constexpr int64_t fewestPerThread = int64_t{1} << 17;
  int64_t elements = array.elements();
  int64_t workers = std::clamp<int64_t>(
      elements / fewestPerThread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (int64_t i = 0; i + 1 < workers; ++i)
    threads.emplace_back([&, i] {
      fill(specification, elements / workers * i, elements / workers * (i + 1), array);
    });
  fill(specification, elements / workers * (workers - 1), elements, array);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    size_t end = std::min(text.find(separator), text.size());
    fields.push_back(text.substr(0, end));
    if (end == text.size())
      return fields;
    text.remove_prefix(end + 1);
  }
}

template <typename Number> bool parseNumber(std::string_view word, Number &number) {
  auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
  return status == std::errc() && end == word.data() + word.size();
}

class SpecificationParser {
public:
  explicit SpecificationParser(std::string_view text)
      : text(text), fields(split(text, ':')) {}

  ErrorOr<Specification> parse() {
    if (fields[0] == "normal")
      return random(Kind::Normal);
    if (fields[0] == "uniform")
      return random(Kind::Uniform);
    if (fields[0] == "const")
      return fixed(Kind::Constant, "const:VALUE:SHAPE",
                   "a number, nan, inf or -inf as VALUE");
    if (fields[0] == "ramp")
      return fixed(Kind::Ramp, "ramp:START:SHAPE", "a number as START");
    return fail("normal:SEED:SHAPE, uniform:SEED:SHAPE, const:VALUE:SHAPE or "
                "ramp:START:SHAPE",
                text);
  }

private:
  ErrorOr<Specification> fail(std::string_view expected, std::string_view found) const {
    std::string message =
        "expected " + std::string(expected) + ", but got \"" + std::string(found) + '"';
    if (found != text)
      message += " in \"" + std::string(text) + '"';
    return ErrorOr<Specification>::fail(message);
  }

  ErrorOr<Specification> withShape(Specification specification) const {
    auto shape = parseShape(fields[2]);
    if (!shape)
      return ErrorOr<Specification>::fail(shape.error + " in \"" + std::string(text) +
                                          '"');
    specification.shape = *shape;
    return ErrorOr<Specification>::ok(std::move(specification));
  }

  ErrorOr<Specification> random(Kind kind) const {
    std::string name(fields[0]);
    if (fields.size() < 3 || fields.size() > 5)
      return fail(name + ":SEED:SHAPE[:SCALE[:OFFSET]]", text);
    Specification specification{kind};
    if (!parseNumber(fields[1], specification.seed))
      return fail("an integer from 0 to 2^64-1 as SEED", fields[1]);
    if (fields.size() > 3 && !parseNumber(fields[3], specification.scale))
      return fail("a number as SCALE", fields[3]);
    if (fields.size() > 4 && !parseNumber(fields[4], specification.offset))
      return fail("a number as OFFSET", fields[4]);
    return withShape(std::move(specification));
  }

  ErrorOr<Specification> fixed(Kind kind, std::string_view form,
                               std::string_view value) const {
    if (fields.size() != 3)
      return fail(form, text);
    Specification specification{kind};
    if (!parseNumber(fields[1], specification.first))
      return fail(value, fields[1]);
    return withShape(std::move(specification));
  }

  std::string_view text;
  std::vector<std::string_view> fields;
};

} // namespace

ErrorOr<Array> generate(std::string_view text, Type type) {
  ErrorOr<Specification> specification = SpecificationParser(text).parse();
  if (!specification)
    return ErrorOr<Array>::fail(specification.error);
  Array array = makeArray(type, specification->shape);
  fillInParallel(*specification, array);
  return ErrorOr<Array>::ok(std::move(array));
}

} // namespace normc::reference
