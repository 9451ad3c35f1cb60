#include "halocline/workload/micro/edges.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

namespace halocline::workload {
namespace {

using Queues = std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>>;

std::vector<Edges> edges_of_all(const Edges::Shape& shape, std::size_t across) {
  std::vector<Edges> all;
  for (int rank = 0; rank < shape.grid.size(); ++rank) {
    all.emplace_back(shape, rank, across, Pages::as_system);
  }
  return all;
}

/// Carries all messages of all ranks, in order from each to each.
void exchange(std::vector<Edges>& edges) {
  Queues queues;
  const int ranks = static_cast<int>(edges.size());
  for (int rank = 0; rank < ranks; ++rank) {
    Edges& own = edges[static_cast<std::size_t>(rank)];
    for (const route::Leg& leg : own.route().sends) {
      std::vector<std::byte> message(bundle::packed_bytes(own.bundle(), leg.box));
      bundle::pack(own.bundle(), leg.box, message);
      queues[{rank, leg.peer}].push_back(std::move(message));
    }
  }
  for (int rank = 0; rank < ranks; ++rank) {
    Edges& own = edges[static_cast<std::size_t>(rank)];
    for (const route::Leg& leg : own.route().receives) {
      auto& queue = queues.at({leg.peer, rank});
      bundle::unpack(queue.front(), own.bundle(), leg.box);
      queue.pop_front();
    }
  }
}

void copy_corners(Edges& from, Edges& to, const Edges::Shape& shape) {
  std::vector<std::byte> corner(static_cast<std::size_t>(shape.width * shape.width) *
                                sizeof(Edges::Word));
  for (const int end : {0, 1}) {
    for (const int edge : {0, 1}) {
      bundle::pack(from.bundle(), from.corner(end, edge), corner);
      bundle::unpack(corner, to.bundle(), to.corner(end, edge));
    }
  }
}

class EdgesTest : public testing::TestWithParam<Edges::Shape> {};

TEST_P(EdgesTest, columns_then_corners_then_rows_fill_every_cell) {
  const Edges::Shape& shape = GetParam();
  std::vector<Edges> columns = edges_of_all(shape, 0);
  std::vector<Edges> rows = edges_of_all(shape, 1);
  for (const std::uint64_t seed : {1U, 2U}) {
    for (std::size_t rank = 0; rank < columns.size(); ++rank) {
      columns[rank].write(seed);
      rows[rank].write(seed);
      EXPECT_NE(columns[rank].difference(seed), std::nullopt);
      EXPECT_NE(rows[rank].difference(seed), std::nullopt);
    }
    exchange(columns);
    for (std::size_t rank = 0; rank < columns.size(); ++rank) {
      EXPECT_EQ(columns[rank].difference(seed), std::nullopt);
      copy_corners(columns[rank], rows[rank], shape);
    }
    exchange(rows);
    for (std::size_t rank = 0; rank < columns.size(); ++rank) {
      EXPECT_EQ(rows[rank].difference(seed), std::nullopt);
      EXPECT_NE(rows[rank].difference(seed + 1), std::nullopt);
    }
  }
}

TEST_P(EdgesTest, without_the_corners_the_rows_are_wrong) {
  const Edges::Shape& shape = GetParam();
  std::vector<Edges> rows = edges_of_all(shape, 1);
  for (Edges& each : rows) {
    each.write(3);
  }
  exchange(rows);
  for (const Edges& each : rows) {
    EXPECT_NE(each.difference(3), std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, EdgesTest,
    testing::Values(Edges::Shape{{{1, 1, 1, 1}}, 1, 1}, Edges::Shape{{{1, 1, 1, 1}}, 9, 2},
                    Edges::Shape{{{2, 1, 1, 1}}, 5, 1}, Edges::Shape{{{1, 2, 1, 1}}, 2, 2},
                    Edges::Shape{{{2, 2, 1, 1}}, 3, 2}, Edges::Shape{{{3, 2, 1, 1}}, 1, 1},
                    Edges::Shape{{{4, 4, 1, 1}}, 17, 2}),
    [](const auto& instance) {
      const Edges::Shape& shape = instance.param;
      return std::to_string(shape.grid.extent[0]) + "_by_" + std::to_string(shape.grid.extent[1]) +
             "_ranks_of_" + std::to_string(shape.tile) + "_words_width_" +
             std::to_string(shape.width);
    });

TEST(EdgesMessageTest, says_which_word_is_wrong) {
  Edges columns({.grid = {{1, 1, 1, 1}}, .tile = 8, .width = 1}, 0, 0, Pages::as_system);
  columns.write(7);
  const std::string wrong = columns.difference(7).value_or("nothing");
  EXPECT_EQ(wrong.rfind("rank 0 has the word at (-1, 0) as ", 0), 0U) << wrong;
}

}  // namespace
}  // namespace halocline::workload
