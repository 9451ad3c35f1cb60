#include "halocline/route/lists.hpp"

#include <limits>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/base/identity.hpp"
#include "halocline/mpi/agreement.hpp"

namespace halocline::route {
namespace {

using layout::Index;
using layout::max_dimensions;
using layout::Points;

std::string carried(const Points& points) {
  std::string text;
  for (std::size_t dimension = 1; dimension < max_dimensions; ++dimension) {
    text += (dimension == 1 ? "" : " x ") + std::to_string(points.each().extent(dimension));
  }
  return text;
}

/// One less than what fits: a run ends at the number behind its last one.
constexpr Index largest_number = std::numeric_limits<Index>::max() - 1;

void require_numbers(const Points& points, const std::string& side) {
  const Index from = points.messages_from();
  for (const Points::Run& run : points.runs()) {
    if (run.number < 0 || run.length - 1 > largest_number - run.number) {
      const Index number = run.number < 0 ? run.number : largest_number + 1;
      throw Error("point " + std::to_string(number + from) + " in the " + side +
                  "'s list at position " +
                  std::to_string(run.position + (number - run.number) + from) +
                  "; allowed: " + std::to_string(from) + " to " +
                  std::to_string(largest_number + from) + "; leave it out");
    }
  }
}

void require_points(const Points& source, const Points& destination) {
  require_numbers(source, "source");
  require_numbers(destination, "destination");
  if (carried(source) != carried(destination)) {
    throw Error("a point carries " + carried(source) + " values at the source and " +
                carried(destination) +
                " at the destination; both must have the same extents beyond the first dimension");
  }
}

std::vector<Leg> legs(const Points& points, const LargeVector<Stretch>& stretches) {
  std::vector<Leg> all;
  all.reserve(stretches.size());
  for (const Stretch& stretch : stretches) {
    const Points::Place place = points.place(stretch.own, stretch.length);
    all.push_back({.peer = stretch.peer, .box = place.box, .part = place.part});
  }
  return all;
}

}  // namespace

Route redistribution(const Points& source, const Points& destination,
                     const mpi::Communicator& communicator, Unwanted unwanted) {
  mpi::agreed(communicator, [&] { require_points(source, destination); });
  Identity identity;
  identity.add(carried(source));
  mpi::require_same(communicator, identity.value(), "extents of points");
  const Stretches found = look_up(source, destination, communicator, unwanted);
  return {.sends = legs(source, found.sends), .receives = legs(destination, found.receives)};
}

}  // namespace halocline::route
