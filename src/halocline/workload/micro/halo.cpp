#include <array>

#include "halocline/bundle/exchange.hpp"
#include "halocline/workload/micro/edges.hpp"
#include "halocline/workload/micro/topology.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

extern const Workload halo;

namespace {

constexpr std::int64_t most_words = 1'048'576;

const IntegerAxis& words_axis() {
  static const IntegerAxis axis{
      .name = "words",
      .unit = "words",
      .low = 1,
      .high = most_words,
      .defaults = {1, 4, 16, 64, 256, 1024, 4096, 16'384, 65'536, 262'144, most_words},
  };
  return axis;
}

const IntegerAxis& width_axis() {
  static const IntegerAxis axis{
      .name = "width", .unit = "rows", .low = 1, .high = 2, .defaults = {1}};
  return axis;
}

/// Fills the ghost cells around a square tile on each rank of a periodic grid: columns from west
/// and east, then whole rows, corners included, from south and north.
class Halo final : public measure::TimedLoop {
 public:
  Halo(const Edges::Shape& shape, Pages pages, const protocol::Protocol& protocol,
       const mpi::Communicator& communicator)
      : communicator_(communicator),
        columns_(shape, communicator.rank(), 0, pages),
        rows_(shape, communicator.rank(), 1, pages),
        west_east_(columns_.route(), columns_.bundle(), columns_.bundle(), protocol, communicator),
        south_north_(rows_.route(), rows_.bundle(), rows_.bundle(), protocol, communicator),
        corner_(static_cast<std::size_t>(shape.width * shape.width) * sizeof(Edges::Word)) {
    write(0);
  }

  void synchronise() override { communicator_.barrier(); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      west_east_.start();
      west_east_.finish();
      copy_corners();
      south_north_.start();
      south_north_.finish();
    }
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    write(seed);
    synchronise();
    run(1);
    const auto wrong = columns_.difference(seed);
    return wrong ? wrong : rows_.difference(seed);
  }

  std::int64_t traversals() const override { return 1; }

  std::size_t moved_bytes() const override {
    std::size_t bytes = 0;
    for (const bundle::Exchange* exchange : {&west_east_, &south_north_}) {
      bytes += exchange->sent_bytes();
    }
    return bytes * static_cast<std::size_t>(communicator_.size());
  }

  std::vector<int> timed_ranks() const override { return every_rank(communicator_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return west_east_.off_node_bytes(node_of_rank) + south_north_.off_node_bytes(node_of_rank);
  }

 private:
  void write(std::uint64_t seed) {
    columns_.write(seed);
    rows_.write(seed);
  }

  /// Columns and rows are stored separately: passes on what arrived with the columns.
  void copy_corners() {
    for (const int end : {0, 1}) {
      for (const int edge : {0, 1}) {
        bundle::pack(west_east_.destination(), columns_.corner(end, edge), corner_);
        bundle::unpack(corner_, south_north_.source(), rows_.corner(end, edge));
      }
    }
  }

  const mpi::Communicator& communicator_;
  Edges columns_;
  Edges rows_;
  bundle::Exchange west_east_;
  bundle::Exchange south_north_;
  std::vector<std::byte> corner_;
};

}  // namespace

const Workload halo{
    .name = "halo",
    .summary = "ghost cells of a 2-D array on a periodic grid of ranks; grid_y=0: the squarest",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {words_axis(), width_axis(), ranks_along_y_axis(0)},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      const Edges::Shape shape{
          .grid = grid_of(communicator.size(), values.integer(ranks_along_y_axis(0)), 1),
          .tile = values.integer(words_axis()),
          .width = values.integer(width_axis())};
      if (shape.tile < shape.width) {
        throw Skip("a halo of " + std::to_string(shape.width) + " rows around tiles of " +
                   std::to_string(shape.tile) +
                   " rows; choose words=" + std::to_string(shape.width) + " or more");
      }
      return std::make_unique<Halo>(shape, values.pages(), values.protocol(), communicator);
    },
};

}  // namespace halocline::workload
