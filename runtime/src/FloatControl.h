// The floating-point control of the calling thread, set to its default for a scope. A
// caller may flush subnormals or round otherwise; the workers do not, and a row's bits
// must not depend on the thread that computed it.
#ifndef NORMRT_FLOATCONTROL_H
#define NORMRT_FLOATCONTROL_H

#include <cstdint>

namespace normrt {

class DefaultFloatControl {
public:
  DefaultFloatControl() : saved_(read()) {
    if ((saved_ & kControlBits) != (kDefault & kControlBits))
      write(kDefault);
  }
  ~DefaultFloatControl() {
    if ((saved_ & kControlBits) != (kDefault & kControlBits))
      write(saved_);
  }
  DefaultFloatControl(const DefaultFloatControl &) = delete;
  DefaultFloatControl &operator=(const DefaultFloatControl &) = delete;

private:
#if defined(__x86_64__)
  // MXCSR: all exceptions masked, rounding to nearest, no FTZ, no DAZ (Intel SDM,
  // volume 1, 10.2.3). Bits 0 to 5 are sticky flags.
  static constexpr uint64_t kDefault = 0x1f80, kControlBits = 0xffc0;
  static uint64_t read() { return __builtin_ia32_stmxcsr(); }
  static void write(uint64_t value) { __builtin_ia32_ldmxcsr(unsigned(value)); }
#elif defined(__aarch64__)
  // FPCR: zero is the default of all controls (Arm ARM, FPCR).
  static constexpr uint64_t kDefault = 0, kControlBits = ~uint64_t(0);
  static uint64_t read() {
    uint64_t value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void write(uint64_t value) { asm volatile("msr fpcr, %0" ::"r"(value)); }
#else
  static constexpr uint64_t kDefault = 0, kControlBits = 0;
  static uint64_t read() { return 0; }
  static void write(uint64_t) {}
#endif
  uint64_t saved_;
};

} // namespace normrt

#endif // NORMRT_FLOATCONTROL_H
