#pragma once

#include <span>

namespace halocline::measure {

/// Half the width of the 95 % interval of the median, relative to the median. Distribution-free,
/// from order statistics; infinite for fewer than six values, which cannot give 95 %.
double half_width_relative(std::span<const double> values);

}  // namespace halocline::measure
