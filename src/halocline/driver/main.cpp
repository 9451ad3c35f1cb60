#include <cstdio>
#include <exception>

#include "halocline/base/error.hpp"
#include "halocline/driver/catalogue_text.hpp"
#include "halocline/driver/launch.hpp"
#include "halocline/driver/options.hpp"
#include "halocline/driver/process.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/workload/replay/plan_file.hpp"
#include "halocline/workload/replay/replayed_calls.hpp"

namespace {

constexpr int failure = 1;
constexpr int wrong_usage = 2;

/// Makes no calls of its own except for communicators: a profile of it counts only the plan's.
void replay_once(const std::string& path, const halocline::mpi::Communicator& world) {
  namespace workload = halocline::workload;
  const std::string text = path == workload::example ? path : workload::text_of_plan(path);
  if (text.empty()) {
    throw halocline::UsageError("the plan " + path + " cannot be read; copy it to every host");
  }
  const auto file = path == workload::example
                        ? workload::example_plan(world.rank(), world.size())
                        : workload::parse_plan(path, text, world.rank(), world.size());
  workload::ReplayedCalls calls(file.plan, world.rank(), world.size());
  calls.open(world, halocline::Pages::as_system);
  calls.run();
}

int run(const halocline::driver::Options& options, int& argc, char**& argv) {
  const halocline::mpi::Environment environment(argc, argv);
  const auto world = halocline::mpi::Communicator::world();
  try {
    if (options.replay.empty()) {
      halocline::driver::launch(options, world);
    } else {
      replay_once(options.replay, world);
    }
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "halocline-driver: rank %d: %s\n", world.rank(), problem.what());
    halocline::driver::leave_error(world.rank(), problem.what());
    const bool usage = dynamic_cast<const halocline::UsageError*>(&problem) != nullptr;
    halocline::mpi::abort_world(usage ? wrong_usage : failure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = halocline::driver::parse_options(argc, argv);
    if (options.catalogue) {
      std::puts(halocline::driver::catalogue_text().c_str());
      return 0;
    }
    return run(options, argc, argv);
  } catch (const halocline::UsageError& problem) {
    std::fprintf(stderr, "halocline-driver: %s\n", problem.what());
    return wrong_usage;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "halocline-driver: %s\n", problem.what());
    return failure;
  }
}
