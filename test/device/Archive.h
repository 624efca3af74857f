//===- Archive.h - Compiled programs in one file ----------------------------===//
#ifndef NORMC_TEST_DEVICE_ARCHIVE_H
#define NORMC_TEST_DEVICE_ARCHIVE_H

#include <map>
#include <string>
#include <string_view>

namespace normc::device {

/// Packages by the text that they were compiled from. In a file 64-bit sizes and bytes
/// of text and package in turn, little-endian, compressed as one zstd frame.
class Archive {
public:
  void add(std::string text, std::string package) {
    packages[std::move(text)] = std::move(package);
  }
  /// Null where there is none.
  const std::string *find(const std::string &text) const {
    auto found = packages.find(text);
    return found == packages.end() ? nullptr : &found->second;
  }
  size_t size() const { return packages.size(); }

  /// Both: what went wrong, "" for success.
  std::string write(const std::string &path) const;
  std::string read(const std::string &path);

private:
  std::map<std::string, std::string> packages;
};

} // namespace normc::device

#endif // NORMC_TEST_DEVICE_ARCHIVE_H
