#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <random>

#include "halocline/base/error.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "support/draws.hpp"
#include "support/random_halos.hpp"

namespace halocline::bundle {
namespace {

using layout::Index;
using layout::max_dimensions;
using test::RandomHalo;

std::uint64_t halos_on(int ranks) {
  const std::uint64_t affordable = ranks > 16 ? 8 : (ranks > 2 ? 30 : 150);
  return test::drawn_at_random(affordable);
}

/// A field as it is drawn: its elements, its levels behind the layout's dimensions, its order.
struct Shape {
  std::size_t element_bytes;
  Index levels;
  std::array<std::size_t, max_dimensions> order;  // contiguous first
};

/// Options and fields, drawn with the halo's seed: the same on all ranks.
class Drawn {
 public:
  explicit Drawn(const RandomHalo& halo) : generator_(halo.seed) {
    constexpr std::array<std::size_t, 5> sizes{1, 2, 4, 8, 16};
    shapes_.resize(1 + below(3));
    for (Shape& shape : shapes_) {
      shape = {.element_bytes = sizes[below(sizes.size())],
               .levels = halo.dimensions < max_dimensions ? 1 + static_cast<Index>(below(3)) : 1,
               .order = {0, 1, 2, 3}};
      std::ranges::shuffle(shape.order, generator_);
    }
    node_memory_ = below(2) == 0;
    const auto all = protocol::all();
    const protocol::Protocol* const chosen = all[below(all.size())];
    constexpr std::array packings{Packing::rank, Packing::box, Packing::run};
    way_ = {.protocol = protocol::missing(*chosen).empty() ? chosen : nullptr,
            .packing = packings[below(packings.size())],
            .whole_bundle = below(2) == 0,
            .near = below(2) == 0 ? Near::shared : Near::messages,
            .threads = 1 + static_cast<int>(below(2))};
  }

  const std::vector<Shape>& shapes() const { return shapes_; }
  bool node_memory() const { return node_memory_; }
  const Way& way() const { return way_; }
  std::string text() const {
    constexpr std::array packings{"rank", "box", "run"};
    return std::string{way_.protocol == nullptr ? "default" : way_.protocol->name} +
           ", packing=" + packings.at(static_cast<std::size_t>(way_.packing)) +
           (way_.whole_bundle ? ", whole" : ", field by field") +
           (way_.near == Near::shared ? ", shared" : ", messages") + ", " +
           std::to_string(way_.threads) + " threads" + (node_memory_ ? ", library's memory" : "");
  }

 private:
  std::size_t below(std::size_t end) { return generator_() % end; }

  std::mt19937_64 generator_;
  std::vector<Shape> shapes_;
  bool node_memory_ = false;
  Way way_;
};

/// The fields of a rank's blocks, and what each of their cells must hold.
class HaloFields {
 public:
  HaloFields(const RandomHalo& halo, const std::vector<Shape>& shapes,
             const std::vector<int>& places)
      : halo_(halo), shapes_(shapes), places_(places) {}

  std::size_t size_bytes() const {
    std::size_t bytes = 0;
    for (const int place : places_) {
      for (const Shape& shape : shapes_) {
        bytes += padded(shape, extent(place, shape));
      }
    }
    return bytes;
  }

  void put_at(std::byte* next) {
    for (const int place : places_) {
      Bundle& bundle = blocks_.emplace_back();
      for (const Shape& shape : shapes_) {
        const layout::Box box = extent(place, shape);
        Field field{.data = next, .element_bytes = shape.element_bytes, .extent = box};
        auto stride = static_cast<std::ptrdiff_t>(shape.element_bytes);
        for (const std::size_t dimension : shape.order) {
          field.stride_bytes[dimension] = stride;
          stride *= box.extent(dimension);
        }
        bundle.push_back(field);
        next += padded(shape, box);
      }
    }
  }

  const Blocks& blocks() const { return blocks_; }

  void write(std::uint64_t round) const {
    each_cell([&](int place, std::size_t number, const RandomHalo::Cell& cell, std::byte* at) {
      const bool own = halo_.owns(place, grid_cell(cell));
      const Element element = own ? value(place, number, cell, round) : ghost();
      std::memcpy(at, element.data(), shapes_[number].element_bytes);
    });
  }

  std::uint64_t wrong(std::uint64_t round) const {
    std::uint64_t wrong = 0;
    each_cell([&](int place, std::size_t number, const RandomHalo::Cell& cell, std::byte* at) {
      const Element expected = value(place, number, cell, round);
      wrong += std::memcmp(at, expected.data(), shapes_[number].element_bytes) == 0 ? 0U : 1U;
    });
    return wrong;
  }

 private:
  static constexpr std::size_t largest_bytes = 16;
  using Element = std::array<std::byte, largest_bytes>;

  layout::Box extent(int place, const Shape& shape) const {
    layout::Box box = halo_.with_ghosts(place);
    if (halo_.dimensions < max_dimensions) {
      box = box.with(halo_.dimensions, 0, shape.levels);
    }
    return box;
  }
  static std::size_t padded(const Shape& shape, const layout::Box& box) {
    constexpr std::size_t line = 64;
    return (static_cast<std::size_t>(box.volume()) * shape.element_bytes / line + 1) * line;
  }
  RandomHalo::Cell grid_cell(RandomHalo::Cell cell) const {
    for (std::size_t dimension = halo_.dimensions; dimension < max_dimensions; ++dimension) {
      cell[dimension] = 0;
    }
    return cell;
  }
  static Element ghost() {
    Element element;
    element.fill(std::byte{0xEE});
    return element;
  }
  Element value(int place, std::size_t field, const RandomHalo::Cell& cell,
                std::uint64_t round) const {
    const auto number = halo_.number(place, grid_cell(cell));
    if (!number) {
      return ghost();
    }
    const Index level = halo_.dimensions < max_dimensions ? cell[halo_.dimensions] : 0;
    std::mt19937_64 generator(static_cast<std::uint64_t>((*number * 8 + level) * 4) + field +
                              (round << 32U));
    Element element;
    for (std::size_t half = 0; half < 2; ++half) {
      const std::uint64_t drawn = generator();
      std::memcpy(element.data() + half * sizeof drawn, &drawn, sizeof drawn);
    }
    return element;
  }
  template <class Visit>
  void each_cell(Visit visit) const {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (std::size_t number = 0; number < shapes_.size(); ++number) {
        const Field& field = blocks_[block][number];
        const layout::Box& box = field.extent;
        for (Index at = 0; at < box.volume(); ++at) {
          RandomHalo::Cell cell{};
          std::byte* address = field.data;
          Index rest = at;
          for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
            const Index step = rest % box.extent(dimension);
            cell[dimension] = box.lower[dimension] + step;
            address += step * field.stride_bytes[dimension];
            rest /= box.extent(dimension);
          }
          visit(places_[block], number, cell, address);
        }
      }
    }
  }

  const RandomHalo& halo_;
  const std::vector<Shape>& shapes_;
  std::vector<int> places_;
  Blocks blocks_;
};

/// What goes wrong, the same words on all ranks.
std::string problem_of_halo(const RandomHalo& random, const mpi::Communicator& world) {
  const Drawn drawn(random);
  const layout::Blocks layout = random.layout();
  const auto route = route::halo(layout, random.halo, world);
  HaloFields fields(random, drawn.shapes(), layout.places_of(world.rank()));
  std::optional<NodeMemory> node;
  std::vector<std::byte> own;
  if (drawn.node_memory()) {
    fields.put_at(node.emplace(world, fields.size_bytes()).own().data());
  } else {
    own.resize(fields.size_bytes());
    fields.put_at(own.data());
  }
  try {
    Redistribution halo(route, fields.blocks(), fields.blocks(), drawn.way(), world,
                        node ? &*node : nullptr);
    for (const std::uint64_t round : {random.seed, random.seed + 1}) {
      fields.write(round);
      halo.start();
      halo.finish();
      if (const std::uint64_t wrong = world.sum(fields.wrong(round)); wrong != 0) {
        return std::to_string(wrong) + " cells are wrong with " + drawn.text();
      }
    }
  } catch (const Skip&) {  // this protocol cannot carry this route here, and says so
  }
  return "";
}

TEST(RandomHalosTest, every_way_fills_every_ghost_cell_and_nothing_else) {
  const auto world = mpi::Communicator::world();
  for (std::uint64_t seed = 1; seed <= halos_on(world.size()); ++seed) {
    const RandomHalo random(seed, world.size());
    ASSERT_EQ(problem_of_halo(random, world), "") << random.text();
  }
}

TEST(RandomHalosTest, fields_with_other_levels_on_another_rank_are_reported) {
  const auto world = mpi::Communicator::world();
  if (world.size() == 1) {
    return;  // there is no other rank
  }
  const layout::Blocks layout({layout::Cuts::even({.lower = 0, .upper = 8}, world.size())});
  const route::Halo one{.below = {1, 0, 0, 0}, .above = {1, 0, 0, 0}};
  const auto route = route::halo(layout, one, world);
  std::vector<double> values(64);
  const Index levels = world.rank() == 0 ? 3 : 2;
  const Blocks fields{{{.data = reinterpret_cast<std::byte*>(values.data()),
                        .element_bytes = sizeof(double),
                        .extent = layout.local(world.rank()).widened(0, 1).with(1, 0, levels)}}};
  try {
    const Redistribution halo(route, fields, fields, {}, world);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("fields with the same number of levels"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace halocline::bundle
