#include "halocline/base/netcdf.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "halocline/base/error.hpp"

namespace halocline {
namespace {

class NetcdfTest : public testing::Test {
 protected:
  static NetcdfFile file(std::size_t columns) {
    NetcdfFile file;
    file.attribute("title", "a test");
    const std::size_t rows = file.dimension("row", 2);
    const std::size_t column = file.dimension("column", columns);
    file.add("day", {}, {});
    file.add("height", {rows, column}, {{"units", "m"}});
    return file;
  }

  std::string reason(NetcdfFile other) const {
    try {
      other.read(path_, "choose another");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / "halocline-netcdf" / "test.nc";
};

TEST_F(NetcdfTest, reads_what_it_has_written) {
  NetcdfFile written = file(3);
  written.values(0) = {2.5};
  written.values(1) = {0, -1e-300, 3, 4, 5, 1e300};
  written.write(path_);
  NetcdfFile read = file(3);
  read.read(path_, "choose another");
  EXPECT_EQ(read.values(0), written.values(0));
  EXPECT_EQ(read.values(1), written.values(1));
}

TEST_F(NetcdfTest, begins_as_the_format_says) {
  file(3).write(path_);
  std::ifstream stream(path_, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const std::string bytes = text.str();
  EXPECT_EQ(bytes.substr(0, 4), std::string("CDF\x02", 4));
  // No records; then a list of two dimensions, the first named "row" of length 2.
  const std::string list("\0\0\0\0\0\0\0\x0a\0\0\0\x02\0\0\0\x03row\0\0\0\0\x02", 24);
  EXPECT_EQ(bytes.substr(4, list.size()), list);
}

TEST_F(NetcdfTest, refuses_other_grids_and_files_cut_short) {
  file(3).write(path_);
  EXPECT_EQ(reason(file(4)),
            path_.string() + " holds other fields or another grid; choose another");
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
  EXPECT_EQ(reason(file(3)), path_.string() + " ends within height; choose another");
  std::filesystem::remove(path_);
  EXPECT_EQ(reason(file(3)),
            "cannot read " + path_.string() + ": No such file or directory; choose another");
}

TEST_F(NetcdfTest, refuses_what_no_model_has_written) {
  NetcdfFile spoilt = file(3);
  spoilt.values(1)[4] = std::numeric_limits<double>::quiet_NaN();
  spoilt.write(path_);
  EXPECT_EQ(reason(file(3)),
            path_.string() + " is damaged: a value of height is no number; choose another");
  file(3).write(path_);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) + 1);
  EXPECT_EQ(reason(file(3)),
            path_.string() + " is damaged: it goes on after its last field; choose another");
}

TEST_F(NetcdfTest, leaves_nothing_behind_on_a_full_disk) {
  std::filesystem::create_directories(path_.parent_path());
  std::filesystem::remove(path_);
  const std::filesystem::path under_way = path_.string() + ".part";
  std::filesystem::create_symlink("/dev/full", under_way);
  std::string words;
  try {
    file(3).write(path_);
  } catch (const Error& error) {
    words = error.what();
  }
  EXPECT_EQ(words, "cannot write " + path_.string() +
                       ": No space left on device; choose a folder with room that may be written "
                       "to");
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::is_symlink(under_way));
}

}  // namespace
}  // namespace halocline
