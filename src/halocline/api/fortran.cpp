// Functions that the Fortran module needs and C's cannot serve: Fortran's communicators are
// integers, and its arrays come with descriptors.

#include <ISO_Fortran_binding.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "halocline/api/calls.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/point_lists.hpp"
#include "halocline/base/error.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/compat/fortran.hpp"

namespace halocline::api {
namespace {

struct Known {
  CFI_type_t of_array;
  halocline_type type;
};
constexpr std::array<Known, 8> known{{{CFI_type_double, halocline_real8},
                                      {CFI_type_float, halocline_real4},
                                      {CFI_type_int64_t, halocline_integer8},
                                      {CFI_type_int32_t, halocline_integer4},
                                      {CFI_type_int16_t, halocline_integer2},
                                      {CFI_type_int8_t, halocline_integer1},
                                      {CFI_type_double_Complex, halocline_complex16},
                                      {CFI_type_float_Complex, halocline_complex8}}};

halocline_type type_of(const CFI_cdesc_t& array) {
  for (const Known& each : known) {
    if (each.of_array == array.type) {
      return each.type;
    }
  }
  throw Error("an array of type code " + std::to_string(array.type) +
              "; allowed: reals and complex numbers of 4 and 8 bytes, integers of 1, 2, 4 and 8; "
              "convert it");
}

halocline_field field_of(const CFI_cdesc_t& array, const int64_t* lower, int bounds) {
  if (array.rank < 1 || array.rank > HALOCLINE_DIMENSIONS) {
    throw Error("an array of rank " + std::to_string(array.rank) +
                "; allowed: 1 to 4; join dimensions that are not cut");
  }
  if (bounds != array.rank) {
    throw Error("an array of rank " + std::to_string(array.rank) + " with " +
                std::to_string(bounds) + " lower bounds; pass one for each dimension");
  }
  halocline_field field{};
  field.data = array.base_addr;
  field.type = type_of(array);
  for (int dimension = 0; dimension < HALOCLINE_DIMENSIONS; ++dimension) {
    const bool used = dimension < array.rank;
    if (used && array.dim[dimension].extent < 0) {
      throw Error("an array of assumed size; pass one whose last extent is known");
    }
    field.lower[dimension] = used ? lower[dimension] : 0;
    field.upper[dimension] = used ? lower[dimension] + array.dim[dimension].extent : 1;
    field.stride_bytes[dimension] = used ? array.dim[dimension].sm : 0;
  }
  return field;
}

/// All bytes of an array. Throws Error for a section: the gaps belong to others.
std::size_t bytes_of(const halocline_field& field, int number) {
  constexpr std::array<std::size_t, known.size() + 1> element_bytes{0, 8, 4, 8, 4, 2, 1, 16, 8};
  auto bytes = static_cast<int64_t>(element_bytes.at(static_cast<std::size_t>(field.type)));
  for (int dimension = 0; dimension < HALOCLINE_DIMENSIONS; ++dimension) {
    const int64_t extent = field.upper[dimension] - field.lower[dimension];
    if (extent > 1 && field.stride_bytes[dimension] != bytes) {
      throw Error(
          "field " + std::to_string(number) +
          " to adopt is a section; allowed: whole arrays; add the array that it is cut from "
          "to a bundle, and adopt that");
    }
    bytes *= extent;
  }
  return static_cast<std::size_t>(bytes);
}

void require_for_each_dimension(const int* given, int dimensions) {
  constexpr std::array names{"below", "above", "periodic"};
  for (const char* const name : names) {
    const int length = *given++;
    if (dimensions > 0 && length != dimensions) {
      throw Error(std::string{name} + " has " + std::to_string(length) +
                  " elements for a layout of " + std::to_string(dimensions) +
                  " dimensions; pass one for each");
    }
  }
}

}  // namespace
}  // namespace halocline::api

using namespace halocline;  // NOLINT: the functions are C's

extern "C" {

int halocline_fortran_field(const CFI_cdesc_t* array, const int64_t* lower, int bounds,
                            halocline_field* field) {
  return api::guarded([=] { *field = api::field_of(*array, lower, bounds); });
}

/// `largest` is the largest integer that the program passes bounds in.
int halocline_fortran_layout_block(halocline_layout layout, int rank, int block, int64_t largest,
                                   int64_t* lower, int64_t* upper) {
  int blocks = 0;
  const int status = halocline_layout_blocks(layout, rank, &blocks);
  if (status != halocline_ok) {
    return status;
  }
  if (block < 1 || block > blocks) {
    return api::guarded([=] {
      throw Error("block " + std::to_string(block) + " of rank " + std::to_string(rank) +
                  "; the rank has " + std::to_string(blocks) +
                  " blocks, numbered from 1; ask halocline_layout_blocks for their number");
    });
  }
  if (const int failed = halocline_layout_block(layout, rank, block - 1, lower, upper);
      failed != halocline_ok) {
    return failed;
  }
  return api::guarded([=] {
    const int64_t last = *std::max_element(upper, upper + HALOCLINE_DIMENSIONS) - 1;
    if (last > largest) {
      throw Error("block " + std::to_string(block) + " of rank " + std::to_string(rank) +
                  " ends at index " + std::to_string(last) + "; allowed: up to " +
                  std::to_string(largest) + " in these integers; pass integer(int64) bounds");
    }
  });
}

/// `lowers` and `uppers` are how many bounds of further dimensions the program passed.
int halocline_fortran_layout_create_points(int64_t count, const int64_t* numbers, int lowers,
                                           const int64_t* lower, int uppers, const int64_t* upper,
                                           halocline_layout* layout) {
  return api::guarded([=] {
    if (lowers != uppers) {
      throw Error("points with " + std::to_string(lowers) + " lower and " + std::to_string(uppers) +
                  " upper bounds of further dimensions; pass both of each");
    }
    constexpr layout::Index first_number = 1;
    api::create_points({count, numbers, lowers, lower, upper}, first_number, layout);
  });
}

int halocline_fortran_route_create(halocline_layout source, halocline_layout destination,
                                   int communicator, halocline_route* route) {
  return halocline_route_create(source, destination, mpi::of_fortran(communicator), route);
}

int halocline_fortran_route_create_region(halocline_layout source, halocline_layout destination,
                                          int communicator, const int64_t* source_lower,
                                          const int64_t* source_upper,
                                          const int64_t* destination_lower,
                                          const int64_t* destination_upper,
                                          halocline_route* route) {
  return halocline_route_create_region(source, destination, mpi::of_fortran(communicator),
                                       source_lower, source_upper, destination_lower,
                                       destination_upper, route);
}

int halocline_fortran_route_create_points(halocline_layout source, halocline_layout destination,
                                          int communicator, int numbered, int unwanted_allowed,
                                          halocline_route* route) {
  return halocline_route_create_points(source, destination, mpi::of_fortran(communicator), numbered,
                                       unwanted_allowed, route);
}

/// `given` are the lengths of below, above and periodic; a layout that was not created has no
/// dimensions.
int halocline_fortran_route_create_halo(halocline_layout layout, int dimensions, const int* given,
                                        const halocline_halo* halo, int communicator,
                                        halocline_route* route) {
  const int status = api::guarded([=] {
    api::require_running();
    const auto ranks = mpi::Communicator::duplicate_of(mpi::of_fortran(communicator));
    mpi::agreed(ranks, [=] { api::require_for_each_dimension(given, dimensions); });
  });
  return status != halocline_ok
             ? status
             : halocline_route_create_halo(layout, halo, mpi::of_fortran(communicator), route);
}

int halocline_fortran_route_save(halocline_route route, int communicator, const char* path) {
  return halocline_route_save(route, mpi::of_fortran(communicator), path);
}

int halocline_fortran_route_load(const char* path, int communicator, halocline_route* route) {
  return halocline_route_load(path, mpi::of_fortran(communicator), route);
}

int halocline_fortran_memory_create(int communicator, size_t bytes, halocline_memory* memory) {
  return halocline_memory_create(mpi::of_fortran(communicator), bytes, memory);
}

int halocline_fortran_memory_adopt(int communicator, int fields, const halocline_field* field,
                                   halocline_memory* memory) {
  std::vector<void*> addresses;
  std::vector<std::size_t> bytes;
  const int status = api::guarded([&] {
    api::require_running();
    const auto ranks = mpi::Communicator::duplicate_of(mpi::of_fortran(communicator));
    mpi::agreed(ranks, [&] {
      for (int number = 0; number < fields; ++number) {
        addresses.push_back(field[number].data);
        bytes.push_back(api::bytes_of(field[number], number + 1));
      }
    });
  });
  return status != halocline_ok ? status
                                : halocline_memory_adopt(mpi::of_fortran(communicator), fields,
                                                         addresses.data(), bytes.data(), memory);
}

int halocline_fortran_redistribution_create(halocline_route route, int communicator, int fields,
                                            int source_blocks, const halocline_field* source,
                                            int destination_blocks,
                                            const halocline_field* destination,
                                            const halocline_way* way, halocline_memory memory,
                                            halocline_redistribution* redistribution) {
  return halocline_redistribution_create(route, mpi::of_fortran(communicator), fields,
                                         source_blocks, source, destination_blocks, destination,
                                         way, memory, redistribution);
}
}
