#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <ghex/bulk_communication_object.hpp>
#include <ghex/structured/pattern.hpp>
#include <ghex/structured/regular/domain_descriptor.hpp>
#include <ghex/structured/regular/field_descriptor.hpp>
#include <ghex/structured/regular/halo_generator.hpp>
#include <ghex/structured/rma_range_generator.hpp>

/// GHEX's update of arrays in the program's memory by a bulk object,
/// which copies within a rank and sends to others, for want of the kernel's module xpmem.
class GhexHalo {
 public:
  /// Periodic along x, cut along y; the fields lie one after the other, ghost cells included.
  GhexHalo(std::array<int, 3> extents, int ranks, int width, double* data, int fields)
      : context_(MPI_COMM_WORLD, false),
        domains_{domain(extents, context_.rank(), ranks)},
        pattern_(
            ghex::make_pattern<ghex::structured::grid>(context_, halos(extents, width), domains_)),
        bulk_(context_) {
    const std::array full{extents[0] + 2 * width, extents[1] / ranks + 2 * width, extents[2]};
    const std::ptrdiff_t cells = std::ptrdiff_t{full[0]} * full[1] * full[2];
    for (int field = 0; field < fields; ++field) {
      fields_.push_back(ghex::wrap_field<ghex::cpu, Layout>(domains_.front(), data + field * cells,
                                                            std::array{width, width, 0}, full));
      bulk_.add_field(pattern_(fields_.back()));
    }
    bulk_.init();
  }

  void run() { bulk_.exchange().wait(); }

 private:
  using Dimensions = std::integral_constant<int, 3>;
  using Domain = ghex::structured::regular::domain_descriptor<int, Dimensions>;
  using Halos = ghex::structured::regular::halo_generator<int, Dimensions>;
  using Layout = gridtools::layout_map<2, 1, 0>;
  using Field = ghex::structured::regular::field_descriptor<double, ghex::cpu, Domain, Layout>;
  using Pattern = decltype(ghex::make_pattern<ghex::structured::grid>(
      std::declval<ghex::context&>(), std::declval<Halos&>(),
      std::declval<std::vector<Domain>&>()));
  using Bulk =
      ghex::bulk_communication_object<ghex::structured::rma_range_generator, Pattern, Field>;

  static Domain domain(std::array<int, 3> extents, int rank, int ranks) {
    const int rows = extents[1] / ranks;
    return {rank, std::array{0, rank * rows, 0},
            std::array{extents[0] - 1, (rank + 1) * rows - 1, extents[2] - 1}};
  }
  static Halos halos(std::array<int, 3> extents, int width) {
    return {std::array{0, 0, 0}, std::array{extents[0] - 1, extents[1] - 1, extents[2] - 1},
            std::array{width, width, width, width, 0, 0}, std::array{true, false, false}};
  }

  ghex::context context_;
  std::vector<Domain> domains_;
  Pattern pattern_;
  std::vector<Field> fields_;
  Bulk bulk_;
};
