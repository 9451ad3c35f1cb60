#include <gtest/gtest.h>

#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/catalogue.hpp"

namespace halocline::workload {
namespace {

class HaloLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(const protocol::Protocol& protocol, int words,
                                              int width, int along_y) const {
    return find("halo").prepare(AxisValues({{"protocol", std::string{protocol.name}},
                                            {"words", std::to_string(words)},
                                            {"width", std::to_string(width)},
                                            {"grid_y", std::to_string(along_y)}}),
                                world_);
  }

  std::string reason(int words, int width, int along_y) const {
    try {
      prepare(protocol::find("isend_irecv"), words, width, along_y);
    } catch (const Skip& skip) {
      return skip.what();
    }
    return "";
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(HaloLoopTest, fills_every_ghost_cell_on_every_grid) {
  for (const protocol::Protocol* protocol : protocol::all()) {
    if (!protocol::missing(*protocol).empty()) {
      continue;
    }
    for (const int along_y : {0, 1, world_.size()}) {
      for (const int width : {1, 2}) {
        for (const int words : {2, 5, 1000}) {
          try {
            const auto loop = prepare(*protocol, words, width, along_y);
            EXPECT_EQ(loop->verify(1), std::nullopt) << protocol->name;
            loop->synchronise();
            loop->run(3);
            EXPECT_EQ(loop->verify(2), std::nullopt) << protocol->name;
          } catch (const Skip& skip) {
            EXPECT_STRNE(skip.what(), "") << protocol->name;
          }
        }
      }
    }
  }
}

TEST_F(HaloLoopTest, moves_the_edges_of_all_ranks_and_their_corners) {
  const auto loop = prepare(protocol::find("isend_irecv"), 100, 2, 1);
  const auto ranks = static_cast<std::size_t>(world_.size());
  const std::size_t columns = ranks > 1 ? 2 * 2 * 100 : 0;  // else the neighbours are oneself
  EXPECT_EQ(loop->moved_bytes(), ranks * columns * 4);
  EXPECT_EQ(loop->timed_ranks().size(), ranks);
  const auto upright = prepare(protocol::find("isend_irecv"), 100, 2, world_.size());
  const std::size_t rows = ranks > 1 ? 2 * 2 * (100 + 2 * 2) : 0;
  EXPECT_EQ(upright->moved_bytes(), ranks * rows * 4);
}

TEST_F(HaloLoopTest, what_goes_off_node_is_what_its_neighbours_there_get) {
  std::vector<int> node_of_rank;
  for (int rank = 0; rank < world_.size(); ++rank) {
    node_of_rank.push_back(rank / 2);
  }
  const auto loop = prepare(protocol::find("isend_irecv"), 100, 1, 1);
  std::size_t bytes = 0;
  for (const int step : {1, world_.size() - 1}) {
    const int neighbour = (world_.rank() + step) % world_.size();
    bytes += neighbour / 2 == world_.rank() / 2 ? 0 : 400;
  }
  EXPECT_EQ(loop->off_node_bytes(node_of_rank), bytes);
}

TEST_F(HaloLoopTest, what_does_not_fit_is_skipped_aloud) {
  EXPECT_EQ(reason(2, 2, 0), "");
  EXPECT_EQ(reason(1, 2, 0), "a halo of 2 rows around tiles of 1 rows; choose words=2 or more");
  const std::string ranks = std::to_string(world_.size());
  EXPECT_EQ(reason(8, 1, world_.size() + 1),
            ranks + " ranks do not fill a grid of " + std::to_string(world_.size() + 1) +
                " along y and 1 along z; choose extents whose product divides the number of ranks");
}

}  // namespace
}  // namespace halocline::workload
