#include "halocline/numerics/surface_solver.hpp"

#include <algorithm>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::numerics {
namespace {

constexpr std::size_t most_sums = 2;  // at a time

std::optional<mpi::Communicator> members(const std::vector<int>& chosen,
                                         const mpi::Communicator& all) {
  return all.split(std::ranges::binary_search(chosen, all.rank()) ? 0 : -1);
}

/// Same blocks, with owners numbered among all ranks.
layout::Blocks among_all(const layout::Blocks& blocks, const std::vector<int>& ranks) {
  std::vector<int> owners;
  for (int place = 0; place < blocks.places(); ++place) {
    const int owner = blocks.owner(place);
    owners.push_back(owner == layout::nobody ? owner : ranks[static_cast<std::size_t>(owner)]);
  }
  return blocks.owned_by(owners);
}

/// Two vectors that travel together.
bundle::Blocks both(const BlockFields& fields, BlockVector& one, BlockVector& other) {
  bundle::Blocks bundles = fields.bundles(one);
  const bundle::Blocks others = fields.bundles(other);
  for (std::size_t block = 0; block < bundles.size(); ++block) {
    bundles[block].push_back(others[block].front());
  }
  return bundles;
}

}  // namespace

Barriers barriers_named(std::string_view name) {
  if (name == "none") {
    return Barriers::none;
  }
  if (name == "solve") {
    return Barriers::solve;
  }
  if (name == "sums") {
    return Barriers::sums;
  }
  throw Error("no barriers '" + std::string{name} +
              "'; allowed: none, solve, sums; choose one of these");
}

std::vector<int> spread_ranks(int chosen, int all) {
  std::vector<int> ranks;
  for (std::int64_t place = 0; place < chosen; ++place) {
    ranks.push_back(static_cast<int>(place * all / chosen));
  }
  return ranks;
}

/// The ranks that solve, in their own blocks, and the routes there and back.
struct SurfaceSolver::Subset {
  Subset(const SurfaceParts& parts, const layout::Blocks& blocks, BlockVector& ocean_right,
         BlockVector& ocean_pressure)
      : ranks(spread_ranks(blocks.ranks(), parts.ranks.size())),
        communicator(members(ranks, parts.ranks)),
        fields(blocks, communicator ? communicator->rank() : static_cast<int>(ranks.size()),
               [&ocean = parts.fields](layout::Index i, layout::Index j) {
                 return ocean.ocean(i, j);
               }),
        right(fields.zeros()),
        pressure(fields.zeros()),
        route(route::redistribution(parts.fields.blocks(), among_all(fields.blocks(), ranks),
                                    parts.ranks)),
        out(route, both(parts.fields, ocean_right, ocean_pressure), both(fields, right, pressure),
            parts.way, parts.ranks),
        back(route.reversed(), fields.bundles(pressure), parts.fields.bundles(ocean_pressure),
             parts.way, parts.ranks) {}

  std::vector<int> ranks;                         // numbered among all, in order
  std::optional<mpi::Communicator> communicator;  // of these ranks
  BlockFields fields;
  BlockVector right;
  BlockVector pressure;
  route::Route route;
  bundle::Redistribution out;
  bundle::Redistribution back;
};

SurfaceSolver::SurfaceSolver(const SurfaceParts& parts, BlockVector& right, BlockVector& pressure)
    : parts_(parts),
      subset_(parts.method.blocks
                  ? std::make_unique<Subset>(parts_, *parts.method.blocks, right, pressure)
                  : nullptr),
      a_(parts.grid, parts.depth_m, parts.time_step, subset_ ? subset_->fields : parts.fields),
      preconditioner_(Preconditioner::named(parts.method.preconditioner, a_)),
      right_(subset_ ? subset_->right : right),
      pressure_(subset_ ? subset_->pressure : pressure) {
  if (!subset_) {
    make_solver(parts_.ranks);
    return;
  }
  mpi::agree_on_skip(parts_.ranks, [this] {
    if (subset_->communicator) {
      make_solver(*subset_->communicator);
    }
  });
}

SurfaceSolver::~SurfaceSolver() = default;

void SurfaceSolver::make_solver(const mpi::Communicator& ranks) {
  const SurfaceMethod& method = parts_.method;
  const std::size_t numbers = method.summation == Summation::plain ? 1 : ExactSum::bins;
  sum_ = GlobalSum::named(method.sum, ranks, most_sums * numbers);
  solver_ =
      BarotropicSolver::named(method.solver, {.a = a_,
                                              .ranks = ranks,
                                              .way = parts_.way,
                                              .sum = *sum_,
                                              .summation = method.summation,
                                              .preconditioner = preconditioner_.get(),
                                              .meet_before_sums = method.barriers == Barriers::sums,
                                              .on_stage = parts_.on_stage});
}

void SurfaceSolver::meet() const {
  if (parts_.method.barriers != Barriers::none) {
    stage(Stage::waiting);
    parts_.ranks.barrier();
  }
}

Solved SurfaceSolver::solve(const Stop& stop) {
  if (!subset_) {
    return solver_->solve(right_, pressure_, stop);
  }
  stage(Stage::remap);
  subset_->out.start();
  subset_->out.finish();
  Solved solved{};
  std::string failure;
  if (solver_) {
    try {
      solved = solver_->solve(right_, pressure_, stop);
    } catch (const Error& error) {
      failure = error.what();
    }
  }
  stage(Stage::waiting);  // by the ranks that do not solve
  if (const auto problem = mpi::lowest_problem(parts_.ranks, failure)) {
    throw Error(problem->words);
  }
  mpi::Collectives(parts_.ranks).broadcast(std::as_writable_bytes(std::span(&solved, 1)), 0);
  stage(Stage::remap);
  subset_->back.start();
  subset_->back.finish();
  return solved;
}

SurfaceSolver::Amounts SurfaceSolver::amounts(Stage stage, std::int64_t iterations) const {
  if (stage == Stage::remap) {
    return subset_ ? Amounts{.sent_bytes = subset_->out.sent_bytes() + subset_->back.sent_bytes()}
                   : Amounts{};
  }
  if (!solver_) {
    return {};
  }
  const SolverWork work = solver_->work(iterations);
  const auto times = [](std::int64_t count, std::size_t bytes) {
    return static_cast<std::size_t>(count) * bytes;
  };
  const std::int64_t cells = a_.fields().ocean_cells();
  switch (stage) {
    case Stage::stencil:
      return {.operations = work.applications * a_.operations(),
              .memory_bytes = times(work.applications, a_.memory_bytes()),
              .resident_bytes = resident_bytes()};
    case Stage::halo:
      return {.sent_bytes = times(work.halos, solver_->solution().sent_bytes())};
    case Stage::global_sum:
      return {.sent_bytes = solver_->summed_bytes(iterations)};
    case Stage::preconditioner:
      return preconditioner_
                 ? Amounts{.operations = work.preconditionings * preconditioner_->operations(),
                           .memory_bytes =
                               times(work.preconditionings, preconditioner_->memory_bytes()),
                           .resident_bytes = resident_bytes()}
                 : Amounts{};
    case Stage::vectors:
      return {.operations = cells * work.vector_operations,
              .memory_bytes = times(cells * work.vectors_touched, sizeof(double)),
              .resident_bytes = resident_bytes()};
    default:
      return {};
  }
}

/// What an iteration passes over.
std::size_t SurfaceSolver::resident_bytes() const {
  const std::int64_t numbers = solver_->vectors() * a_.fields().ocean_cells();
  return static_cast<std::size_t>(numbers) * sizeof(double) + a_.weights_bytes() +
         (preconditioner_ ? preconditioner_->own_bytes() : 0);
}

std::int64_t SurfaceSolver::operations(std::int64_t iterations) const {
  std::int64_t operations = 0;
  for (const Stage stage : {Stage::stencil, Stage::preconditioner, Stage::vectors}) {
    operations += amounts(stage, iterations).operations;
  }
  return operations;
}

std::size_t SurfaceSolver::off_node_bytes(std::span<const int> node_of_rank,
                                          std::int64_t iterations) const {
  const auto of_halos = [&](std::span<const int> nodes) {
    return static_cast<std::size_t>(solver_->work(iterations).halos) *
           solver_->solution().off_node_bytes(nodes);
  };
  if (!subset_) {
    return of_halos(node_of_rank);
  }
  const std::size_t remapped =
      subset_->out.off_node_bytes(node_of_rank) + subset_->back.off_node_bytes(node_of_rank);
  if (!solver_) {
    return remapped;
  }
  std::vector<int> nodes;
  for (const int rank : subset_->ranks) {
    nodes.push_back(node_of_rank[static_cast<std::size_t>(rank)]);
  }
  return remapped + of_halos(nodes);
}

}  // namespace halocline::numerics
