#include "halocline/route/route_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include "halocline/base/checksum.hpp"
#include "halocline/base/error.hpp"
#include "halocline/route/redistribution.hpp"
#include "support/scratch.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Cuts;

class RouteFileTest : public testing::Test {
 protected:
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
  /// Changes a number of rank 0, and its section's checksum.
  static void change_number(std::string& bytes, std::size_t number, std::int64_t changed) {
    constexpr std::size_t word = sizeof(std::int64_t);
    const std::size_t begin = bytes.find('\n') + 1 + 4 * word;  // after the section of the head
    std::int64_t count = 0;
    std::memcpy(&count, bytes.data() + begin, word);
    std::memcpy(bytes.data() + begin + (2 + number) * word, &changed, word);
    Crc32 sum;
    sum.add({bytes.data() + begin, word});
    sum.add({bytes.data() + begin + 2 * word, static_cast<std::size_t>(count) * word});
    const std::uint64_t checksum = sum.value();
    std::memcpy(bytes.data() + begin + word, &checksum, word);
  }
  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  test::Scratch scratch_{world_};
  std::string path_ = (scratch_ / "saved.route").string();
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

TEST_F(RouteFileTest, a_file_that_is_not_there_is_reported) {
  EXPECT_EQ(problem([&] { load(path_, world_); }),
            "rank 0: the route file '" + path_ +
                "' cannot be read: No such file or directory; name an existing, readable "
                "file");
}

TEST_F(RouteFileTest, a_file_that_does_not_open_is_reported) {
  save(own(), path_, world_);
  rlimit former{};
  getrlimit(RLIMIT_NOFILE, &former);
  if (world_.rank() == 0) {  // even for root, who may read all files
    const rlimit none{.rlim_cur = 0, .rlim_max = former.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  const std::string words = problem([&] { load(path_, world_); });
  setrlimit(RLIMIT_NOFILE, &former);
  EXPECT_EQ(words, "rank 0: the route file '" + path_ +
                       "' cannot be read: Too many open files; name an existing, readable "
                       "file");
}

TEST_F(RouteFileTest, a_full_disk_is_reported) {
  if (world_.rank() == 0) {
    std::filesystem::create_symlink("/dev/full", path_ + ".unfinished");
  }
  EXPECT_EQ(problem([&] { save(own(), path_, world_); }),
            "rank 0: the route file '" + path_ +
                "' cannot be written: No space left on device; check that its folder exists "
                "and the disk has space");
  EXPECT_FALSE(std::filesystem::is_symlink(path_ + ".unfinished")) << "takes what room there is";
}

TEST_F(RouteFileTest, a_folder_that_is_not_there_is_reported) {
  EXPECT_EQ(problem([&] { save(own(), path_ + "/in", world_); }),
            "rank 0: the route file '" + path_ +
                "/in' cannot be written: No such file or directory; check that its folder "
                "exists and the disk has space");
}

TEST_F(RouteFileTest, a_file_cut_anywhere_is_reported) {
  for (const std::size_t left_out : {1U, 8U, 100U, 180U}) {
    EXPECT_EQ(problem_after([&](std::string& bytes) { bytes.resize(bytes.size() - left_out); }),
              damaged_ + "it ends too soon" + mend_);
  }
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes.resize(20); }),
            damaged_ + "it ends too soon" + mend_);
}

TEST_F(RouteFileTest, a_changed_byte_is_reported) {
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes[bytes.size() - 9] ^= 1; }),
            damaged_ + "a checksum differs" + mend_);
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes += '\0'; }),
            damaged_ + "it has content after its end" + mend_);
}

TEST_F(RouteFileTest, numbers_that_are_no_route_are_reported) {
  // The number of legs that rank 0 sends, a peer, the lower bound of a box: each with its checksum.
  for (const std::size_t number : {0U, 1U, 3U}) {
    for (const std::int64_t wrong : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
      if (number == 3 && wrong < 0) {
        continue;
      }
      EXPECT_EQ(problem_after([&](std::string& bytes) { change_number(bytes, number, wrong); }),
                damaged_ + "its numbers are not those of a route" + mend_);
    }
  }
}

TEST_F(RouteFileTest, whatever_is_changed_ends_in_one_line) {
  std::mt19937_64 random(static_cast<std::uint64_t>(world_.size()));
  const char* const asked = std::getenv("HALOCLINE_FUZZ");
  for (int inputs = asked != nullptr ? std::atoi(asked) : 40; inputs > 0; --inputs) {
    const std::string words = problem_after([&random](std::string& bytes) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
      bytes.resize(random() % 4 == 0 ? random() % bytes.size() : bytes.size());
    });
    EXPECT_NE(words, "");
    EXPECT_EQ(words.find('\n'), std::string::npos) << words;
  }
}

TEST_F(RouteFileTest, another_file_is_reported) {
  const std::string expected =
      "rank 0: '" + path_ + "' is not a route file; give one that was saved as a route";
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes = "time,temperature\n1,2\n"; }), expected);
  EXPECT_EQ(problem_after([](std::string& bytes) { bytes.clear(); }), expected);
}

TEST_F(RouteFileTest, a_file_of_another_number_of_ranks_is_reported) {
  if (world_.size() == 1) {
    return;
  }
  if (const auto part = world_.split(world_.rank() == 0 ? 0 : -1)) {
    save({}, path_, *part);
  }
  world_.barrier();
  EXPECT_EQ(problem([&] { load(path_, world_); }),
            "rank 0: the route file '" + path_ + "' is of 1 rank, the communicator has " +
                std::to_string(world_.size()) + "; both must be the same; compute the route again");
}

}  // namespace
}  // namespace halocline::route
