//===- Archive.cpp - Compiled programs in one file --------------------------===//
#include "Archive.h"

#include <cstdint>
#include <fstream>

namespace normc::device {

static void writeText(std::ostream &os, const std::string &text) {
  const uint64_t size = text.size();
  os.write(reinterpret_cast<const char *>(&size), sizeof(size));
  os.write(text.data(), static_cast<std::streamsize>(size));
}

static bool readText(std::istream &is, std::string &text) {
  constexpr uint64_t kMost = uint64_t{1} << 30;
  uint64_t size = 0;
  is.read(reinterpret_cast<char *>(&size), sizeof(size));
  if (!is || size > kMost)
    return false;
  text.resize(size);
  is.read(text.data(), static_cast<std::streamsize>(size));
  return bool(is);
}

std::string Archive::write(const std::string &path) const {
  std::ofstream file(path, std::ios::binary);
  for (const auto &[text, package] : packages) {
    writeText(file, text);
    writeText(file, package);
  }
  file.close();
  return file ? "" : "cannot write \"" + path + "\"";
}

std::string Archive::read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return "cannot read \"" + path + "\"";
  std::string text, package;
  while (readText(file, text)) {
    if (!readText(file, package))
      return "expected a whole package in \"" + path + "\", but it ends before";
    packages[text] = package;
  }
  return file.eof() && !packages.empty()
             ? ""
             : "expected texts and packages in \"" + path + "\", but got other bytes";
}

} // namespace normc::device
