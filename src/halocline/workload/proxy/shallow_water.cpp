#include <algorithm>
#include <string>
#include <utility>

#include "halocline/mpi/compat/features.hpp"
#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/workload/kernel/loop.hpp"
#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/micro/topology.hpp"
#include "halocline/workload/proxy/shallow_water_model.hpp"

namespace halocline::workload {

extern const Workload shallow_water;

namespace {

constexpr int percent_for_sphere = 40;

const IntegerAxis& truncation_axis() {
  static const IntegerAxis axis{.name = "truncation",
                                .unit = "",
                                .low = 5,
                                .high = 340,
                                .defaults = {42, 85},
                                .only = numerics::SpectralGrid::truncations(),
                                .verified = {10}};
  return axis;
}

const IntegerAxis& levels_axis() {
  static const IntegerAxis axis{
      .name = "levels", .unit = "", .low = 1, .high = 512, .defaults = {18}, .verified = {16}};
  return axis;
}

const ChoiceAxis& test_case_axis() {
  static const ChoiceAxis axis{.name = "case",
                               .choices = {"1", "2", "3", "4", "5", "6"},
                               .defaults = {"2"},
                               .verified = {"2"}};
  return axis;
}

const ChoiceAxis& stepping_axis() {
  static const ChoiceAxis axis{.name = "stepping",
                               .choices = {"semi_implicit", "explicit"},
                               .defaults = {"semi_implicit"},
                               .verified = {"semi_implicit"}};
  return axis;
}

const ChoiceAxis& precision_axis() {
  static const ChoiceAxis axis{.name = "precision",
                               .choices = {"double", "single"},
                               .defaults = {"double"},
                               .verified = {"double"}};
  return axis;
}

/// Like kernels, and also all ranks together on one model.
const ChoiceAxis& shared_or_active_axis() {
  static const ChoiceAxis axis{.name = "active",
                               .choices = {"shared", "one", "all"},
                               .defaults = {"shared"},
                               .verified = {"shared"}};
  return axis;
}

const ChoiceAxis& fourier_axis() {
  static const ChoiceAxis axis{.name = "fourier",
                               .choices = {"transpose", "distributed"},
                               .defaults = {"transpose"},
                               .verified = {"transpose"}};
  return axis;
}

const ChoiceAxis& legendre_axis() {
  static const ChoiceAxis axis{.name = "legendre",
                               .choices = {"transpose", "halving", "ring", "allreduce"},
                               .defaults = {"transpose"},
                               .verified = {"transpose"}};
  return axis;
}

const ChoiceAxis& reproducible_axis() {
  static const ChoiceAxis axis{
      .name = "reproducible", .choices = {"no", "yes"}, .defaults = {"no"}, .verified = {"no"}};
  return axis;
}

numerics::FourierWay fourier_of(std::string_view name) {
  return name == "distributed" ? numerics::FourierWay::distributed
                               : numerics::FourierWay::transpose;
}

numerics::LegendreWay legendre_of(std::string_view name) {
  if (name == "halving") {
    return numerics::LegendreWay::halving;
  }
  if (name == "ring") {
    return numerics::LegendreWay::ring;
  }
  return name == "allreduce" ? numerics::LegendreWay::allreduce : numerics::LegendreWay::transpose;
}

/// All ranks step one model together.
template <class Model>
class SharedModelLoop final : public measure::TimedLoop {
 public:
  SharedModelLoop(const mpi::Communicator& world, const ModelShape& shape, Pages pages)
      : world_(world), model_(shape, world, pages) {}

  void synchronise() override { world_.barrier(); }
  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      model_.run();
    }
  }
  std::optional<std::string> verify(std::uint64_t seed) override {
    if (const auto wrong = model_.difference(seed)) {
      return "rank " + std::to_string(world_.rank()) + " computed " + *wrong;
    }
    return std::nullopt;
  }
  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return model_.all_sent_bytes(); }
  std::int64_t operations() const override { return model_.operations(); }
  std::vector<measure::Fact> facts() const override { return model_.facts(); }
  std::optional<measure::Picture> picture() override { return model_.picture(); }
  measure::PhaseTimer* phases() override { return model_.phases(); }
  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return model_.off_node_bytes(node_of_rank);
  }

 private:
  const mpi::Communicator& world_;
  Model model_;
};

template <class Real>
std::unique_ptr<measure::TimedLoop> loop_of(const ModelShape& shape, std::string_view active,
                                            Pages pages, const mpi::Communicator& world) {
  using Model = ShallowWaterModel<Real>;
  if (active == "shared") {
    return std::make_unique<SharedModelLoop<Model>>(world, shape, pages);
  }
  return std::make_unique<KernelLoop<Model>>(world, active == "all", shape, world, pages);
}

/// Throws Skip for what would only repeat measurements of other axes.
void require_first_ways(const AxisValues& values) {
  const bool first = values.choice(fourier_axis()) == "transpose" &&
                     values.choice(legendre_axis()) == "transpose" &&
                     values.integer(ranks_along_y_axis(0)) == 0 &&
                     values.protocol().name == "isend_irecv";
  if (!first) {
    throw Skip(
        "active=one and active=all send no messages, so these axes have no effect; choose "
        "fourier=transpose legendre=transpose grid_y=0 protocol=isend_irecv, or active=shared");
  }
}

/// The same for ways of ranks along a direction that has only one.
void require_acting_ways(const AxisValues& values, const layout::RankGrid& grid) {
  const auto require = [&](const ChoiceAxis& axis, int ranks, const std::string& direction) {
    const std::string first{axis.defaults.front()};
    const std::string chosen{values.choice(axis)};
    const std::string name{axis.name};
    if (ranks == 1 && chosen != first) {
      throw Skip(name + "=" + chosen + " with one rank along " + direction +
                 ", which needs no other; choose " + name + "=" + first + " or more ranks along " +
                 direction);
    }
  };
  require(fourier_axis(), grid.extent[0], "longitude");
  require(legendre_axis(), grid.extent[1], "latitude (grid_y)");
}

/// Memory of a rank, in bytes.
double bytes_of_rank(const ModelShape& shape, std::size_t real_bytes,
                     const mpi::Communicator& world) {
  const bool shared = shape.way.along_longitude * shape.way.along_latitude > 1;
  return model_bytes(shape, real_bytes) / (shared ? world.size() : 1);
}

}  // namespace

const Workload shallow_water{
    .name = "shallow_water",
    .summary =
        "a step of the spectral shallow water equations (Williamson's test cases), by all ranks "
        "together on a grid of ranks, by one rank or by each of all at once; grid_y=0: the "
        "squarest",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {truncation_axis(), levels_axis(), test_case_axis(), stepping_axis(), precision_axis(),
             shared_or_active_axis(), ranks_along_y_axis(0), fourier_axis(), legendre_axis(),
             reproducible_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      require_real_machine();
      const std::string_view active = values.choice(shared_or_active_axis());
      const std::string_view test_case = values.choice(test_case_axis());
      ModelShape shape{.truncation = static_cast<int>(values.integer(truncation_axis())),
                       .levels = static_cast<int>(values.integer(levels_axis())),
                       .test_case = test_case.front() - '0',
                       .semi_implicit = values.choice(stepping_axis()) == "semi_implicit",
                       .way = {.fourier = fourier_of(values.choice(fourier_axis())),
                               .legendre = legendre_of(values.choice(legendre_axis())),
                               .reproducible = values.choice(reproducible_axis()) == "yes",
                               .protocol = &values.protocol()}};
      if (active == "shared") {
        const layout::RankGrid grid =
            grid_of(world.size(), values.integer(ranks_along_y_axis(0)), 1);
        require_acting_ways(values, grid);
        shape.way.along_longitude = grid.extent[0];
        shape.way.along_latitude = grid.extent[1];
      } else {
        require_first_ways(values);
      }
      const bool single = values.choice(precision_axis()) == "single";
      require_memory("truncation " + std::to_string(shape.truncation) + " with " +
                         std::to_string(shape.levels) + " levels",
                     bytes_of_rank(shape, single ? sizeof(float) : sizeof(double), world),
                     percent_for_sphere, "a smaller truncation, fewer levels or more nodes", world);
      return single ? loop_of<float>(shape, active, values.pages(), world)
                    : loop_of<double>(shape, active, values.pages(), world);
    },
};

}  // namespace halocline::workload
