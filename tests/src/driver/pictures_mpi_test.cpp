#include "halocline/driver/pictures.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "support/scratch.hpp"

namespace halocline::driver {
namespace {

constexpr PictureOrigin origin{.id = "abc", .label = "mpich", .launch = 2};

measure::Picture picture() {
  measure::Picture picture;
  picture.model_time = Seconds{3600};
  picture.rows = 1;
  picture.columns = 3;
  picture.maps.push_back({.name = "height",
                          .title = "Height",
                          .unit = "m",
                          .values = {1.23456, std::numeric_limits<double>::quiet_NaN(), -2e6}});
  picture.owners.emplace();
  picture.owners->columns = 4;
  picture.owners->rows = 2;
  picture.owners->blocks = {{.west = 0, .east = 4, .south = 0, .north = 2, .owner = -1}};
  picture.owners->work = {5};
  picture.owners->land = {"..#.", "####"};
  return picture;
}

class PicturesTest : public testing::Test {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
  test::Scratch scratch_{world_};
  std::filesystem::path folder_ = scratch_ / "run" / "pictures";
};

TEST_F(PicturesTest, the_first_launch_writes_what_the_page_reads) {
  const Pictures pictures(folder_);
  EXPECT_TRUE(pictures.lacks("abc", world_));
  if (world_.rank() == 0) {
    EXPECT_EQ(pictures.write(picture(), origin), "");
    std::ifstream file(folder_ / "abc.json");
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(),
              R"({"schema":1,"case":"abc","label":"mpich","launch":2,"model_s":3600,"rows":1,)"
              R"("columns":3,"maps":[{"name":"height","title":"Height","unit":"m",)"
              R"("values":[1.235,null,-2e+06]}],"owners":{"columns":4,"rows":2,)"
              R"("blocks":[[0,4,0,2,-1]],"work":[5],"land_side":1,"land":["..#.","####"],)"
              R"("omitted":""}})"
              "\n");
  }
  world_.barrier();
  EXPECT_FALSE(pictures.lacks("abc", world_));
  EXPECT_TRUE(pictures.lacks("other", world_));
}

TEST_F(PicturesTest, says_why_it_cannot_be_written) {
  if (world_.rank() != 0) {
    return;
  }
  std::filesystem::create_directories(folder_.parent_path());
  std::ofstream(folder_).put('x');  // a file where the folder should be
  const std::string why = Pictures(folder_).write(picture(), origin);
  EXPECT_NE(why.find("cannot write"), std::string::npos) << why;
  EXPECT_NE(why.find("abc.json"), std::string::npos) << why;
}

}  // namespace
}  // namespace halocline::driver
