#include "halocline/route/redistribution.hpp"

#include <string>
#include <utility>

#include "halocline/base/units.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/route/description.hpp"
#include "halocline/route/lists.hpp"
#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/near.hpp"
#include "halocline/workload/redistribution/layouts.hpp"
#include "halocline/workload/redistribution/side.hpp"

namespace halocline::workload {

extern const Workload redistribution;

namespace {

// Memory per single point for its route, and for the message of each of its values.
constexpr std::size_t listed_point_bytes = 400;
constexpr std::size_t listed_value_bytes = 200;

constexpr std::string_view lists = "lists";

/// The layouts of blocks, and every point of the grid distributed individually.
const ChoiceAxis& layouts_or_lists_axis() {
  static const ChoiceAxis axis = [] {
    ChoiceAxis more = layouts_axis();
    more.choices.push_back(lists);
    return more;
  }();
  return axis;
}

const IntegerAxis& fields_axis() {
  static const IntegerAxis axis{
      .name = "fields", .unit = "fields", .low = 1, .high = 256, .defaults = {8}};
  return axis;
}

const ChoiceAxis& packing_axis() {
  static const ChoiceAxis axis{.name = "packing",
                               .choices = {"rank", "box", "run", "type"},
                               .defaults = {"rank"},
                               .verified = {"rank", "type"}};
  return axis;
}

const ChoiceAxis& bundle_axis() {
  static const ChoiceAxis axis{
      .name = "bundle", .choices = {"whole", "fields"}, .defaults = {"whole"}};
  return axis;
}

const ChoiceAxis& memory_axis() {
  static const ChoiceAxis axis{
      .name = "memory", .choices = {"library", "user"}, .defaults = {"library"}};
  return axis;
}

const ChoiceAxis& near_axis() {
  static const ChoiceAxis axis = near_axis_of("shared");
  return axis;
}

/// Memory of both sides, the source's first: the library's or a program's own.
class BothSides {
 public:
  BothSides(bool of_library, std::size_t bytes, Pages pages, const mpi::Communicator& world)
      : user_(of_library ? 0 : bytes, pages) {
    if (of_library) {
      library_.emplace(world, bytes);
    }
  }
  std::span<std::byte> bytes() { return library_ ? library_->own() : user_.bytes(); }
  const bundle::NodeMemory* library() const { return library_ ? &*library_ : nullptr; }

 private:
  std::optional<bundle::NodeMemory> library_;
  Memory user_;
};

struct Shape {
  layout::Box grid;
  std::string_view layouts;
  std::size_t fields;
  bool library_memory;
  Pages pages;
};

/// A rank's fields on both sides, and their route.
struct Ends {
  Side source;
  Side destination;
  route::Route route;
};

/// Collective.
Ends ends_of(const Shape& shape, const mpi::Communicator& world) {
  const int rank = world.rank();
  if (shape.layouts == lists) {
    ListedPoints source = scattered(shape.grid, End::source, rank, world.size());
    ListedPoints destination = scattered(shape.grid, End::destination, rank, world.size());
    route::Route route = route::redistribution(layout::Points(source.numbers),
                                               layout::Points(destination.numbers), world);
    return {.source = Side(std::move(source), shape.fields),
            .destination = Side(std::move(destination), shape.fields),
            .route = std::move(route)};
  }
  const Layouts blocks = layouts_of(shape.layouts, shape.grid, world.size());
  return {.source = Side(blocks.source, rank, shape.fields),
          .destination = Side(blocks.destination, rank, shape.fields),
          .route = route::redistribution(blocks.source, blocks.destination, world)};
}

/// The benchmark of Li 2007: moves a bundle of fields from one layout to another.
class Redistributing final : public measure::TimedLoop {
 public:
  Redistributing(const Shape& shape, Ends ends, const bundle::Way& way,
                 const mpi::Communicator& world)
      : world_(world),
        shape_(shape),
        source_(std::move(ends.source)),
        destination_(std::move(ends.destination)),
        moved_points_(route::describe(ends.route, world).indices_moved),
        memory_(shape.library_memory, source_.bytes() + destination_.bytes(), shape.pages, world) {
    source_.lie_in(memory_.bytes());
    destination_.lie_in(memory_.bytes().subspan(source_.bytes()));
    source_.write(shape_.grid, 0);
    destination_.spoil();  // touches its pages before the first exchange
    redistribution_ = std::make_unique<bundle::Redistribution>(
        ends.route, source_.blocks(), destination_.blocks(), way, world, memory_.library());
  }

  void synchronise() override { world_.barrier(); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      redistribution_->start();
      redistribution_->finish();
    }
  }

  bool settled() const override {
    return world_.maximum(std::int64_t{redistribution_->settled() ? 0 : 1}) == 0;
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    source_.write(shape_.grid, seed);
    destination_.spoil();
    synchronise();
    run(1);
    return destination_.difference(shape_.grid, seed);
  }

  std::int64_t traversals() const override { return 1; }

  /// As the paper counts: the data that change rank.
  std::size_t moved_bytes() const override {
    return static_cast<std::size_t>(moved_points_) * shape_.fields * element_bytes;
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return redistribution_->off_node_bytes(node_of_rank);
  }

 private:
  const mpi::Communicator& world_;
  Shape shape_;
  Side source_;
  Side destination_;
  std::int64_t moved_points_;
  BothSides memory_;
  std::unique_ptr<bundle::Redistribution> redistribution_;
};

/// A rank's memory for the fields and their messages, in bytes.
double moving_bytes(const Shape& shape, const bundle::Way& way, const mpi::Communicator& world) {
  const std::size_t bundle_bytes =
      static_cast<std::size_t>(shape.grid.volume()) * shape.fields * element_bytes;
  // In addition to both sides, the packed buffers.
  const std::size_t copies = shape.library_memory && way.near == bundle::Near::shared ? 2 : 4;
  const std::size_t route_bytes = shape.layouts == lists
                                      ? static_cast<std::size_t>(shape.grid.volume()) *
                                            (listed_point_bytes + shape.fields * listed_value_bytes)
                                      : 0;
  return static_cast<double>(copies * bundle_bytes + route_bytes) / world.size();
}

/// Throws Skip for what would only repeat measurements of other axes.
void require_different(std::string_view packing, const bundle::Way& way,
                       const mpi::Communicator& world) {
  const std::string name{way.protocol->name};
  const bool typed = way.protocol->form == protocol::Form::boxes;
  const bool copied = way.near == bundle::Near::shared && !mpi::simulated;
  if (copied && world.node().size() == world.size()) {
    if (name != "isend_irecv" || packing != "rank") {
      throw Skip(
          "all ranks share a node and send no messages, so protocols and packings do not differ; "
          "choose protocol=isend_irecv packing=rank, or near=messages");
    }
  } else if (typed != (packing == "type")) {
    throw Skip(typed ? "the protocol carries derived datatypes; choose packing=type"
                     : "the protocol carries packed messages, packing=type derived datatypes; "
                       "choose protocol=isend_irecv_type or another packing");
  }
}

bundle::Packing packing_of(std::string_view name) {
  if (name == "box") {
    return bundle::Packing::box;
  }
  return name == "run" ? bundle::Packing::run : bundle::Packing::rank;
}

}  // namespace

const Workload redistribution{
    .name = "redistribution",
    .summary =
        "a bundle of fields moved from one layout to another, of blocks or of lists, every point "
        "verified; the benchmark of Li 2007",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {grid_axis(), layouts_or_lists_axis(), fields_axis(), packing_axis(), bundle_axis(),
             memory_axis(), near_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const layout::Box grid = grid_of_text(values.choice(grid_axis()));
      const std::string_view packing = values.choice(packing_axis());
      const Shape shape{.grid = grid,
                        .layouts = values.choice(layouts_or_lists_axis()),
                        .fields = static_cast<std::size_t>(values.integer(fields_axis())),
                        .library_memory = values.choice(memory_axis()) == "library",
                        .pages = values.pages()};
      const bundle::Way way{.protocol = &values.protocol(),
                            .packing = packing_of(packing),
                            .whole_bundle = values.choice(bundle_axis()) == "whole",
                            .near = near_of(values, near_axis())};
      require_different(packing, way, world);
      require_memory("moving " + std::to_string(shape.fields) + " fields of " +
                         std::string{values.choice(grid_axis())} + " points",
                     moving_bytes(shape, way, world), percent_for_fields,
                     "a smaller grid, fewer fields, memory=library near=shared or more nodes",
                     world);
      return std::make_unique<Redistributing>(shape, ends_of(shape, world), way, world);
    },
};

}  // namespace halocline::workload
