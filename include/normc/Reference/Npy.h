// Arrays in .npy files (NumPy's format) and in raw files.
//
// f16, f32 and f64 are NumPy's f2, f4 and f8. NumPy has no bf16: it is written as f4,
// which holds it exactly, or as its bits in u2; both are read as bf16 on request, and
// so is V2, which NumPy writes for the bfloat16 of ml_dtypes.
#ifndef NORMC_REFERENCE_NPY_H
#define NORMC_REFERENCE_NPY_H

#include "normc/Reference/Array.h"

namespace normc::reference {

/// Reads a .npy file, C or Fortran order, little endian, into a row-major array. With
/// `type`, a file of another type is an error (bf16: f4, rounded; u2 and V2, as bits);
/// without it the file's float type is taken. An error names the file, what was
/// expected and what was found.
ErrorOr<Array> readNpy(const std::string &path, std::optional<Type> type = {});

enum class Bf16File : uint8_t { AsF32, AsBits };

/// Writes `array` in row-major order. The file appears whole or not at all: it is
/// written under another name in the same folder and renamed. Returns what is wrong, or
/// an empty string.
std::string writeNpy(const std::string &path, const Array &array,
                     Bf16File bf16 = Bf16File::AsF32);

/// A raw file of row-major little-endian elements; its size must be the array's.
ErrorOr<Array> readRaw(const std::string &path, Type type, std::vector<int64_t> shape);
std::string writeRaw(const std::string &path, const Array &array);

} // namespace normc::reference

#endif // NORMC_REFERENCE_NPY_H
