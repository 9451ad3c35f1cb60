#include "halocline/route/route_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Cuts;

class RouteFileTest : public testing::Test {
 protected:
  ~RouteFileTest() override {
    world_.barrier();
    if (world_.rank() == 0) {
      std::filesystem::remove(path_);
    }
  }

  Route own() const {
    const Blocks rows({Cuts::even({.lower = -3, .upper = 20}, 1),
                       Cuts::even({.lower = 0, .upper = 7}, world_.size())});
    const Blocks dealt({Cuts::cyclic({.lower = -3, .upper = 20}, 1, world_.size()),
                        Cuts::even({.lower = 0, .upper = 7}, 1)});
    return redistribution(rows, dealt, world_);
  }
  std::string problem(const auto& step) const {
    std::string words;
    try {
      step();
    } catch (const Error& error) {
      words = error.what();
    }
    EXPECT_EQ(words, world_.broadcast(words)) << "not the words of rank 0";
    return words;
  }
  /// What is wrong with the saved file once its bytes are changed.
  std::string problem_after(const auto& change) const {
    save(own(), path_, world_);
    if (world_.rank() == 0) {
      std::string bytes = read();
      change(bytes);
      std::ofstream(path_, std::ios::binary) << bytes;
    }
    world_.barrier();
    return problem([&] { load(path_, world_); });
  }
  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  std::string path_ =
      world_.broadcast(testing::TempDir() + "halocline-" + std::to_string(getpid()) + ".route");
  std::string damaged_ = "rank 0: the route file '" + path_ + "' is damaged: ";
  std::string mend_ = "; compute the route again and save it";
};

TEST_F(RouteFileTest, each_rank_gets_back_its_own_part) {
  save(own(), path_, world_);
  EXPECT_EQ(load(path_, world_), own());
  EXPECT_FALSE(std::filesystem::exists(path_ + ".unfinished"));
  world_.barrier();
  const Route nothing;
  save(nothing, path_, world_);
  EXPECT_EQ(load(path_, world_), nothing);
}

TEST_F(RouteFileTest, a_file_that_is_not_there_is_told) {
  EXPECT_EQ(problem([&] { load(path_, world_); }),
            "rank 0: the route file '" + path_ +
                "' cannot be read: No such file or directory; name one that is there");
}

TEST_F(RouteFileTest, a_folder_that_is_not_there_is_told) {
  EXPECT_EQ(problem([&] { save(own(), path_ + "/in", world_); }),
            "rank 0: the route file '" + path_ +
                "/in' cannot be written: No such file or directory; look whether its folder is "
                "there and the disk has room");
}

TEST_F(RouteFileTest, a_file_cut_anywhere_is_told) {
  for (const std::size_t left_out : {1U, 8U, 100U, 180U}) {
    EXPECT_EQ(problem_after([&](std::string& bytes) { bytes.resize(bytes.size() - left_out); }),
              damaged_ + "it ends too soon" + mend_);
  }
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes.resize(20); }),
            damaged_ + "it ends too soon" + mend_);
}

TEST_F(RouteFileTest, a_changed_byte_is_told) {
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes[bytes.size() - 9] ^= 1; }),
            damaged_ + "a checksum differs" + mend_);
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes += '\0'; }),
            damaged_ + "it goes on after its end" + mend_);
}

TEST_F(RouteFileTest, another_file_is_told) {
  const std::string expected =
      "rank 0: '" + path_ + "' is not a route file; give one that was saved as a route";
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes = "time,temperature\n1,2\n"; }), expected);
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes.clear(); }), expected);
}

TEST_F(RouteFileTest, a_file_of_another_number_of_ranks_is_told) {
  if (world_.size() == 1) {
    return;
  }
  if (const auto part = world_.split(world_.rank() == 0 ? 0 : -1)) {
    save({}, path_, *part);
  }
  world_.barrier();
  EXPECT_EQ(problem([&] { load(path_, world_); }),
            "rank 0: the route file '" + path_ + "' is of 1 ranks, the communicator has " +
                std::to_string(world_.size()) + "; both must be the same; compute the route again");
}

}  // namespace
}  // namespace halocline::route
