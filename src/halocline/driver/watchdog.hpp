#pragma once

namespace halocline::driver {

inline constexpr int stalled_exit_code = 124;

/// Ends this process when feed() is not called for this many seconds: the last resort on a host
/// that the launcher can no longer reach. Disabled in simulation, where all ranks are one process.
class Watchdog {
 public:
  Watchdog(int stall_s, int rank);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void feed() const;

 private:
  unsigned stall_s_;
};

}  // namespace halocline::driver
