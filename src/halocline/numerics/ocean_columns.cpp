#include "halocline/numerics/ocean_columns.hpp"

namespace halocline::numerics {

void SideTransports::compute(const OceanBlock& block, layout::Index k, const OceanField& u,
                             const OceanField& v) {
  const double half_m = block.thickness_m[static_cast<std::size_t>(k)] / 2;
  const std::ptrdiff_t stride = block.stride;
  const auto length = static_cast<std::ptrdiff_t>(block.box.extent(0));
  for_each_row(block, 1, 1, [&](std::size_t row) {
    const double* const eastward = u.data() + block.level(k) + row;
    const double* const northward = v.data() + block.level(k) + row;
    const double* const height = block.height_m.data() + row;
    const double* const width = block.width_m.data() + row;
    double* __restrict const east = east_m3_s.data() + row;
    double* __restrict const north = north_m3_s.data() + row;
    for (std::ptrdiff_t at = -1; at <= length; ++at) {
      east[at] = half_m * (eastward[at] * height[at] + eastward[at - stride] * height[at - stride]);
      north[at] = half_m * (northward[at] * width[at] + northward[at - 1] * width[at - 1]);
    }
  });
}

}  // namespace halocline::numerics
