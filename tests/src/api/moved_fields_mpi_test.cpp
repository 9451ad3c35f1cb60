// Fields that the C interface moves, every packing x bundle x near x memory, beside an oracle that
// shares no code with it: it walks the points of the grid, one by one.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "halocline/api/halocline.h"
#include "halocline/protocol/catalogue.hpp"
#include "support/draws.hpp"

namespace {

constexpr int dimensions = 3;
constexpr std::array<int, 3> field_types{halocline_real8, halocline_integer4, halocline_integer1};
constexpr std::array<std::size_t, 3> field_bytes{8, 4, 1};
constexpr auto ghost_byte = static_cast<unsigned char>(0xab);
constexpr std::size_t aligned_bytes = 64;

using Place = std::array<int64_t, dimensions>;
using halocline::test::drawn_at_random;

/// How one dimension is cut, and what the cut says of an index.
struct OracleCut {
  int parts = 1;
  int64_t block = 0;            // dealt in turn in blocks of so many
  std::vector<int64_t> points;  // where it is not dealt

  int part_of(int64_t index) const {
    if (block > 0) {
      return static_cast<int>(index / block % parts);
    }
    int part = 0;
    while (index >= points[static_cast<std::size_t>(part) + 1]) {
      ++part;
    }
    return part;
  }
};

/// One side's layout, drawn; the same on all ranks.
struct OracleLayout {
  std::array<OracleCut, dimensions> cuts;
  std::vector<int> owners;

  std::size_t part_of(const Place& point) const {
    std::size_t part = 0;
    for (std::size_t dimension = dimensions; dimension-- > 0;) {
      part = part * static_cast<std::size_t>(cuts[dimension].parts) +
             static_cast<std::size_t>(cuts[dimension].part_of(point[dimension]));
    }
    return part;
  }
};

OracleLayout drawn_layout(std::mt19937_64& random, const Place& extents, int ranks) {
  OracleLayout layout;
  std::size_t parts = 1;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    OracleCut& cut = layout.cuts[dimension];
    cut.parts = 1 + static_cast<int>(random() % 3);
    if (random() % 3 == 0) {
      cut.block = 1 + static_cast<int64_t>(random() % 3);
    } else {
      cut.points = {0, extents[dimension]};
      while (cut.points.size() <= static_cast<std::size_t>(cut.parts)) {
        cut.points.push_back(
            static_cast<int64_t>(random() % (static_cast<std::uint64_t>(extents[dimension]) + 1)));
      }
      std::ranges::sort(cut.points);
    }
    parts *= static_cast<std::size_t>(cut.parts);
  }
  for (std::size_t part = 0; part < parts; ++part) {
    layout.owners.push_back(static_cast<int>(random() % static_cast<std::uint64_t>(ranks)));
  }
  if (parts > 1) {  // so that an owner taken for another one shows
    layout.owners[1] = (layout.owners[0] + 1) % ranks;
  }
  return layout;
}

halocline_layout made_layout(const OracleLayout& drawn, const Place& extents) {
  std::array<halocline_dimension, dimensions> described{};
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    const OracleCut& cut = drawn.cuts[dimension];
    described[dimension] = {0, extents[dimension], cut.parts, cut.block,
                            cut.block > 0 ? nullptr : cut.points.data()};
  }
  halocline_layout layout = nullptr;
  EXPECT_EQ(halocline_layout_create_owned(dimensions, described.data(),
                                          static_cast<int>(drawn.owners.size()),
                                          drawn.owners.data(), &layout),
            halocline_ok)
      << halocline_error_message();
  return layout;
}

/// The byte of a value: another one for each point, field, byte and seed.
unsigned char value_byte(const Place& point, std::size_t field, std::size_t byte, unsigned seed) {
  std::uint64_t mixed = seed;
  for (const std::int64_t number :
       {point[0], point[1], point[2], static_cast<int64_t>(field), static_cast<int64_t>(byte)}) {
    mixed = (mixed ^ static_cast<std::uint64_t>(number + 1)) * 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 29U;
  }
  return static_cast<unsigned char>(mixed >> 7U);
}

/// This rank's blocks on one side: arrays with a ghost cell on each end of each dimension.
class OracleArrays {
 public:
  OracleArrays(const OracleLayout& layout, const Place& extents, int rank) {
    std::map<std::size_t, std::vector<Place>> points_of;
    for (std::size_t part = 0; part < layout.owners.size(); ++part) {
      if (layout.owners[part] == rank) {
        points_of[part];
      }
    }
    Place point{};
    for (point[2] = 0; point[2] < extents[2]; ++point[2]) {
      for (point[1] = 0; point[1] < extents[1]; ++point[1]) {
        for (point[0] = 0; point[0] < extents[0]; ++point[0]) {
          if (const auto found = points_of.find(layout.part_of(point)); found != points_of.end()) {
            found->second.push_back(point);
          }
        }
      }
    }
    for (const auto& [part, points] : points_of) {
      blocks_.push_back(block_of(points));
    }
    for (Block& block : blocks_) {
      for (std::size_t field = 0; field < field_bytes.size(); ++field) {
        block.begins[field] = bytes_;
        bytes_ +=
            (block.cells * field_bytes[field] + aligned_bytes) / aligned_bytes * aligned_bytes;
      }
    }
  }

  std::size_t bytes() const { return bytes_; }
  int blocks() const { return static_cast<int>(blocks_.size()); }

  void lie_at(unsigned char* memory) { memory_ = memory; }

  std::vector<halocline_field> fields() const {
    std::vector<halocline_field> described;
    for (const Block& block : blocks_) {
      for (std::size_t field = 0; field < field_bytes.size(); ++field) {
        halocline_field next{};
        next.data = memory_ + block.begins[field];
        next.type = static_cast<halocline_type>(field_types[field]);
        for (std::size_t dimension = 0; dimension < HALOCLINE_DIMENSIONS; ++dimension) {
          next.lower[dimension] = dimension < dimensions ? block.lower[dimension] - 1 : 0;
          next.upper[dimension] =
              dimension < dimensions ? next.lower[dimension] + block.width[dimension] : 1;
        }
        described.push_back(next);
      }
    }
    return described;
  }

  void clear() { std::memset(memory_, ghost_byte, bytes_); }

  void write(unsigned seed) {
    clear();
    for_each_byte(seed, [](unsigned char& there, unsigned char expected) { there = expected; });
  }

  /// Bytes that are not what they should be, ghost cells among them.
  int64_t wrong(unsigned seed) const {
    std::vector<unsigned char> expected(bytes_, ghost_byte);
    const_cast<OracleArrays*>(this)->for_each_byte(
        seed, [&](const unsigned char& there, unsigned char value) {
          expected[static_cast<std::size_t>(&there - memory_)] = value;
        });
    int64_t count = 0;
    for (std::size_t byte = 0; byte < bytes_; ++byte) {
      count += memory_[byte] == expected[byte] ? 0 : 1;
    }
    return count;
  }

 private:
  struct Block {
    std::vector<Place> points;  // the first dimension fastest
    Place lower;                // of the local indices: those of the grid's first index
    Place width;                // with ghost cells
    std::size_t cells;
    std::array<std::size_t, field_bytes.size()> begins;
  };

  /// Dealt indices are kept one after the other from the first on: all that counts is their order.
  static Block block_of(const std::vector<Place>& points) {
    Block block{.points = points, .lower = {}, .width = {}, .cells = 1, .begins = {}};
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      std::vector<int64_t> indices;
      for (const Place& point : points) {
        indices.push_back(point[dimension]);
      }
      std::ranges::sort(indices);
      const auto again = std::ranges::unique(indices);
      indices.erase(again.begin(), again.end());
      block.lower[dimension] = indices.empty() ? 0 : indices.front();
      block.width[dimension] = static_cast<int64_t>(indices.size()) + 2;
      block.cells *= static_cast<std::size_t>(block.width[dimension]);
    }
    return block;
  }

  template <class Visit>
  void for_each_byte(unsigned seed, Visit visit) {
    for (const Block& block : blocks_) {
      std::size_t number = 0;
      const std::size_t along_x = static_cast<std::size_t>(block.width[0]) - 2;
      const std::size_t along_y = static_cast<std::size_t>(block.width[1]) - 2;
      for (const Place& point : block.points) {
        const std::size_t x = number % along_x + 1;
        const std::size_t y = number / along_x % along_y + 1;
        const std::size_t z = number / along_x / along_y + 1;
        ++number;
        const std::size_t cell = (z * static_cast<std::size_t>(block.width[1]) + y) *
                                     static_cast<std::size_t>(block.width[0]) +
                                 x;
        for (std::size_t field = 0; field < field_bytes.size(); ++field) {
          for (std::size_t byte = 0; byte < field_bytes[field]; ++byte) {
            visit(memory_[block.begins[field] + cell * field_bytes[field] + byte],
                  value_byte(point, field, byte, seed));
          }
        }
      }
    }
  }

  std::vector<Block> blocks_;
  std::size_t bytes_ = 0;
  unsigned char* memory_ = nullptr;
};

enum class Whose { program, library, adopted };

/// A trial's choice of everything, in words for the one that fails.
struct Combination {
  halocline_way way;
  Whose memory;
  std::string text;
};

std::vector<Combination> combinations() {
  constexpr std::array packing_names{"rank", "box", "run"};
  constexpr std::array memory_names{"program", "library", "adopted"};
  std::vector<Combination> all;
  for (int packing = 0; packing < 3; ++packing) {
    for (const int field_by_field : {0, 1}) {
      for (const int messages_only : {0, 1}) {
        for (int memory = 0; memory < 3; ++memory) {
          Combination next{};
          next.way.packing = static_cast<halocline_packing>(packing);
          next.way.field_by_field = field_by_field;
          next.way.messages_only = messages_only;
          next.way.stores = static_cast<halocline_stores>(all.size() % 3);
          next.memory = static_cast<Whose>(memory);
          next.text = std::string{"packing "} + packing_names[static_cast<std::size_t>(packing)] +
                      (field_by_field != 0 ? ", field by field" : ", whole bundle") +
                      (messages_only != 0 ? ", messages" : ", shared") + ", memory of the " +
                      memory_names[static_cast<std::size_t>(memory)];
          all.push_back(next);
        }
      }
    }
  }
  return all;
}

/// Both sides of a grid, and the route between them.
class Trial {
 public:
  Trial(std::uint64_t seed, int rank, int ranks) {
    std::mt19937_64 random(seed);
    const Place extents{2 + static_cast<int64_t>(random() % 9),
                        2 + static_cast<int64_t>(random() % 7),
                        1 + static_cast<int64_t>(random() % 4)};
    const OracleLayout from = drawn_layout(random, extents, ranks);
    const OracleLayout to = drawn_layout(random, extents, ranks);
    source_.emplace_back(from, extents, rank);
    destination_.emplace_back(to, extents, rank);
    halocline_layout source = made_layout(from, extents);
    halocline_layout destination = made_layout(to, extents);
    EXPECT_EQ(halocline_route_create(source, destination, MPI_COMM_WORLD, &route_), halocline_ok)
        << halocline_error_message();
    halocline_layout_free(&source);
    halocline_layout_free(&destination);
  }
  ~Trial() { halocline_route_free(&route_); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// What is wrong, "" if nothing is; "skipped" where the library says that it cannot.
  std::string moved(const Combination& combination) {
    OracleArrays& source = source_.front();
    OracleArrays& destination = destination_.front();
    const std::size_t bytes = source.bytes() + destination.bytes() + 1;
    std::vector<unsigned char> own(bytes + 2 * 4096);
    void* memory_begins = own.data();
    halocline_memory memory = nullptr;
    int status = halocline_ok;
    if (combination.memory == Whose::library) {
      status = halocline_memory_create(MPI_COMM_WORLD, bytes, &memory);
      if (status == halocline_ok) {
        status = halocline_memory_address(memory, &memory_begins);
      }
    } else if (combination.memory == Whose::adopted) {
      const std::size_t adopted = own.size();
      status = halocline_memory_adopt(MPI_COMM_WORLD, 1, &memory_begins, &adopted, &memory);
    }
    if (status != halocline_ok) {
      return halocline_error_message();
    }
    source.lie_at(static_cast<unsigned char*>(memory_begins));
    destination.lie_at(static_cast<unsigned char*>(memory_begins) + source.bytes());
    const auto from = source.fields();
    const auto to = destination.fields();
    halocline_redistribution redistribution = nullptr;
    status = halocline_redistribution_create(
        route_, MPI_COMM_WORLD, static_cast<int>(field_bytes.size()), source.blocks(), from.data(),
        destination.blocks(), to.data(), &combination.way, memory, &redistribution);
    std::string problem;
    if (status != halocline_ok) {
      problem = status == halocline_impossible ? "skipped" : halocline_error_message();
    }
    for (unsigned seed = 1; status == halocline_ok && problem.empty() && seed <= 2; ++seed) {
      source.write(seed);
      destination.clear();
      MPI_Barrier(MPI_COMM_WORLD);  // the source is there before anybody copies
      if (halocline_redistribution_run(redistribution) != halocline_ok) {
        problem = halocline_error_message();
      }
      int64_t wrong = destination.wrong(seed) + source.wrong(seed);
      MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      if (wrong != 0) {
        problem = std::to_string(wrong) + " bytes are wrong";
      }
    }
    if (redistribution != nullptr) {
      halocline_redistribution_free(&redistribution);
    }
    if (memory != nullptr) {
      halocline_memory_free(&memory);
    }
    return problem;
  }

 private:
  std::vector<OracleArrays> source_;
  std::vector<OracleArrays> destination_;
  halocline_route route_ = nullptr;
};

TEST(MovedFieldsTest, every_packing_bundle_near_and_memory_moves_every_byte) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::uint64_t trials = drawn_at_random(ranks > 2 ? 2 : 3);
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    Trial trial(seed, rank, ranks);
    for (const Combination& combination : combinations()) {
      EXPECT_EQ(trial.moved(combination), "") << "seed " << seed << ", " << combination.text;
    }
  }
}

TEST(MovedFieldsTest, every_protocol_that_the_library_has_moves_every_byte) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Trial trial(7, rank, ranks);
  for (const halocline::protocol::Protocol* protocol : halocline::protocol::all()) {
    if (!halocline::protocol::missing(*protocol).empty()) {
      continue;
    }
    const std::string name{protocol->name};
    Combination combination{};
    combination.way.protocol = name.c_str();
    combination.way.messages_only = 1;
    const std::string problem = trial.moved(combination);
    // Only one that may be unusable for some messages may decline.
    EXPECT_TRUE(problem.empty() || (problem == "skipped" && protocol->unusable != nullptr))
        << name << ": " << problem;
  }
}

}  // namespace
