//===- BuildId.cpp - Which compiler this is -----------------------------------===//
#include "BuildId.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <link.h>

using namespace llvm;

namespace {

struct Search {
  uintptr_t inside;
  std::string found;
};

/// The identifier among an object's notes (elf.h), or "".
std::string findNote(const char *notes, size_t bytes) {
  constexpr size_t kAlign = 4;
  auto padded = [](size_t size) { return (size + kAlign - 1) / kAlign * kAlign; };
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof(header));
    const size_t name = padded(header.n_namesz), value = padded(header.n_descsz);
    if (sizeof(header) + name + value > bytes)
      return "";
    if (header.n_type == NT_GNU_BUILD_ID)
      return toHex(StringRef(notes + sizeof(header) + name, header.n_descsz), true);
    notes += sizeof(header) + name + value;
    bytes -= sizeof(header) + name + value;
  }
  return "";
}

/// Stops at the object that `inside` lies in.
int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  auto begins = [&](const ElfW(Phdr) & part) { return info->dlpi_addr + part.p_vaddr; };
  ArrayRef<ElfW(Phdr)> parts(info->dlpi_phdr, info->dlpi_phnum);
  bool ours = any_of(parts, [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && search.inside >= begins(part) &&
           search.inside - begins(part) < part.p_memsz;
  });
  if (!ours)
    return 0;
  for (const ElfW(Phdr) &part : parts)
    if (part.p_type == PT_NOTE && search.found.empty())
      search.found =
          findNote(reinterpret_cast<const char *>(begins(part)), part.p_memsz);
  return 1;
}

} // namespace

std::string normc::capi::buildId() {
  Search search = {reinterpret_cast<uintptr_t>(&visit), ""};
  dl_iterate_phdr(visit, &search);
  return NORMC_VERSION_TEXT " " + search.found;
}
