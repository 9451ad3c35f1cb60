#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halocline/measure/phases.hpp"
#include "halocline/measure/timed_loop.hpp"
#include "halocline/numerics/shallow_water.hpp"

namespace halocline::workload {

/// What is modelled, and on how many ranks together.
struct ModelShape {
  int truncation;
  int levels;
  int test_case;
  bool semi_implicit;
  numerics::SphereWay way;
};

/// Approximate memory of a model of this shape over all ranks that share it.
double model_bytes(const ModelShape& shape, std::size_t real_bytes);

/// A shallow water model that is stepped repeatedly: what KernelLoop takes, and more.
template <class Real>
class ShallowWaterModel {
 public:
  /// Throws UsageError for a truncation without a grid, Skip if ranks do not fit it.
  ShallowWaterModel(const ModelShape& shape, const mpi::Communicator& communicator, Pages pages);

  void run();
  void write(std::uint64_t seed);
  /// Collective where the model is shared. Transforms the seed's coefficients to the grid and back:
  /// they must return. Then steps from the beginning: mass must be conserved, the steady flow of
  /// case 2 must stay, and where sums are reproducible every bit must be as it was.
  std::optional<std::string> difference(std::uint64_t seed);

  std::size_t moved_bytes() const { return 0; }
  std::size_t all_sent_bytes() const { return sent_bytes_; }
  std::int64_t operations() const { return operations_; }
  std::vector<measure::Fact> facts() const;
  /// Of a model that all ranks of the communicator share.
  measure::Picture picture();
  measure::PhaseTimer* phases() { return &timer_; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const {
    return transform_.off_node_bytes(node_of_rank);
  }

 private:
  using State = numerics::ShallowWaterState<Real>;

  int slices() const;
  void count_work();
  std::uint64_t checksum() const;

  ModelShape shape_;
  const mpi::Communicator& communicator_;
  numerics::SpectralGrid grid_;
  std::unique_ptr<numerics::WilliamsonCase> test_;
  numerics::SphereTransform<Real> transform_;
  numerics::ShallowWater<Real> model_;
  State first_;
  std::vector<State> states_;  // each of some level groups
  measure::PhaseTimer timer_;
  std::size_t sent_bytes_ = 0;
  std::int64_t operations_ = 0;
  std::uint64_t first_checksum_ = 0;
};

extern template class ShallowWaterModel<float>;
extern template class ShallowWaterModel<double>;

}  // namespace halocline::workload
