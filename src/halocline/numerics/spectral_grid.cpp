#include "halocline/numerics/spectral_grid.hpp"

#include <array>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

struct TruncationGrid {
  int truncation;
  int longitudes;
  int latitudes;
};

// The usual grids of spectral models.
constexpr std::array<TruncationGrid, 9> truncation_grids{{{5, 16, 8},
                                                          {10, 32, 16},
                                                          {21, 64, 32},
                                                          {42, 128, 64},
                                                          {63, 192, 96},
                                                          {85, 256, 128},
                                                          {106, 320, 160},
                                                          {170, 512, 256},
                                                          {340, 1024, 512}}};

}  // namespace

SpectralGrid SpectralGrid::of(int truncation) {
  std::string allowed;
  for (const TruncationGrid& grid : truncation_grids) {
    if (grid.truncation == truncation) {
      return {.truncation = truncation,
              .longitudes = grid.longitudes,
              .latitude_pairs = grid.latitudes / 2,
              .rows = gaussian_rows(grid.latitudes)};
    }
    allowed += (allowed.empty() ? "" : ", ") + std::to_string(grid.truncation);
  }
  throw UsageError("truncation " + std::to_string(truncation) +
                   " has no grid; allowed: " + allowed + "; choose one of these");
}

std::vector<std::int64_t> SpectralGrid::truncations() {
  std::vector<std::int64_t> truncations;
  for (const TruncationGrid& grid : truncation_grids) {
    truncations.push_back(grid.truncation);
  }
  return truncations;
}

}  // namespace halocline::numerics
