#include "halocline/protocol/catalogue.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace halocline::protocol {
namespace {

TEST(CatalogueTest, protocols_whose_start_returns_at_once_restrict_no_program) {
  for (const std::string_view name : {"isend_irecv", "persistent", "ialltoallv", "shared_window"}) {
    EXPECT_EQ(find(name).restriction, "") << name;
  }
  for (const std::string_view name : {"send_recv", "sendrecv", "alltoallv", "put_fence", "swap"}) {
    EXPECT_EQ(find(name).restriction, waits_in_start) << name;
  }
  EXPECT_EQ(find("rsend_irecv").restriction, waits_in_start) << "for notices that receives wait";
  EXPECT_NE(find("bsend_recv").restriction, "") << "one exchange at a time";
}

}  // namespace
}  // namespace halocline::protocol
