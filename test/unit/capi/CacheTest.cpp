//===- CacheTest.cpp - Packages that were compiled before ---------------------===//
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <normc-c/normc.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "normc-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, ignored);
    fs::remove_all(folder, ignored);
  }

  normc_compiler_options options() const {
    normc_compiler_options result = NORMC_COMPILER_OPTIONS_INIT;
    result.cache_directory = folder.c_str();
    return result;
  }

  static normc::Norm norm(int64_t cols) {
    return normc::rmsNorm(NORMC_TYPE_F32, 1e-6).withShape({NORMC_DYNAMIC, cols});
  }
  /// By a compiler of its own, which has nothing in memory.
  normc::Package compile(int64_t cols) const {
    return normc::Compiler(options()).compile(norm(cols), {"host"});
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> result;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().rfind("llvmcache-", 0) == 0)
        result.push_back(entry.path());
    return result;
  }

  static std::string bytesOf(const normc::Package &package) {
    return std::string(static_cast<const char *>(package.data()), package.size());
  }
  static std::string read(const fs::path &path) {
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  static void write(const fs::path &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), long(bytes.size()));
  }

  std::string folder;
};

TEST_F(CacheTest, MemoryThenDisk) {
  const normc::Compiler compiler(options());
  const normc::Package missed = compiler.compile(norm(64), {"host"});
  EXPECT_EQ(missed.cacheState(), NORMC_CACHE_MISS);
  EXPECT_EQ(missed.cacheMessage(), "");
  const normc::Package kept = compiler.compile(norm(64), {"host"});
  EXPECT_EQ(kept.cacheState(), NORMC_CACHE_MEMORY);
  const normc::Package stored = compile(64);
  EXPECT_EQ(stored.cacheState(), NORMC_CACHE_DISK);
  EXPECT_TRUE(bytesOf(missed) == bytesOf(kept));
  EXPECT_TRUE(bytesOf(missed) == bytesOf(stored));
}

TEST_F(CacheTest, WhatDiffersIsCompiledOnItsOwn) {
  compile(64);
  EXPECT_EQ(compile(65).cacheState(), NORMC_CACHE_MISS);
  const normc::Compiler compiler(options());
  EXPECT_EQ(compiler.compile(norm(64), {"cuda:sm_90"}).cacheState(), NORMC_CACHE_MISS);
  normc::Norm other = norm(64);
  other.epsilon = 1e-5;
  EXPECT_EQ(compiler.compile(other, {"host"}).cacheState(), NORMC_CACHE_MISS);
  EXPECT_EQ(entries().size(), 4u);
}

TEST_F(CacheTest, NothingIsKeptWhereThatIsAskedFor) {
  normc_compiler_options none = options();
  none.cache_disabled = 1;
  const normc::Compiler compiler(none);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(compiler.compile(norm(64), {"host"}).cacheState(), NORMC_CACHE_MISS);
  EXPECT_TRUE(entries().empty());
}

TEST_F(CacheTest, ACorruptedEntryIsCompiledAgain) {
  const std::string right = bytesOf(compile(64));
  ASSERT_EQ(entries().size(), 1u);
  const fs::path path = entries().front();
  const std::string whole = read(path);
  // A byte of each part, and some of the package.
  for (size_t at :
       {size_t(0), size_t(25), size_t(90), whole.size() / 2, whole.size() - 1}) {
    std::string changed = whole;
    changed[at] = char(changed[at] ^ 0x10);
    write(path, changed);
    const normc::Package package = compile(64);
    EXPECT_EQ(package.cacheState(), NORMC_CACHE_MISS) << "byte " << at;
    EXPECT_NE(package.cacheMessage().find(path.string()), std::string::npos);
    EXPECT_TRUE(bytesOf(package) == right);
    EXPECT_TRUE(read(path) == whole) << "expected a new entry in its place";
  }
  for (size_t length : {size_t(0), size_t(10), size_t(100), whole.size() - 1}) {
    write(path, whole.substr(0, length));
    EXPECT_EQ(compile(64).cacheState(), NORMC_CACHE_MISS) << length << " bytes";
  }
  // Another's entry under this name.
  compile(65);
  for (const fs::path &other : entries())
    if (other != path)
      fs::copy_file(other, path, fs::copy_options::overwrite_existing);
  EXPECT_EQ(compile(64).cacheState(), NORMC_CACHE_MISS);
  EXPECT_EQ(compile(64).cacheState(), NORMC_CACHE_DISK);
}

TEST_F(CacheTest, WhatIsNoFileOfTheCachesSizeIsNotRead) {
  compile(64);
  const fs::path path = entries().front();
  auto replaced = [&](auto make) {
    fs::remove(path);
    make();
    const normc::Package package = compile(64);
    EXPECT_EQ(package.cacheState(), NORMC_CACHE_MISS);
    EXPECT_NE(package.cacheMessage().find(path.string() + " is not a file of at most"),
              std::string::npos)
        << package.cacheMessage();
    EXPECT_EQ(compile(64).cacheState(), NORMC_CACHE_DISK);
  };
  replaced([&] { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); });
  replaced([&] { fs::create_symlink("/dev/zero", path); });
  replaced([&] {
    write(path, "");
    fs::resize_file(path, uintmax_t(1) << 40);
  });
}

TEST_F(CacheTest, TheFolderKeepsToItsSize) {
  normc_compiler_options small = options();
  compile(64);
  small.cache_disk_bytes = 2 * fs::file_size(entries().front()) + 1000;
  const normc::Compiler compiler(small);
  for (int64_t cols = 65; cols < 70; ++cols) {
    compiler.compile(norm(cols), {"host"});
    uintmax_t bytes = 0;
    for (const fs::path &path : entries())
      bytes += fs::file_size(path);
    EXPECT_LE(bytes, small.cache_disk_bytes);
  }
  EXPECT_GE(entries().size(), 1u);
  // The last one is there.
  EXPECT_EQ(compile(69).cacheState(), NORMC_CACHE_DISK);
}

TEST_F(CacheTest, MemoryKeepsToItsSize) {
  normc_compiler_options small = options();
  small.cache_directory = "";
  small.cache_memory_bytes = compile(64).size() * 3 / 2;
  const normc::Compiler compiler(small);
  compiler.compile(norm(64), {"host"});
  compiler.compile(norm(65), {"host"});
  EXPECT_EQ(compiler.compile(norm(65), {"host"}).cacheState(), NORMC_CACHE_MEMORY);
  EXPECT_EQ(compiler.compile(norm(64), {"host"}).cacheState(), NORMC_CACHE_MISS);
}

TEST_F(CacheTest, AFolderThatCannotBeWrittenIsSaidAndGoesOn) {
  // A file where the folder should be: what a read-only one comes to, and the same for
  // root.
  const std::string blocked = folder + "/file";
  write(blocked, "");
  normc_compiler_options wrong = options();
  wrong.cache_directory = blocked.c_str();
  const normc::Compiler compiler(wrong);
  const normc::Package package = compiler.compile(norm(64), {"host"});
  EXPECT_NE(package.cacheMessage().find(blocked), std::string::npos);
  EXPECT_GT(package.size(), 0u);
  EXPECT_EQ(compiler.compile(norm(64), {"host"}).cacheState(), NORMC_CACHE_MEMORY);
}

// A file that may not grow ends in the middle of a write, as on a disk that is full.
TEST_F(CacheTest, AFullDiskIsSaidAndLeavesNothingBehind) {
  normc_compiler_options ptx = options();
  ptx.ptxas = "off";
  const normc::Compiler compiler(ptx);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const normc::Package package = compiler.compile(norm(64), {"cuda:sm_90"});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_GT(package.size(), 1000u);
  EXPECT_NE(package.cacheMessage().find("the cache folder " + folder +
                                        " cannot be written: "),
            std::string::npos)
      << package.cacheMessage();
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(CacheTest, SeveralProcessesShareAFolder) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int result = 0;
      try {
        for (int64_t cols = 40; cols < 44; ++cols)
          if (const std::string said = compile(cols).cacheMessage(); !said.empty()) {
            fprintf(stderr, "%s\n", said.c_str());
            result = 1;
          }
      } catch (const std::exception &) {
        result = 2;
      }
      _exit(result);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(entries().size(), 4u);
  for (int64_t cols = 40; cols < 44; ++cols)
    EXPECT_EQ(compile(cols).cacheState(), NORMC_CACHE_DISK);
}

} // namespace
