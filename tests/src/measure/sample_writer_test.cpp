#include "halocline/measure/sample_writer.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "halocline/base/error.hpp"
#include "support/scratch.hpp"

namespace halocline::measure {
namespace {

class SampleWriterTest : public testing::Test {
 protected:
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  test::Scratch scratch_;
  std::filesystem::path path_ = scratch_ / "samples.jsonl";
};

TEST_F(SampleWriterTest, appends_lines_and_sums_them) {
  SampleWriter writer(path_);
  writer.append("1234");
  writer.append("5678");
  EXPECT_EQ(content(), "1234\n5678\n");
  Crc32 expected;
  expected.add("1234\n5678\n");
  EXPECT_EQ(writer.checksum(), expected.value());
}

TEST_F(SampleWriterTest, keeps_what_is_there_and_ends_an_unfinished_line) {
  std::ofstream(path_) << "whole\nunfin";
  SampleWriter(path_).append("next");
  EXPECT_EQ(content(), "whole\nunfin\nnext\n");
}

TEST_F(SampleWriterTest, the_sum_leaves_out_what_others_wrote) {
  std::ofstream(path_) << "unfin";
  SampleWriter writer(path_);
  EXPECT_EQ(writer.checksum(), 0U);
}

TEST_F(SampleWriterTest, a_full_disk_is_an_error_with_a_remedy) {
  SampleWriter writer("/dev/full");
  try {
    writer.append("record");
    FAIL() << "a record cannot be written to a full device";
  } catch (const Error& problem) {
    EXPECT_NE(std::string{problem.what()}.find("free space"), std::string::npos) << problem.what();
  }
}

TEST_F(SampleWriterTest, a_missing_folder_is_an_error) {
  EXPECT_THROW(SampleWriter("/no/such/folder/samples.jsonl"), Error);
}

}  // namespace
}  // namespace halocline::measure
