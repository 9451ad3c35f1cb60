#pragma once

#include <span>
#include <vector>

#include "halocline/numerics/atmosphere_model.hpp"

namespace halocline::coupling {

/// The air as seen by the surface, for each column of the dynamics.
namespace seen {
inline constexpr std::size_t temperature = 0;  // of the skin, °C
inline constexpr std::size_t vapour = 1;       // of the skin, kg/kg
inline constexpr std::size_t rain = 2;         // kg/(m² s)
inline constexpr std::size_t eastward = 3;     // stress, N/m²
inline constexpr std::size_t northward = 4;
inline constexpr std::size_t count = 5;
}  // namespace seen

/// The atmosphere as a component: its ground is a skin of air heated and moistened by the surface
/// and the sun; vapour beyond saturation rains.
class Air {
 public:
  /// Steps as long as the truncation allows that add up to the interval between two couplings.
  /// Collective, as all below.
  Air(const numerics::AtmosphereShape& shape, Seconds interval, const mpi::Communicator& ranks,
      Pages pages);

  static numerics::AtmosphereShape shape_of(int truncation, int levels, Seconds interval, int ranks,
                                            const bundle::Way& way);
  static int steps(int truncation, Seconds interval);

  void begin();
  /// Takes the heat that leaves the skin and the water that enters it, for each column.
  void run(std::span<const double> heat_w_m2, std::span<const double> water_kg_m2_s, double hour);

  const std::vector<layout::Index>& columns() const { return model_.home_columns(); }
  /// Of these columns, with the weights of the dynamics' quadrature.
  const std::vector<double>& areas_m2() const { return areas_m2_; }
  std::span<const double> seen(std::size_t field) const {
    return std::span(seen_).subspan(field * columns().size(), columns().size());
  }

  /// Of columns, and of rows of spectral coefficients.
  static std::size_t numbers_of_column(int levels);
  std::vector<double> saved_columns();
  void load_columns(std::span<const double> numbers);
  std::vector<layout::Index> rows();
  std::vector<double> saved_rows();
  void load_rows(std::span<const double> numbers);
  /// After this many intervals, with their numbers loaded.
  void resume(std::int64_t intervals);

  // Of this rank per interval; operations, which depend on the sun, of the last one.
  std::int64_t operations() const;
  std::size_t sent_bytes() const;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  template <class Visit>
  void each_kept(Visit visit);
  void see(double rained_s);

  int steps_;
  double interval_s_;
  numerics::AtmosphereModel model_;
  std::vector<double> areas_m2_;
  std::vector<double> seen_;             // [field][column]
  std::int64_t physics_operations_ = 0;  // in the last interval
};

}  // namespace halocline::coupling
