#include "halocline/base/netcdf.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <random>

#include "halocline/base/error.hpp"
#include "support/damage.hpp"
#include "support/scratch.hpp"

namespace halocline {
namespace {

class NetcdfTest : public testing::Test {
 protected:
  static NetcdfContent content(std::size_t columns) {
    NetcdfContent content;
    content.attribute("title", "a test");
    const std::size_t rows = content.dimension("row", 2);
    const std::size_t column = content.dimension("column", columns);
    content.add("day", {});
    content.add("height", {rows, column}, {{"units", "m"}});
    content.add_checksums();
    return content;
  }

  void write(double day, const std::vector<double>& heights) const {
    NetcdfWriter file(content(heights.size() / 2), path_);
    file.write({&day, 1});
    file.write(heights);
    file.finish();
  }

  struct Read {
    double day = 0;
    std::vector<double> heights;
  };
  Read read(std::size_t columns) const {
    Read numbers{.heights = std::vector<double>(2 * columns)};
    NetcdfReader file(content(columns), path_, "choose another");
    file.read({&numbers.day, 1});
    file.read(numbers.heights);
    return numbers;
  }

  static std::string problem(const std::function<void()>& step) {
    try {
      step();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string refusal(std::size_t columns) const {
    return problem([&] { read(columns); });
  }

  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  test::Scratch scratch_;
  std::filesystem::path path_ = scratch_ / "folder" / "test.nc";  // the writer makes the folder
  std::filesystem::path under_way_ = path_.string() + ".part";
  std::vector<double> heights_{0, -1e-300, 3, 4, 5, 1e300};
};

TEST_F(NetcdfTest, reads_what_it_has_written) {
  write(2.5, heights_);
  const Read numbers = read(3);
  EXPECT_EQ(numbers.day, 2.5);
  EXPECT_EQ(numbers.heights, heights_);
  EXPECT_EQ(std::filesystem::file_size(path_), content(3).bytes());
}

TEST_F(NetcdfTest, reads_long_variables_too) {
  std::vector<double> heights(50'000);
  for (std::size_t at = 0; at < heights.size(); ++at) {
    heights[at] = 1.0 / static_cast<double>(at + 1);
  }
  write(1, heights);
  EXPECT_EQ(read(heights.size() / 2).heights, heights);
}

TEST_F(NetcdfTest, begins_as_the_format_says) {
  write(0, heights_);
  const std::string begin = bytes();
  EXPECT_EQ(begin.substr(0, 4), std::string("CDF\x02", 4));
  // No records; then a list of three dimensions, the first named "row" of length 2.
  const std::string list("\0\0\0\0\0\0\0\x0a\0\0\0\x03\0\0\0\x03row\0\0\0\0\x02", 24);
  EXPECT_EQ(begin.substr(4, list.size()), list);
}

TEST_F(NetcdfTest, refuses_other_grids_and_files_cut_short) {
  write(0, heights_);
  const std::string path = path_.string();
  EXPECT_EQ(refusal(4), path +
                            " holds other fields or another grid: its dimension column differs; "
                            "choose another");
  const std::uintmax_t size = std::filesystem::file_size(path_);
  for (const std::uintmax_t other : {size - 1, size + 1}) {
    std::filesystem::resize_file(path_, other);
    EXPECT_EQ(refusal(3), path + " is damaged: it has " + std::to_string(other) +
                              " bytes instead of " + std::to_string(size) + "; choose another");
    std::filesystem::resize_file(path_, size);
  }
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(3), "cannot read " + path + ": No such file or directory; choose another");
  std::filesystem::create_directory(path_);
  EXPECT_NE(refusal(3).find(path), std::string::npos);
  std::filesystem::remove(path_);
}

TEST_F(NetcdfTest, refuses_what_no_model_has_written) {
  heights_[4] = std::numeric_limits<double>::quiet_NaN();
  write(0, heights_);
  EXPECT_EQ(refusal(3),
            path_.string() + " is damaged: a value of height is not finite; choose another");
}

/// HALOCLINE_FUZZ=20000 tries as many.
TEST_F(NetcdfTest, refuses_every_damaged_file) {
  write(2.5, heights_);
  const std::string sound = bytes();
  const char* const asked = std::getenv("HALOCLINE_FUZZ");
  const int inputs = asked != nullptr ? std::atoi(asked) : 40;
  std::mt19937 random(static_cast<unsigned>(2));
  for (int input = 0; input < inputs; ++input) {
    std::ofstream(path_, std::ios::binary) << test::damaged(sound, random);
    const std::string words = refusal(3);
    EXPECT_EQ(words.find(path_.string()), 0U) << input << ": " << words;
    EXPECT_NE(words.find("; choose another"), std::string::npos) << input << ": " << words;
  }
}

TEST_F(NetcdfTest, leaves_nothing_behind_on_a_full_disk) {
  std::filesystem::create_directories(path_.parent_path());
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("/dev/full", under_way_);
  EXPECT_EQ(problem([this] { write(0, heights_); }),
            "cannot write " + path_.string() +
                ": No space left on device; choose a folder with room that may be written to");
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::is_symlink(under_way_));
}

TEST_F(NetcdfTest, a_file_that_is_not_finished_leaves_the_one_before) {
  write(1, heights_);
  {
    const NetcdfWriter file(content(3), path_);
    EXPECT_TRUE(std::filesystem::exists(under_way_));
  }
  EXPECT_FALSE(std::filesystem::exists(under_way_));
  EXPECT_EQ(read(3).day, 1);
}

/// What the header says of a variable's size, and where its values begin.
struct Place {
  std::uint64_t size;
  std::uint64_t begin;
};

Place place_of(const NetcdfContent::Part& variable) {
  const auto number = [&variable](std::size_t from_end, std::size_t length) {
    std::uint64_t value = 0;
    for (const char byte : variable.bytes.substr(variable.bytes.size() - from_end, length)) {
      value = value << 8U | static_cast<unsigned char>(byte);
    }
    return value;
  };
  return {.size = number(12, 4), .begin = number(8, 8)};
}

TEST(NetcdfHeaderTest, files_may_be_larger_than_their_variables) {
  constexpr std::uint64_t three_gib = std::uint64_t{3} << 30U;
  NetcdfContent content;
  const std::size_t points = content.dimension("point", three_gib / sizeof(double));
  const std::size_t levels = content.dimension("level", 40);
  content.add("first", {points});
  content.add("second", {points});
  content.add("last", {levels, points});
  const auto header = content.header();
  std::uint64_t begin = 0;
  for (const NetcdfContent::Part& part : header) {
    begin += part.bytes.size();
  }
  const std::size_t count = header.size();
  EXPECT_EQ(place_of(header[count - 3]).size, three_gib);
  EXPECT_EQ(place_of(header[count - 2]).begin, begin + three_gib);
  EXPECT_EQ(place_of(header[count - 1]).begin, begin + 2 * three_gib);
  EXPECT_EQ(place_of(header[count - 1]).size, 0xFFFFFFFFU);
  EXPECT_EQ(content.bytes(), begin + 42 * three_gib);
}

TEST(NetcdfHeaderTest, refuses_what_the_format_cannot_express) {
  const auto problem = [](const NetcdfContent& content) {
    try {
      content.header();
    } catch (const Error& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  NetcdfContent content;
  const std::size_t points = content.dimension("point", std::size_t{1} << 29U);
  content.add("ocean", {points});
  EXPECT_EQ(problem(content), "");
  content.add("behind", {});
  EXPECT_EQ(problem(content),
            "variable ocean takes 4294967296 bytes; allowed where another follows: up to "
            "4294967292; split it");
  NetcdfContent longer;
  longer.dimension("point", std::size_t{1} << 31U);
  EXPECT_NE(problem(longer).find("dimension point of 2147483648"), std::string::npos);
}

}  // namespace
}  // namespace halocline
