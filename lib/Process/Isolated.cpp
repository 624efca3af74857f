//===- Isolated.cpp - Runs a function in a process of its own ---------------===//
#include "normc/Process/Isolated.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace normc;

namespace {
class Descriptor {
public:
  Descriptor() = default;
  ~Descriptor() { close(); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  void take(int number) {
    close();
    fd = number;
  }
  void close() {
    if (fd >= 0)
      ::close(fd);
    fd = -1;
  }
  int get() const { return fd; }

private:
  int fd = -1;
};

struct Pipe {
  Descriptor read, write;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return false;
    read.take(ends[0]);
    write.take(ends[1]);
    return true;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// In the copy
//===----------------------------------------------------------------------===//

static bool writeAll(int fd, const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    const ssize_t count = write(fd, bytes, size);
    if (count < 0 && errno != EINTR)
      return false;
    const size_t written = count > 0 ? size_t(count) : 0;
    bytes += written;
    size -= written;
  }
  return true;
}

/// LLVM's own handling runs what the program registered for its exit.
[[noreturn]] static void sayAndExit(void *, const char *reason, bool) {
  writeAll(STDERR_FILENO, reason, std::strlen(reason));
  _exit(1);
}

static uint64_t mappedBytes() {
  char text[64] = {};
  Descriptor statm;
  statm.take(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  if (statm.get() < 0 || read(statm.get(), text, sizeof(text) - 1) <= 0)
    return 0;
  return std::strtoull(text, nullptr, 10) * uint64_t(sysconf(_SC_PAGESIZE));
}

static void lower(__rlimit_resource resource, rlim_t to) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0)
    return;
  limit.rlim_cur = std::min(limit.rlim_cur, to);
  setrlimit(resource, &limit);
}

/// What the program set for its own crashes and exits is not for this copy's.
static void leaveTheProgram(const IsolationLimits &limits) {
  for (int number = 1; number < NSIG; ++number)
    std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::set_terminate(std::abort);
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(sayAndExit);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(sayAndExit);
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_CPU, limits.cpu_seconds);
  if (const uint64_t mapped = limits.memory_bytes ? mappedBytes() : 0)
    lower(RLIMIT_AS, mapped + limits.memory_bytes);
}

/// Never returns, by an exception neither: the caller's code would go on twice.
[[noreturn]] static void
runCopy(const IsolationLimits &limits,
        llvm::function_ref<bool(llvm::SmallVectorImpl<char> &)> body, const Pipe &out,
        const Pipe &said) noexcept {
  dup2(said.write.get(), STDERR_FILENO);
  leaveTheProgram(limits);
  llvm::SmallVector<char> bytes;
  const bool isDone = body(bytes);
  // The size first: what is cut is seen to be.
  const uint64_t size = bytes.size();
  if (isDone && writeAll(out.write.get(), &size, sizeof(size)))
    writeAll(out.write.get(), bytes.data(), size);
  // Nothing of the program's is flushed or destroyed twice.
  _exit(0);
}

//===----------------------------------------------------------------------===//
// In the caller
//===----------------------------------------------------------------------===//

namespace {
/// Takes what a copy writes until it ends. Its end is its process's: other processes
/// that were started meanwhile may hold the pipes open.
class Reader {
public:
  using Clock = std::chrono::steady_clock;

  Reader(Pipe &out, Pipe &said, pid_t child) {
    // The C library's function has no C linkage in glibc 2.36. On a kernel without it
    // there is no descriptor, and the end of both pipes is the process's.
    process.take(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    for (Pipe *pipe : {&out, &said})
      fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
    ends[0] = {out.read.get(), POLLIN, 0};
    ends[1] = {said.read.get(), POLLIN, 0};
    ends[2] = {process.get(), POLLIN, 0};
  }

  /// False when the time is over.
  bool readUntil(Clock::time_point deadline) {
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      const int ready =
          left.count() > 0 ? poll(ends, 3, static_cast<int>(left.count())) : 0;
      if (ready < 0 && errno == EINTR)
        continue;
      if (ready <= 0)
        return false;
      // Asked before the pipes are: they hold all that it wrote.
      const bool hasEnded = ends[2].revents != 0;
      drain(ends[0], out);
      drain(ends[1], said);
      if (hasEnded)
        break;
    }
    return true;
  }

  llvm::SmallVector<char> out, said;

private:
  static void drain(pollfd &end, llvm::SmallVectorImpl<char> &bytes) {
    char part[4096];
    while (end.fd >= 0) {
      const ssize_t count = read(end.fd, part, sizeof(part));
      if (count > 0)
        bytes.append(part, part + count);
      else if (count == 0 || (errno != EINTR && errno != EAGAIN))
        end.fd = -1;
      else if (errno == EAGAIN)
        return;
    }
  }

  Descriptor process;
  pollfd ends[3];
};
} // namespace

/// How a copy ended that gave no bytes.
static std::string describeEnd(pid_t child, llvm::StringRef said) {
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
    ;
  if (!said.trim().empty())
    return said.trim().str();
  // A program that does not wait for its processes may have none to wait for.
  if (ended == child && WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "an end without a result";
}

bool normc::runIsolated(const IsolationLimits &limits,
                        llvm::function_ref<bool(llvm::SmallVectorImpl<char> &)> body,
                        llvm::SmallVectorImpl<char> &bytes, std::string &error) {
  Pipe out, said;
  pid_t child = out.open() && said.open() ? fork() : -1;
  if (child < 0) {
    error = std::string("no process can be started: ") + std::strerror(errno);
    return false;
  }
  if (child == 0)
    runCopy(limits, body, out, said);
  out.write.close();
  said.write.close();
  Reader reader(out, said, child);
  const bool isInTime =
      reader.readUntil(Reader::Clock::now() + std::chrono::seconds(limits.seconds));
  if (!isInTime)
    kill(child, SIGKILL);
  const std::string end = describeEnd(child, {reader.said.data(), reader.said.size()});
  uint64_t size = 0;
  if (reader.out.size() >= sizeof(size))
    std::memcpy(&size, reader.out.data(), sizeof(size));
  if (isInTime && reader.out.size() >= sizeof(size) &&
      reader.out.size() - sizeof(size) == size) {
    bytes.assign(reader.out.begin() + sizeof(size), reader.out.end());
    return true;
  }
  error =
      isInTime ? end : "no end after " + std::to_string(limits.seconds) + " seconds";
  return false;
}
