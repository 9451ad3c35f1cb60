// The redistribution of Li 2007 on one node next to what else moves it: at two ranks 512x1024x16, 8
// fields, 2x1 -> 1x2. All in one process, in turns, so that the machine's drift cancels. Prints one
// JSON line: the slowest rank's seconds in each turn, for each way, and those of a rank's Store.

#include "halocline/bundle/redistribution.hpp"

#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>

#include "halocline/base/json.hpp"
#include "halocline/base/memory.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/numerics/streams.hpp"
#include "halocline/route/redistribution.hpp"
#include "halocline/workload/redistribution/layouts.hpp"
#include "halocline/workload/redistribution/waves.hpp"
#include "settle.hpp"
#ifdef HALOCLINE_SCALAPACK
#include "scalapack.hpp"
#endif

namespace {

using namespace halocline;

constexpr int turns = 15;
constexpr int fields = 8;
constexpr int ranks = 2;
constexpr int extent_x = 512;
constexpr int extent_y = 1024;
constexpr int extent_z = 16;
constexpr int half_x = extent_x / ranks;  // of a source block
constexpr int half_y = extent_y / ranks;  // of a destination block
constexpr std::size_t points = std::size_t{extent_x} * extent_y * extent_z / ranks;
constexpr std::size_t share = points * fields;
constexpr std::size_t share_bytes = share * sizeof(double);

/// What a rank owns of the bundle on either side, field after field.
struct Arrays {
  explicit Arrays(std::span<std::byte> memory)
      : source(reinterpret_cast<double*>(memory.data())), destination(source + share) {}
  double* source;
  double* destination;

  bundle::Blocks blocks(double* side, const layout::Box& box) const {
    bundle::Bundle bundle;
    for (std::size_t field = 0; field < fields; ++field) {
      bundle.push_back({.data = reinterpret_cast<std::byte*>(side + field * points),
                        .element_bytes = sizeof(double),
                        .extent = box});
    }
    return {bundle};
  }
};

std::vector<layout::Index> from(layout::Index lower, layout::Index count) {
  std::vector<layout::Index> indices;
  for (layout::Index index = lower; index < lower + count; ++index) {
    indices.push_back(index);
  }
  return indices;
}

void fill(const Arrays& arrays, int rank, const layout::Box& grid) {
  const workload::BlockPoints block{
      .x = from(rank * half_x, half_x), .y = from(0, extent_y), .extent_z = extent_z};
  for (std::size_t field = 0; field < fields; ++field) {
    write(workload::Waves(grid, field, 1), block, {arrays.source + field * points, points});
  }
}

bool arrived(const Arrays& arrays, int rank, const layout::Box& grid) {
  const workload::BlockPoints block{
      .x = from(0, extent_x), .y = from(rank * half_y, half_y), .extent_z = extent_z};
  for (std::size_t field = 0; field < fields; ++field) {
    if (difference(workload::Waves(grid, field, 1), block,
                   {arrays.destination + field * points, points})) {
      return false;
    }
  }
  return true;
}

/// What a program does by hand: rows copied into one message for the peer, and out of its own.
class ByHand {
 public:
  ByHand(const Arrays& arrays, int rank)
      : arrays_(arrays), rank_(rank), out_(share_bytes / ranks), in_(share_bytes / ranks) {}

  void run() {
    const int peer = 1 - rank_;
    std::array<MPI_Request, 2> requests{};
    const auto count = static_cast<int>(out_.bytes().size());
    MPI_Irecv(in_.bytes().data(), count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, requests.data());
    auto* packed = reinterpret_cast<double*>(out_.bytes().data());
    for_each_row(peer, rank_, [&](const double* own, double*) {
      std::memcpy(packed, own, half_x * sizeof(double));
      packed += half_x;
    });
    MPI_Isend(out_.bytes().data(), count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[1]);
    for_each_row(rank_, rank_, [](const double* own, double* there) {
      std::memcpy(there, own, half_x * sizeof(double));
    });
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    const auto* arrived = reinterpret_cast<const double*>(in_.bytes().data());
    for_each_row(rank_, peer, [&](const double*, double* there) {
      std::memcpy(there, arrived, half_x * sizeof(double));
      arrived += half_x;
    });
  }

 private:
  /// Rows of the box that the owner `of_y` of a destination gets from the owner `of_x` of a source.
  template <class Visit>
  void for_each_row(int of_y, int of_x, Visit visit) const {
    for (std::size_t plane = 0; plane < std::size_t{extent_z} * fields; ++plane) {
      for (std::size_t y = 0; y < half_y; ++y) {
        const std::size_t in_grid = static_cast<std::size_t>(of_y) * half_y + y;
        visit(arrays_.source + (plane * extent_y + in_grid) * half_x,
              arrays_.destination + (plane * half_y + y) * extent_x +
                  static_cast<std::size_t>(of_x) * half_x);
      }
    }
  }

  Arrays arrays_;
  int rank_;
  Memory out_;
  Memory in_;
};

/// One MPI_Alltoallw of subarrays, all fields in one.
class Alltoallw {
 public:
  explicit Alltoallw(const Arrays& arrays) : arrays_(arrays) {
    for (int peer = 0; peer < ranks; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      out_[at] = subarray({half_x, extent_y}, {half_x, half_y}, {0, peer * half_y});
      in_[at] = subarray({extent_x, half_y}, {half_x, half_y}, {peer * half_x, 0});
    }
  }
  ~Alltoallw() {
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      MPI_Type_free(&out_[peer]);
      MPI_Type_free(&in_[peer]);
    }
  }
  Alltoallw(const Alltoallw&) = delete;
  Alltoallw& operator=(const Alltoallw&) = delete;

  void run() {
    MPI_Alltoallw(arrays_.source, ones_.data(), none_.data(), out_.data(), arrays_.destination,
                  ones_.data(), none_.data(), in_.data(), MPI_COMM_WORLD);
  }

 private:
  static MPI_Datatype subarray(std::array<int, 2> whole, std::array<int, 2> part,
                               std::array<int, 2> first) {
    const std::array sizes{whole[0], whole[1], extent_z * fields};
    const std::array subsizes{part[0], part[1], extent_z * fields};
    const std::array starts{first[0], first[1], 0};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_FORTRAN,
                             MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
  }

  Arrays arrays_;
  std::array<MPI_Datatype, ranks> out_{};
  std::array<MPI_Datatype, ranks> in_{};
  std::array<int, ranks> ones_{1, 1};
  std::array<int, ranks> none_{};
};

/// The kernel's copy between processes, where it permits that: rows of the peer's memory, a few
/// hundred a call, into its own.
class KernelCopy {
 public:
  KernelCopy(const Arrays& arrays, int rank) : arrays_(arrays), rank_(rank) {
    const std::array own{static_cast<std::int64_t>(getpid()),
                         static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(arrays.source))};
    std::array<std::int64_t, 2> peers{};
    MPI_Sendrecv(own.data(), 2, MPI_INT64_T, 1 - rank, 0, peers.data(), 2, MPI_INT64_T, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    process_ = static_cast<pid_t>(peers[0]);
    source_ = reinterpret_cast<double*>(static_cast<std::intptr_t>(peers[1]));
  }

  /// On both ranks.
  bool permitted() const {
    std::array<iovec, 1> to{{{arrays_.destination, sizeof(double)}}};
    std::array<iovec, 1> from{{{source_, sizeof(double)}}};
    int permitted = process_vm_readv(process_, to.data(), 1, from.data(), 1, 0) > 0 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &permitted, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return permitted == 1;
  }

  void run() {
    MPI_Barrier(MPI_COMM_WORLD);  // the peer's values are there
    std::vector<iovec> to;
    std::vector<iovec> from;
    const auto copy = [&] {
      if (process_vm_readv(process_, to.data(), to.size(), from.data(), from.size(), 0) < 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      to.clear();
      from.clear();
    };
    for (std::size_t plane = 0; plane < std::size_t{extent_z} * fields; ++plane) {
      for (std::size_t y = 0; y < half_y; ++y) {
        const std::size_t row = plane * extent_y + static_cast<std::size_t>(rank_) * half_y + y;
        double* const there = arrays_.destination + (plane * half_y + y) * extent_x;
        std::memcpy(there + rank_ * half_x, arrays_.source + row * half_x, half_x * sizeof(double));
        to.push_back({there + (1 - rank_) * half_x, half_x * sizeof(double)});
        from.push_back({source_ + row * half_x, half_x * sizeof(double)});
      }
      copy();
    }
    MPI_Barrier(MPI_COMM_WORLD);  // the peer may change its values
  }

 private:
  Arrays arrays_;
  int rank_;
  pid_t process_ = 0;
  double* source_ = nullptr;
};

/// The slowest rank's time of one run.
double timed(const std::function<void()>& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Seconds begin = measure::now();
  run();
  double elapsed_s = (measure::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &elapsed_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return elapsed_s;
}

/// Seconds that a rank of so many takes to make its route, on average over a thousand of them.
double store_s(const layout::Box& grid, int planned_ranks) {
  constexpr int sampled = 1000;
  const auto layouts = workload::layouts_of("table1", grid, planned_ranks);
  std::size_t boxes = 0;
  const Seconds begin = measure::now();
  for (int sample = 0; sample < sampled; ++sample) {
    const int rank = static_cast<int>(std::int64_t{sample} * planned_ranks / sampled);
    boxes += route::redistribution(layouts.source, layouts.destination, rank).sends.size();
  }
  const double elapsed_s = (measure::now() - begin).count() / sampled;
  return boxes > 0 ? elapsed_s : -1;
}

using Times = std::map<std::string, std::vector<double>>;

void print(const Times& times) {
  JsonText json;
  json.begin_object();
  for (const auto& [way, elapsed_s] : times) {
    json.list(way, elapsed_s);
  }
  std::puts(json.end_object().text().c_str());
}

int measure_all(const mpi::Communicator& world) {
  const layout::Box grid = workload::grid_of_text("512x1024x16");
  const auto layouts = workload::layouts_of("table1", grid, ranks);
  const int rank = world.rank();
  const bundle::NodeMemory library(world, 2 * share_bytes);
  Memory user(2 * share_bytes);
  Memory own(2 * share_bytes + 64);
  // As programs' arrays lie: with ragged ends.
  const std::span<std::byte> ragged = own.bytes().subspan(64);
  const Arrays of_library(library.own());
  const Arrays of_program(ragged);
  const Arrays of_user(user.bytes());
  const auto route = route::redistribution(layouts.source, layouts.destination, world);
  const auto exchange = [&](const Arrays& arrays, const bundle::NodeMemory* memory) {
    fill(arrays, rank, grid);
    std::memset(arrays.destination, 0xff, share_bytes);
    return bundle::Redistribution(
        route, arrays.blocks(arrays.source, layouts.source.local(rank)),
        arrays.blocks(arrays.destination, layouts.destination.local(rank)), {}, world, memory);
  };
  bundle::Redistribution straight = exchange(of_library, &library);
  bundle::Redistribution staged = exchange(of_user, nullptr);
  fill(of_program, rank, grid);
  std::optional<bundle::NodeMemory> adopted;
  const std::array<std::span<std::byte>, 1> adopting{ragged.first(share_bytes)};
  const double adopt_s = timed([&] { adopted.emplace(world, adopting); });
  std::optional<bundle::Redistribution> from_adopted(exchange(of_program, &*adopted));
  KernelCopy kernel_copy(of_user, rank);
  ByHand by_hand(of_user, rank);
  Alltoallw alltoallw(of_user);
  const auto redistribute = [](bundle::Redistribution& ready) {
    ready.start();
    ready.finish();
  };
  const auto bytes = [](double* side) {
    return std::span(reinterpret_cast<std::byte*>(side), share_bytes);
  };
  struct Way {
    const char* name;
    std::function<void()> run;
    const Arrays* checked;
  };
  std::vector<Way> ways{
      {"bound",
       [&] { numerics::copy_streaming(bytes(of_library.destination), bytes(of_library.source)); },
       nullptr},
      {"library memory", [&] { redistribute(straight); }, &of_library},
      {"adopted memory", [&] { redistribute(*from_adopted); }, &of_program},
      {"user memory", [&] { redistribute(staged); }, &of_user},
      {"by hand", [&] { by_hand.run(); }, &of_user},
      {"alltoallw", [&] { alltoallw.run(); }, &of_user},
  };
  if (kernel_copy.permitted()) {
    ways.push_back({"process_vm_readv", [&] { kernel_copy.run(); }, &of_user});
  }
#ifdef HALOCLINE_SCALAPACK
  const Scalapack scalapack(ranks, {extent_x, half_x}, {extent_y, half_y}, extent_z * fields);
  ways.push_back(
      {"ScaLAPACK", [&] { scalapack.run(of_user.source, of_user.destination); }, &of_user});
#endif
  Times times;
  for (const Way& way : ways) {
    way.run();
    if (way.checked != nullptr && !arrived(*way.checked, rank, grid)) {
      std::fprintf(stderr, "%s moved a point wrongly\n", way.name);
      return 1;
    }
    if (way.checked != nullptr) {
      std::memset(way.checked->destination, 0xff, share_bytes);
    }
  }
  for (bundle::Redistribution* const ready : {&straight, &staged, &*from_adopted}) {
    settle(*ready, world);
  }
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t step = 0; step < ways.size(); ++step) {
      const Way& way = ways[(step + static_cast<std::size_t>(turn)) % ways.size()];
      times[way.name].push_back(timed(way.run));
    }
    times["store 2048"].push_back(store_s(grid, 2048));
    times["store 1048576"].push_back(store_s(workload::grid_of_text("2048x4096x16"), 1'048'576));
  }
  from_adopted.reset();
  times["adopting"].push_back(adopt_s);
  times["giving back"].push_back(timed([&] { adopted->give_back(); }));
  if (rank == 0) {
    print(times);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv);
  return measure_all(mpi::Communicator::world());
}
