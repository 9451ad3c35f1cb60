// Fields as programs in C describe them by mistake.

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "halocline/api/halocline.h"

namespace {

/// A layout of a slice of the first dimension for each rank, and a field over this rank's indices.
class WrongFieldsTest : public testing::Test {
 protected:
  WrongFieldsTest() {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  ~WrongFieldsTest() override {
    halocline_route_free(&route_);
    halocline_layout_free(&layout_);
  }

  void cut(const std::vector<int64_t>& extents) {
    std::vector<halocline_dimension> dimensions;
    for (const int64_t extent : extents) {
      dimensions.push_back({0, extent, 1, 0, nullptr});
    }
    dimensions.front().upper *= ranks_;
    dimensions.front().parts = ranks_;
    ASSERT_EQ(halocline_layout_create(static_cast<int>(dimensions.size()), dimensions.data(), 0,
                                      &layout_),
              halocline_ok);
    ASSERT_EQ(halocline_layout_block(layout_, rank_, 0, field_.lower, field_.upper), halocline_ok);
  }

  /// What the library says of the field as source and destination; "" if it takes it.
  std::string complaint() {
    halocline_redistribution redistribution = nullptr;
    const int status = halocline_redistribution_create(route_, MPI_COMM_WORLD, 1, 1, &field_, 1,
                                                       &field_, nullptr, nullptr, &redistribution);
    if (status == halocline_ok) {
      halocline_redistribution_free(&redistribution);
      return "";
    }
    return halocline_error_message();
  }

  int ranks_ = 1;
  int rank_ = 0;
  halocline_layout layout_ = nullptr;
  halocline_route route_ = nullptr;
  std::vector<double> values_ = std::vector<double>(1000);
  halocline_field field_{values_.data(), halocline_real8, {}, {}, {}};
};

TEST_F(WrongFieldsTest, unused_bounds_of_a_halo_that_c_filled_with_0) {
  cut({8, 4});
  const halocline_halo halo{{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}, 0, 0, 0, 0};
  ASSERT_EQ(halocline_route_create_halo(layout_, &halo, MPI_COMM_WORLD, &route_), halocline_ok);
  for (const int dimension : {0, 1}) {
    field_.lower[dimension] -= 1;
    field_.upper[dimension] += 1;
  }
  EXPECT_EQ(complaint(), "");
  field_.upper[2] = field_.upper[3] = 0;
  EXPECT_EQ(complaint(),
            "rank 0: field 1 of the source has no indices along dimension 3, which travels whole; "
            "allowed: 1 or more; give the bounds 0 and 1 in dimensions that are not used, and "
            "leave out fields without elements");
}

TEST_F(WrongFieldsTest, a_stride_of_0_beside_others) {
  cut({4, 3, 2});
  ASSERT_EQ(halocline_route_create(layout_, layout_, MPI_COMM_WORLD, &route_), halocline_ok);
  field_.stride_bytes[0] = 8;
  field_.stride_bytes[1] = 32;
  EXPECT_EQ(complaint(),
            "rank 0: field 1 of block 1 of the source: a stride of 0 bytes along dimension 3, "
            "which has 2 indices; allowed: 1 or more where strides are given; give that of each "
            "dimension, or none");
  field_.stride_bytes[2] = 96;  // none for the fourth, of one index
  EXPECT_EQ(complaint(), "");
}

}  // namespace
