#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <random>

#include "halocline/base/error.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/redistribution.hpp"
#include "support/grid_fields.hpp"
#include "support/layout_pairs.hpp"

namespace halocline::bundle {
namespace {

using test::LayoutPair;

/// Where ranks share cores each takes long, and with the number of messages.
int random_pairs(int ranks) { return ranks > 16 ? 8 : (ranks > 2 ? 30 : 150); }

/// Memory, options and protocol, drawn with the pair's seed: the same on all ranks.
class RandomWay {
 public:
  explicit RandomWay(std::uint64_t seed) : generator_(seed) {}

  test::Memory memory() {
    test::Memory memory{.ghosts = static_cast<layout::Index>(below(3))};
    std::ranges::shuffle(memory.order, generator_);
    return memory;
  }
  std::vector<std::size_t> element_bytes() {
    constexpr std::array<std::size_t, 5> sizes{1, 2, 4, 8, 16};
    std::vector<std::size_t> chosen(1 + below(3));
    std::ranges::generate(chosen, [&] { return sizes[below(sizes.size())]; });
    return chosen;
  }
  Way way() {
    constexpr std::array packings{Packing::rank, Packing::box, Packing::run};
    Way way{.protocol = protocol(),
            .packing = packings[below(packings.size())],
            .whole_bundle = below(2) == 0,
            .near = below(2) == 0 ? Near::shared : Near::messages,
            .threads = 1 + static_cast<int>(below(2))};
    return way;
  }
  bool node_memory() { return below(2) == 0; }

 private:
  std::size_t below(std::size_t end) { return generator_() % end; }

  const protocol::Protocol* protocol() {
    const auto all = protocol::all();
    const protocol::Protocol* const chosen = all[below(all.size())];
    return protocol::missing(*chosen).empty() ? chosen : nullptr;
  }

  std::mt19937_64 generator_;
};

std::size_t aligned_bytes(const layout::Blocks& layout, int rank, const test::Memory& memory,
                          const std::vector<std::size_t>& element_bytes) {
  constexpr std::size_t slack_bytes = 64;
  std::size_t bytes = 0;
  for (const layout::Part& part : layout.owned(rank)) {
    layout::Box extent = part.local;
    for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
      extent = extent.widened(dimension, memory.ghosts);
    }
    for (const std::size_t each : element_bytes) {
      bytes += static_cast<std::size_t>(extent.volume()) * each + slack_bytes;
    }
  }
  return bytes;
}

/// What goes wrong, the same words on all ranks.
std::string problem_of(const LayoutPair& pair, const mpi::Communicator& world) {
  RandomWay random(pair.seed);
  const layout::Blocks from = pair.source_layout();
  const layout::Blocks to = pair.destination_layout();
  const route::Region region = pair.region();
  const auto route = route::redistribution(from, to, world, region);
  const auto element_bytes = random.element_bytes();
  test::Memory at_source = random.memory();
  const test::Memory at_destination = random.memory();
  std::optional<NodeMemory> node;
  if (random.node_memory()) {
    at_source.node =
        &node.emplace(world, aligned_bytes(from, world.rank(), at_source, element_bytes));
  }
  test::GridFields source(from, world.rank(), element_bytes, at_source);
  test::GridFields destination(to, world.rank(), element_bytes, at_destination);
  test::Indices shift{};
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    shift[dimension] = region.destination.lower[dimension] - region.source.lower[dimension];
  }
  const auto wrong_by = [&](const Way& way) -> std::string {
    Redistribution redistribution(route, source.blocks(), destination.blocks(), way, world,
                                  at_source.node);
    for (const std::uint64_t seed : {pair.seed, pair.seed + 1}) {
      source.write(seed);
      destination.clear();
      redistribution.start();
      redistribution.finish();
      const std::size_t wrong = destination.wrong(seed, shift, region.destination);
      const std::uint64_t all_wrong = world.sum(wrong);
      if (all_wrong != 0) {
        return std::to_string(all_wrong) + " points are wrong";
      }
    }
    return "";
  };
  Way way = random.way();
  try {
    return wrong_by(way);
  } catch (const Skip& reason) {
    if (way.protocol == nullptr || way.protocol->unusable == nullptr) {
      return std::string{"skipped: "} + reason.what();
    }
  }
  way.protocol = nullptr;  // that one could not carry this route, and said so
  return wrong_by(way);
}

TEST(RandomPairsTest, every_way_moves_every_point_and_nothing_else) {
  const auto world = mpi::Communicator::world();
  const std::string problem =
      test::first_problem(1, random_pairs(world.size()), world.size(),
                          [&world](const LayoutPair& pair) { return problem_of(pair, world); });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace halocline::bundle
