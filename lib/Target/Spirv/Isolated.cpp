//===- Isolated.cpp - Runs a back end in a process of its own ---------------===//
#include "Isolated.h"

#include "llvm/ADT/StringRef.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace normc;

static constexpr int kMilliseconds = 120000;

namespace {
struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() {
    close(0);
    close(1);
  }
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close(int end) {
    if (ends[end] >= 0)
      ::close(ends[end]);
    ends[end] = -1;
  }
};
} // namespace

[[noreturn]] static void
runChild(llvm::function_ref<bool(llvm::SmallVectorImpl<char> &)> body, const Pipe &out,
         const Pipe &said) {
  // A fatal error of LLVM's goes to stderr and ends the process.
  dup2(said.ends[1], STDERR_FILENO);
  std::signal(SIGABRT, SIG_DFL);
  std::signal(SIGSEGV, SIG_DFL);
  llvm::SmallVector<char> bytes;
  bool isDone = body(bytes);
  for (size_t at = 0; isDone && at < bytes.size();) {
    ssize_t count = write(out.ends[1], bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno != EINTR)
      isDone = false;
    at += count > 0 ? size_t(count) : 0;
  }
  // Nothing of the parent's is flushed or destroyed twice.
  _exit(isDone ? 0 : 1);
}

/// Reads both pipes to their ends; false after a while without a byte.
static bool readAll(Pipe &out, Pipe &said, llvm::SmallVectorImpl<char> &bytes,
                    std::string &text) {
  char part[4096];
  pollfd ends[] = {{out.ends[0], POLLIN, 0}, {said.ends[0], POLLIN, 0}};
  for (int open = 2; open > 0;) {
    int ready = poll(ends, 2, kMilliseconds);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return false;
    for (pollfd &end : ends) {
      if (end.fd < 0 || !end.revents)
        continue;
      ssize_t count = read(end.fd, part, sizeof(part));
      if (count > 0 && end.fd == out.ends[0])
        bytes.append(part, part + count);
      else if (count > 0)
        text.append(part, size_t(count));
      else if (count == 0 || errno != EINTR) {
        end.fd = -1;
        --open;
      }
    }
  }
  return true;
}

bool spirv::runIsolated(llvm::function_ref<bool(llvm::SmallVectorImpl<char> &)> body,
                        llvm::SmallVectorImpl<char> &bytes, std::string &error) {
  Pipe out, said;
  pid_t child = out.open() && said.open() ? fork() : -1;
  if (child < 0) {
    error = std::string("no process can be started: ") + std::strerror(errno);
    return false;
  }
  if (child == 0)
    runChild(body, out, said);
  out.close(1);
  said.close(1);
  bytes.clear();
  if (!readAll(out, said, bytes, error)) {
    kill(child, SIGKILL);
    error = "it took more than " + std::to_string(kMilliseconds / 1000) + " seconds";
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  error = llvm::StringRef(error).trim().str();
  if (error.empty())
    error = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                : "it cannot emit this kind of file";
  return false;
}
