#include "halocline/numerics/two_stream.hpp"

#include <cmath>

namespace halocline::numerics {
namespace {

constexpr double closest_to_resonance = 1e-6;

}  // namespace

LayerLight light_in(const LayerOptics& layer, const Lanes& cosine) {
  // Light scattered into a narrow forward cone counts as unscattered.
  LayerOptics scaled{};
  Lanes decay{};  // of diffuse light, per optical depth
  Lanes diffuse_exponent{};
  Lanes direct_exponent{};
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    const double omega = layer.scattered[lane];
    const double g = layer.asymmetry[lane];
    const double ahead = g * g;
    const double kept = 1 - omega * ahead;
    scaled.depth[lane] = kept * layer.depth[lane];
    scaled.scattered[lane] = (1 - ahead) * omega / kept;
    scaled.asymmetry[lane] = g / (1 + g);
    decay[lane] = std::sqrt(3 * (1 - scaled.scattered[lane]) *
                            (1 - scaled.scattered[lane] * scaled.asymmetry[lane]));
    diffuse_exponent[lane] = -decay[lane] * scaled.depth[lane];
    direct_exponent[lane] = -scaled.depth[lane] / cosine[lane];
  }
  LayerLight light{};
  Lanes passed{};
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    passed[lane] = std::exp(diffuse_exponent[lane]);
    light.direct[lane] = std::exp(direct_exponent[lane]);
  }
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    const double omega = scaled.scattered[lane];
    const double g = scaled.asymmetry[lane];
    const double mu = cosine[lane];
    const double ratio = 1.5 * (1 - omega * g) / decay[lane];
    const double plus = ratio + 1;
    const double minus = ratio - 1;
    const double square = passed[lane] * passed[lane];
    const double per_whole = 1 / (plus * plus - minus * minus * square);
    const double reflected = plus * minus * (1 - square) * per_whole;
    const double transmitted = 4 * ratio * passed[lane] * per_whole;
    const double off = 1 - decay[lane] * decay[lane] * mu * mu;
    const double off_enough = off < 0 ? (off < -closest_to_resonance ? off : -closest_to_resonance)
                                      : (off > closest_to_resonance ? off : closest_to_resonance);
    const double share = omega / off_enough;
    const double alpha = 0.75 * share * mu * (1 + g * (1 - omega));
    const double gamma = 0.5 * share * (1 + 3 * g * (1 - omega) * mu * mu);
    const double direct = light.direct[lane];
    light.reflected[lane] =
        (alpha - gamma) * (transmitted * direct - 1) + (alpha + gamma) * reflected;
    light.transmitted[lane] = (alpha + gamma) * transmitted +
                              ((alpha - gamma) * reflected - (alpha + gamma) + 1) * direct;
    light.diffuse_reflected[lane] = reflected;
    light.diffuse_transmitted[lane] = transmitted;
  }
  return light;
}

}  // namespace halocline::numerics
