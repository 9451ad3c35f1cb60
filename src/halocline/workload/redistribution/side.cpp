#include "halocline/workload/redistribution/side.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace halocline::workload {
namespace {

std::vector<layout::Index> owned_along(const layout::Cuts& cuts, int place) {
  std::vector<layout::Index> indices;
  cuts.owned_in(place, cuts.whole(), [&indices](const layout::Piece& piece) {
    for (layout::Index index = piece.indices.lower; index < piece.indices.upper; ++index) {
      indices.push_back(index);
    }
  });
  return indices;
}

}  // namespace

Side::Side(const layout::Blocks& layout, int rank, std::size_t fields) : fields_(fields) {
  const layout::Part part = layout.owned(rank).front();
  const auto place = layout.parts().place(part.place);
  extent_ = part.local;
  points_ = BlockPoints{.x = owned_along(layout.cuts(0), place[0]),
                        .y = owned_along(layout.cuts(1), place[1]),
                        .extent_z = part.local.extent(2)};
}

Side::Side(ListedPoints points, std::size_t fields)
    : points_(std::move(points)),
      extent_(layout::Box::line(static_cast<layout::Index>(this->points()))),
      fields_(fields) {}

std::size_t Side::points() const {
  return std::visit([](const auto& points) { return points.size(); }, points_);
}

std::size_t Side::bytes() const { return fields_ * points() * element_bytes; }

std::span<double> Side::values(std::size_t field) const {
  return {reinterpret_cast<double*>(memory_.data()) + field * points(), points()};
}

bundle::Blocks Side::blocks() const {
  bundle::Bundle bundle;
  for (std::size_t field = 0; field < fields_; ++field) {
    bundle.push_back({.data = memory_.data() + field * points() * element_bytes,
                      .element_bytes = element_bytes,
                      .extent = extent_});
  }
  return {bundle};
}

void Side::write(const layout::Box& grid, std::uint64_t seed) {
  for (std::size_t field = 0; field < fields_; ++field) {
    const Waves waves(grid, field, seed);
    std::visit([&](const auto& points) { workload::write(waves, points, values(field)); }, points_);
  }
}

void Side::spoil() { std::ranges::fill(memory_, std::byte{0xff}); }

std::optional<std::string> Side::difference(const layout::Box& grid, std::uint64_t seed) const {
  for (std::size_t field = 0; field < fields_; ++field) {
    const Waves waves(grid, field, seed);
    const auto wrong = std::visit(
        [&](const auto& points) { return workload::difference(waves, points, values(field)); },
        points_);
    if (wrong) {
      return "field " + std::to_string(field) + ": " + *wrong;
    }
  }
  return std::nullopt;
}

}  // namespace halocline::workload
