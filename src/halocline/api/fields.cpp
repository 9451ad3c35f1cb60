#include "halocline/api/fields.hpp"

#include <array>
#include <span>
#include <string>

#include "halocline/api/calls.hpp"
#include "halocline/base/error.hpp"
#include "halocline/base/identity.hpp"
#include "halocline/mpi/unwinding.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::api {
namespace {

struct Type {
  const char* name;
  std::size_t bytes;
};
constexpr std::array<Type, 8> types{{{"real8", 8},
                                     {"real4", 4},
                                     {"integer8", 8},
                                     {"integer4", 4},
                                     {"integer2", 2},
                                     {"integer1", 1},
                                     {"complex16", 16},
                                     {"complex8", 8}}};

const Type& type_of(int type) {
  if (type == 0) {
    throw Error("it has no type; describe every field of every block, with a type of halocline.h");
  }
  if (type < 1 || static_cast<std::size_t>(type) > types.size()) {
    throw Error("the type " + std::to_string(type) +
                "; allowed: halocline_real8 to halocline_complex8; name one of halocline.h");
  }
  return types[static_cast<std::size_t>(type) - 1];
}

/// Throws Error where some strides are given, but not that of a dimension with several indices.
void require_each_stride(const bundle::Field& field) {
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    if (field.stride_bytes != bundle::Strides{} && field.stride_bytes[dimension] == 0 &&
        field.extent.extent(dimension) > 1) {
      throw Error("a stride of 0 bytes along dimension " + std::to_string(dimension + 1) +
                  ", which has " + std::to_string(field.extent.extent(dimension)) +
                  " indices; allowed: 1 or more where strides are given; give that of each "
                  "dimension, or none");
    }
  }
}

bundle::Field field_of(const halocline_field& given) {
  bundle::Field field{.data = static_cast<std::byte*>(given.data),
                      .element_bytes = type_of(given.type).bytes,
                      .extent = {}};
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    const int64_t lower = given.lower[dimension];
    const int64_t upper = given.upper[dimension];
    if (upper < lower) {
      throw Error("its indices end before they begin, at " + std::to_string(upper) + " and " +
                  std::to_string(lower) + " along dimension " + std::to_string(dimension + 1) +
                  "; give lower and upper bounds, 0 and 1 for dimensions that are not used");
    }
    if (given.stride_bytes[dimension] < 0) {
      throw Error("a stride of " + std::to_string(given.stride_bytes[dimension]) +
                  " bytes along dimension " + std::to_string(dimension + 1) +
                  "; allowed: 0 or more; reverse the array");
    }
    field.extent = field.extent.with(dimension, lower, upper);
    field.stride_bytes[dimension] = given.stride_bytes[dimension];
  }
  if (!field.extent.countable()) {
    throw Error("it has more than 9223372036854775807 elements; allowed: fewer; check its bounds");
  }
  if (!field.extent.empty()) {
    require_each_stride(field);
    if (given.data == nullptr) {
      throw Error("its data are NULL; pass the address of the lowest indices");
    }
  }
  return field;
}

std::size_t number_of(int blocks, int fields) {
  return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(fields);
}

void require_same_as_first(std::span<const halocline_field> first,
                           std::span<const halocline_field> fields) {
  for (std::size_t at = 0; at < fields.size(); ++at) {
    const std::size_t field = at % first.size();
    const char* expected = type_of(first[field].type).name;
    const char* found = type_of(fields[at].type).name;
    if (found != expected) {
      throw Error("field " + std::to_string(field + 1) + " is of type " + expected +
                  " in one block, " + found +
                  " in another; a field has one type at source and destination; convert it");
    }
  }
}

}  // namespace

bundle::Blocks blocks_of(int blocks, int fields, const halocline_field* field, const char* side) {
  require_count(blocks, "blocks");
  if (fields < 1) {
    throw Error("a redistribution of " + std::to_string(fields) +
                " fields; allowed: 1 or more; pass the same number on all ranks");
  }
  if (blocks > 0) {
    require_given(field, side);
  }
  bundle::Blocks found(static_cast<std::size_t>(blocks));
  for (bundle::Bundle& bundle : found) {
    for (int number = 0; number < fields; ++number, ++field) {
      try {
        bundle.push_back(field_of(*field));
      } catch (const Error& error) {
        throw Error("field " + std::to_string(number + 1) + " of block " +
                    std::to_string(&bundle - found.data() + 1) + " of " + side + ": " +
                    error.what());
      }
    }
  }
  return found;
}

std::optional<std::int64_t> types_of(int fields, int source_blocks, const halocline_field* source,
                                     int destination_blocks, const halocline_field* destination) {
  const halocline_field* first = source_blocks > 0 ? source : destination;
  if (source_blocks == 0 && destination_blocks == 0) {
    return std::nullopt;
  }
  const std::span expected(first, static_cast<std::size_t>(fields));
  require_same_as_first(expected, {source, number_of(source_blocks, fields)});
  require_same_as_first(expected, {destination, number_of(destination_blocks, fields)});
  Identity identity;
  for (const halocline_field& field : expected) {
    identity.add(static_cast<std::uint64_t>(field.type));
  }
  return static_cast<std::int64_t>(identity.value() >> 2U);
}

void require_same_types(const mpi::Communicator& communicator, std::optional<std::int64_t> types) {
  constexpr std::int64_t nothing = -1;
  const std::int64_t largest = communicator.maximum(types.value_or(nothing));
  const std::int64_t smallest = INT64_MAX - communicator.maximum(types ? INT64_MAX - *types : 0);
  if (largest != nothing && largest != smallest) {
    mpi::throw_on_all(
        Error("ranks pass fields of different numbers or types; all ranks must pass the same, in "
              "the same order; compare what they pass"));
  }
}

bundle::Way way_of(const halocline_way* way) {
  if (way == nullptr) {
    return {};
  }
  constexpr std::array packings{bundle::Packing::rank, bundle::Packing::box, bundle::Packing::run};
  const auto packing = static_cast<unsigned>(way->packing);
  if (packing >= packings.size()) {
    throw Error("the packing " + std::to_string(way->packing) +
                "; allowed: halocline_pack_rank, _box and _run; name one of halocline.h");
  }
  constexpr std::array<std::optional<Stores>, 3> all_stores{std::nullopt, Stores::cached,
                                                            Stores::streaming};
  const auto stores = static_cast<unsigned>(way->stores);
  if (stores >= all_stores.size()) {
    throw Error("the stores " + std::to_string(way->stores) +
                "; allowed: halocline_stores_by_size, _cached and _streaming; name one of "
                "halocline.h");
  }
  require_count(way->threads, "threads");
  return {.protocol = way->protocol == nullptr ? nullptr : &protocol::find(way->protocol),
          .packing = packings[packing],
          .whole_bundle = way->field_by_field == 0,
          .near = way->messages_only == 0 ? bundle::Near::shared : bundle::Near::messages,
          .threads = way->threads == 0 ? 1 : way->threads,
          .progress_thread = way->progress_thread != 0,
          .stores = all_stores[stores]};
}

bool left_to_library(const halocline_way* way) {
  return way == nullptr || (way->protocol == nullptr && way->packing == halocline_pack_rank &&
                            way->field_by_field == 0 && way->messages_only == 0 &&
                            way->stores == halocline_stores_by_size);
}

halocline_way described(const bundle::Way& way) {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): names are literals
  return {.protocol = way.protocol->name.data(),
          .packing = static_cast<halocline_packing>(way.packing),
          .field_by_field = way.whole_bundle ? 0 : 1,
          .messages_only = way.near == bundle::Near::messages ? 1 : 0,
          .threads = way.threads,
          .progress_thread = way.progress_thread ? 1 : 0,
          .stores = !way.stores                     ? halocline_stores_by_size
                    : *way.stores == Stores::cached ? halocline_stores_cached
                                                    : halocline_stores_streaming};
}

}  // namespace halocline::api
