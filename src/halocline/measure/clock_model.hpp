#pragma once

#include <cstddef>
#include <deque>
#include <span>

#include "halocline/base/units.hpp"

namespace halocline::measure {

/// What another clock showed while a message went there and back.
struct Glimpse {
  Seconds sent;      // on this clock
  Seconds shown;     // on the other one
  Seconds returned;  // on this clock

  Seconds round_trip() const { return returned - sent; }
  /// How far the other clock is ahead, if both ways took equally long; wrong by at most half the
  /// round trip.
  Seconds ahead() const { return shown - (sent + returned) / 2; }
};

/// The one with the shortest round trip, which bounds the asymmetry most. Never empty.
const Glimpse& sharpest(std::span<const Glimpse> glimpses);

/// Whether two clocks may be the same: no message arrived before it was sent.
bool may_be_one_clock(std::span<const Glimpse> glimpses);

/// The other clock as a function of this one: how far it is ahead, and how fast that changes.
struct ClockLine {
  Seconds middle{0};  // on this clock: then the other one is `ahead`
  Seconds ahead{0};
  double drift = 0;  // seconds that the other clock gains per second of this one

  Seconds there(Seconds here) const { return here + ahead + drift * (here - middle); }
};

/// Fits the line through observations of another clock.
class ClockModel {
 public:
  /// Adds observations made within a short time. Never empty.
  void learn(std::span<const Glimpse> glimpses);

  /// Until something was observed, both clocks are taken as one.
  const ClockLine& line() const { return line_; }

 private:
  struct Sight {
    Seconds when;   // on this clock
    Seconds ahead;  // the other one
    Seconds blur;   // how far `ahead` may be wrong
  };

  ClockLine fit() const;

  std::deque<Sight> sights_;
  ClockLine line_;
};

}  // namespace halocline::measure
