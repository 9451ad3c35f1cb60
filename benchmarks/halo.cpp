// A halo update on one node next to what else moves it: width 2, 8 fields of 320x384x40 on two
// ranks, periodic along x. All in one process, in turns, so that the machine's drift cancels.
// Prints one JSON line: the slowest rank's seconds in each turn, for each way.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "halocline/base/json.hpp"
#include "halocline/base/memory.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/route/block_halo.hpp"
#include "settle.hpp"
#ifdef HALOCLINE_GHEX
#include "ghex_halo.hpp"
#endif
#ifdef HALOCLINE_PETSC
#include "petsc_halo.hpp"
#endif

namespace {

using namespace halocline;

constexpr int turns = 31;
constexpr int fields = 8;
constexpr int width = 2;
constexpr int extent_x = 320;
constexpr int extent_y = 384;
constexpr int levels = 40;
constexpr int ranks = 2;
constexpr int block_y = extent_y / ranks;
constexpr int full_x = extent_x + 2 * width;
constexpr int full_y = block_y + 2 * width;
constexpr std::size_t field_cells = std::size_t{full_x} * full_y * levels;
constexpr std::size_t all_bytes = field_cells * fields * sizeof(double);

/// The fields of a rank, ghost cells included, one after the other or all of a cell together.
struct Arrays {
  enum class Order { by_field, by_cell };
  explicit Arrays(std::span<std::byte> memory, Order order = Order::by_field)
      : data(reinterpret_cast<double*>(memory.data())), order(order) {}
  double* data;
  Order order;

  double& at(int field, int level, int y, int x) const {
    return order == Order::by_field
               ? row(field, level, y)[x]
               : data[(static_cast<std::size_t>(y) * full_x + static_cast<std::size_t>(x)) *
                          (fields * levels) +
                      static_cast<std::size_t>(field * levels + level)];
  }
  double* row(int field, int level, int y) const {
    return data +
           ((static_cast<std::size_t>(field) * levels + static_cast<std::size_t>(level)) * full_y +
            static_cast<std::size_t>(y)) *
               full_x;
  }
};

double value(int field, int level, int x, int y) {
  return x + 1000.0 * (y + 1000.0 * (level + 100.0 * field));
}

void fill(const Arrays& arrays, int rank) {
  for (int field = 0; field < fields; ++field) {
    for (int level = 0; level < levels; ++level) {
      for (int y = 0; y < full_y; ++y) {
        for (int x = 0; x < full_x; ++x) {
          const bool own = x >= width && x < full_x - width && y >= width && y < full_y - width;
          arrays.at(field, level, y, x) =
              own ? value(field, level, x - width, y - width + rank * block_y) : -1;
        }
      }
    }
  }
}

bool right(const Arrays& arrays, int rank) {
  for (int field = 0; field < fields; ++field) {
    for (int level = 0; level < levels; ++level) {
      for (int y = 0; y < full_y; ++y) {
        const int there = y - width + rank * block_y;
        const bool closed = there < 0 || there >= extent_y;
        for (int x = 0; x < full_x; ++x) {
          const int around = (x - width + extent_x) % extent_x;
          if (arrays.at(field, level, y, x) != (closed ? -1 : value(field, level, around, there))) {
            return false;
          }
        }
      }
    }
  }
  return true;
}

/// Rows that this rank sends to the other and gets from it, and the ends of rows around the ring.
struct Edges {
  explicit Edges(int rank)
      : sent(rank == 0 ? block_y : width), received(rank == 0 ? full_y - width : 0) {}
  int sent;
  int received;
};

void copy_ring(const Arrays& arrays, int first, int last) {
  for (int plane = 0; plane < fields * levels; ++plane) {
    for (int y = first; y < last; ++y) {
      double* const row = arrays.row(0, plane, y);
      std::memcpy(row, row + extent_x, width * sizeof(double));
      std::memcpy(row + extent_x + width, row + width, width * sizeof(double));
    }
  }
}

/// The copies of an update without the other rank: the same boxes, in this rank's own memory.
class Bound {
 public:
  Bound(const Arrays& arrays, int rank) : arrays_(arrays), edges_(rank) {}

  void run() const {
    copy_ring(arrays_, width, full_y - width);
    for (int plane = 0; plane < fields * levels; ++plane) {
      std::memcpy(arrays_.row(0, plane, edges_.received), arrays_.row(0, plane, edges_.sent),
                  sizeof(double) * width * full_x);
    }
  }

 private:
  Arrays arrays_;
  Edges edges_;
};

/// What a model does by hand: x first, then whole rows, packed, so that corners travel along.
class ByHand {
 public:
  ByHand(const Arrays& arrays, int rank)
      : arrays_(arrays), edges_(rank), peer_(1 - rank), out_(message_bytes), in_(message_bytes) {}

  void run() {
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(in_.bytes().data(), message_bytes, MPI_BYTE, peer_, 0, MPI_COMM_WORLD,
              requests.data());
    copy_ring(arrays_, width, full_y - width);
    for (int plane = 0; plane < fields * levels; ++plane) {
      std::memcpy(out_.bytes().data() + plane * plane_bytes, arrays_.row(0, plane, edges_.sent),
                  plane_bytes);
    }
    MPI_Isend(out_.bytes().data(), message_bytes, MPI_BYTE, peer_, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    for (int plane = 0; plane < fields * levels; ++plane) {
      std::memcpy(arrays_.row(0, plane, edges_.received), in_.bytes().data() + plane * plane_bytes,
                  plane_bytes);
    }
  }

 private:
  static constexpr int plane_bytes = int{sizeof(double)} * width * full_x;
  static constexpr int message_bytes = plane_bytes * fields * levels;

  Arrays arrays_;
  Edges edges_;
  int peer_;
  Memory out_;
  Memory in_;
};

/// MPI_Neighbor_alltoallw of subarrays, along x and then along y.
class Neighbours {
 public:
  Neighbours(const Arrays& arrays, int rank) : arrays_(arrays) {
    const Edges edges(rank);
    const int self = rank;
    const int peer = 1 - rank;
    const std::array ring{self, self};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ring.data(), MPI_UNWEIGHTED, 2, ring.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &along_x_);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, MPI_UNWEIGHTED, 1, &peer,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &along_y_);
    const auto columns = [](int first) { return box({width, block_y}, {first, width}); };
    const auto rows = [](int first) { return box({full_x, width}, {0, first}); };
    out_ = {columns(extent_x), columns(width), rows(edges.sent)};
    in_ = {columns(0), columns(extent_x + width), rows(edges.received)};
  }
  ~Neighbours() {
    for (std::size_t box = 0; box < out_.size(); ++box) {
      MPI_Type_free(&out_[box]);
      MPI_Type_free(&in_[box]);
    }
    MPI_Comm_free(&along_x_);
    MPI_Comm_free(&along_y_);
  }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  void run() {
    move(along_x_, 0);
    move(along_y_, 2);
  }

 private:
  static MPI_Datatype box(std::array<int, 2> part, std::array<int, 2> first) {
    const std::array sizes{full_x, full_y, levels * fields};
    const std::array subsizes{part[0], part[1], levels * fields};
    const std::array starts{first[0], first[1], 0};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_FORTRAN,
                             MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
  }

  void move(MPI_Comm neighbours, std::size_t first) {
    MPI_Neighbor_alltoallw(arrays_.data, ones_.data(), none_.data(), &out_[first], arrays_.data,
                           ones_.data(), none_.data(), &in_[first], neighbours);
  }

  Arrays arrays_;
  MPI_Comm along_x_ = MPI_COMM_NULL;
  MPI_Comm along_y_ = MPI_COMM_NULL;
  std::array<MPI_Datatype, 3> out_{};
  std::array<MPI_Datatype, 3> in_{};
  std::array<int, 2> ones_{1, 1};
  std::array<MPI_Aint, 2> none_{};
};

bundle::Redistribution update(const Arrays& arrays, const mpi::Communicator& world,
                              const bundle::NodeMemory* memory) {
  const layout::Blocks blocks({layout::Cuts::even({.lower = 0, .upper = extent_x}, 1),
                               layout::Cuts::even({.lower = 0, .upper = extent_y}, ranks)});
  const route::Halo halo{.below = {width, width, 0, 0},
                         .above = {width, width, 0, 0},
                         .periodic = {true, false, false, false}};
  const layout::Box extent =
      blocks.local(world.rank()).widened(0, width).widened(1, width).with(2, 0, levels);
  bundle::Bundle bundle;
  for (int field = 0; field < fields; ++field) {
    bundle.push_back({.data = reinterpret_cast<std::byte*>(arrays.row(field, 0, 0)),
                      .element_bytes = sizeof(double),
                      .extent = extent});
  }
  return {route::halo(blocks, halo, world), {bundle}, {bundle}, {}, world, memory};
}

#ifdef HALOCLINE_PETSC
/// A star forest for the ends of rows around the ring, and one for the rows of the other rank.
class PetscForests {
 public:
  PetscForests(const Arrays& arrays, int rank)
      : ring_(arrays.data, cells, ring(rank)), rows_(arrays.data, cells, rows(rank)) {}

  void run() const {
    ring_.run();
    rows_.run();
  }

 private:
  static constexpr int cells = full_x * full_y * levels * fields;

  static PetscForest::Ghosts ring(int rank) {
    PetscForest::Ghosts ghosts;
    add({width, block_y}, {0, width}, rank, {extent_x, width}, ghosts);
    add({width, block_y}, {extent_x + width, width}, rank, {width, width}, ghosts);
    return ghosts;
  }
  static PetscForest::Ghosts rows(int rank) {
    PetscForest::Ghosts ghosts;
    add({full_x, width}, {0, Edges(rank).received}, 1 - rank, {0, Edges(1 - rank).sent}, ghosts);
    return ghosts;
  }
  static void add(std::array<int, 2> part, std::array<int, 2> first, int owner,
                  std::array<int, 2> first_there, PetscForest::Ghosts& ghosts) {
    for (int plane = 0; plane < fields * levels; ++plane) {
      for (int y = 0; y < part[1]; ++y) {
        for (int x = 0; x < part[0]; ++x) {
          const auto cell = [&](std::array<int, 2> corner) {
            return (plane * full_y + corner[1] + y) * full_x + corner[0] + x;
          };
          ghosts.cells.push_back(cell(first));
          ghosts.owners.push_back({owner, cell(first_there)});
        }
      }
    }
  }

  PetscForest ring_;
  PetscForest rows_;
};
#endif

/// The slowest rank's time of one run.
double timed(const std::function<void()>& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Seconds begin = measure::now();
  run();
  double elapsed_s = (measure::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &elapsed_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return elapsed_s;
}

int measure_all(const mpi::Communicator& world) {
  const int rank = world.rank();
  const bundle::NodeMemory library(world, all_bytes);
  Memory user(all_bytes);
  const Arrays of_library(library.own());
  const Arrays of_user(user.bytes());
  bundle::Redistribution straight = update(of_library, world, &library);
  bundle::Redistribution staged = update(of_user, world, nullptr);
  const Bound bound(of_library, rank);
  ByHand by_hand(of_user, rank);
  Neighbours neighbours(of_user, rank);
  const auto run = [](bundle::Redistribution& ready) {
    ready.start();
    ready.finish();
  };
  struct Way {
    const char* name;
    std::function<void()> run;
    const Arrays* checked;
  };
  std::vector<Way> ways{
      {"bound", [&] { bound.run(); }, nullptr},
      {"library memory", [&] { run(straight); }, &of_library},
      {"user memory", [&] { run(staged); }, &of_user},
      {"by hand", [&] { by_hand.run(); }, &of_user},
      {"neighbor_alltoallw", [&] { neighbours.run(); }, &of_user},
  };
#ifdef HALOCLINE_GHEX
  GhexHalo ghex({extent_x, extent_y, levels}, ranks, width, of_user.data, fields);
  ways.push_back({"GHEX", [&] { ghex.run(); }, &of_user});
#endif
#ifdef HALOCLINE_PETSC
  const PetscLibrary petsc;
  Memory of_petsc_memory(all_bytes);
  const Arrays of_petsc(of_petsc_memory.bytes(), Arrays::Order::by_cell);
  const PetscGrid grid(extent_x, extent_y, fields * levels, ranks, width, of_petsc.data);
  const PetscForests forests(of_user, rank);
  ways.push_back({"PETSc DMDA", [&] { grid.run(); }, &of_petsc});
  ways.push_back({"PETSc SF", [&] { forests.run(); }, &of_user});
#endif
  for (const Way& way : ways) {
    fill(way.checked == nullptr ? of_library : *way.checked, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    way.run();
    if (way.checked != nullptr && !right(*way.checked, rank)) {
      std::fprintf(stderr, "%s filled a ghost cell wrongly\n", way.name);
      return 1;
    }
  }
  settle(straight, world);
  settle(staged, world);
  std::map<std::string, std::vector<double>> times;
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t step = 0; step < ways.size(); ++step) {
      const Way& way = ways[(step + static_cast<std::size_t>(turn)) % ways.size()];
      times[way.name].push_back(timed(way.run));
    }
  }
  if (rank == 0) {
    JsonText json;
    json.begin_object();
    for (const auto& [way, elapsed_s] : times) {
      json.list(way, elapsed_s);
    }
    std::puts(json.end_object().text().c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv);
  return measure_all(mpi::Communicator::world());
}
