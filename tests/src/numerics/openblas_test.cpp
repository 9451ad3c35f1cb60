#include "halocline/numerics/openblas.hpp"

#include <gtest/gtest.h>

#include <array>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

// Debian's libopenblas0, which `make test` installs.
TEST(OpenBlasTest, multiplies_row_by_column) {
  const OpenBlas blas("");
  constexpr std::array<double, 4> left{1, 2, 3, 4};
  constexpr std::array<double, 4> right{5, 6, 7, 8};
  std::array<double, 4> product{};
  blas.multiply(left, right, product, 2);
  EXPECT_EQ(product, (std::array<double, 4>{19, 22, 43, 50}));
}

TEST(OpenBlasTest, what_is_no_openblas_is_reported_with_the_remedy) {
  for (const char* file : {"/none/libopenblas.so", "libm.so.6"}) {
    try {
      const OpenBlas blas(file);
      FAIL() << file;
    } catch (const Error& error) {
      EXPECT_NE(std::string{error.what()}.find("pip install scipy-openblas32"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace halocline::numerics
