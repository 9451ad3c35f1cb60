// The transposes of a plasma model next to the bare MPI_Alltoall of the same bytes: in one process,
// in turns, so that the machine's drift cancels. A transpose packs what is not contiguous and
// copies what stays on its rank; MPI_Alltoall moves blocks of one buffer. Prints one JSON line: for
// each way the seconds of a transpose in each turn, on the slowest rank.

#include <mpi.h>

#include <complex>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "halocline/base/json.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/numerics/gyro_transposes.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace {

using namespace halocline;
using namespace halocline::numerics;

constexpr int rounds = 4;
constexpr int turns = 40;

// B1-std's radii and pitch angles at its orbit points; as many energies that ranks have 64 pairs.
GyroGrid grid_of(int modes, int row_ranks) {
  return {.modes = modes,
          .radii = 140,
          .pitch_angles = 8,
          .energies = layout::Index{8} * row_ranks,
          .orbit_points = 20};
}

std::size_t all_size(const GyroSharing& rows) {
  return static_cast<std::size_t>(rows.all_pairs() * rows.points(rows.place()).length());
}

/// What transposes move, in memory as the model has it.
struct Arrays {
  Arrays(const GyroSharing& columns, const GyroSharing& rows, bundle::Near near,
         const mpi::Communicator& world)
      : size(static_cast<std::size_t>(columns.size())),
        rows_size(static_cast<std::size_t>(rows.size())),
        memory(4, 2 * size + rows_size + all_size(rows), near, Pages::as_system, world),
        lines(memory.take(size)),
        modes(memory.take(size)),
        some(memory.take(rows_size)),
        all(memory.take(all_size(rows))) {}

  std::size_t size;
  std::size_t rows_size;
  GyroMemory memory;
  GyroArray lines;
  GyroArray modes;
  GyroArray some;
  GyroArray all;
};

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv);
  const auto world = mpi::Communicator::world();
  const auto column_row = world.part(world.rank());  // a row of one rank
  const GyroSharing columns(grid_of(world.size(), 1), world.size(), world.rank());
  const GyroSharing rows(grid_of(1, world.size()), world.size(), world.rank());
  std::map<bundle::Near, Arrays> arrays;
  std::map<std::string, bundle::Redistribution> ways;
  const auto add = [&](const std::string& name, const bundle::Way& way) {
    Arrays& of = arrays.try_emplace(way.near, columns, rows, way.near, world).first->second;
    const bundle::NodeMemory* const shared = of.memory.shared();
    const GyroPlace of_columns{
        .sharing = columns, .row = column_row, .column = world, .way = way, .memory = shared};
    const GyroPlace of_rows{
        .sharing = rows, .row = world, .column = column_row, .way = way, .memory = shared};
    ways.emplace(
        "columns " + name,
        between_modes(of_columns, {.lower = 0, .upper = columns.lines_each()}, of.lines, of.modes));
    ways.emplace("rows " + name, to_all_pairs(of_rows, of.some, of.all));
  };
  add("shared memory", {.near = bundle::Near::shared});
  for (const char* name : {"alltoallv", "isend_irecv", "sendrecv"}) {
    add(name, {.protocol = &protocol::find(name), .near = bundle::Near::messages});
  }
  std::map<std::string, std::function<void()>> loops;
  for (auto& [name, way] : ways) {
    loops[name] = [&way] {
      way.start();
      way.finish();
    };
  }
  const Arrays& own = arrays.at(bundle::Near::messages);
  const auto block =
      static_cast<int>(own.lines.size_bytes() / static_cast<std::size_t>(world.size()));
  loops["bare"] = [&] {
    MPI_Alltoall(own.lines.data(), block, MPI_BYTE, own.modes.data(), block, MPI_BYTE,
                 MPI_COMM_WORLD);
  };
  std::map<std::string, std::vector<double>> times_s;
  for (int turn = -1; turn < turns; ++turn) {  // the first touches memory
    for (const auto& [name, loop] : loops) {
      world.barrier();
      const Seconds begin = measure::now();
      for (int round = 0; round < rounds; ++round) {
        loop();
      }
      double elapsed_s = (measure::now() - begin).count() / rounds;
      MPI_Allreduce(MPI_IN_PLACE, &elapsed_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (turn >= 0) {
        times_s[name].push_back(elapsed_s);
      }
    }
  }
  if (world.rank() == 0) {
    JsonText json;
    json.begin_object();
    for (const auto& [name, times] : times_s) {
      json.list(name, times);
    }
    std::puts(json.end_object().text().c_str());
  }
}
