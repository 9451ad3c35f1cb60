#include "halocline/workload/micro/payload.hpp"

#include <algorithm>

#include "halocline/base/pattern.hpp"
#include "halocline/base/units.hpp"
#include "halocline/workload/memory_share.hpp"

namespace halocline::workload {
namespace {

/// Each rank writes a distinct payload, so a message from the wrong sender is detected.
std::uint64_t seed_of(std::uint64_t seed, int rank) {
  return seed * 1'000'003U + static_cast<std::uint64_t>(rank);
}

std::vector<std::int64_t> default_lengths() {
  std::vector<std::int64_t> lengths{0, 1};
  for (std::size_t length = 4; length <= 4 * mebibyte; length *= 2) {
    lengths.push_back(static_cast<std::int64_t>(length));
  }
  return lengths;
}

}  // namespace

const IntegerAxis& message_bytes_axis() {
  static const IntegerAxis axis{
      .name = "bytes",
      .unit = "B",
      .low = 0,
      .high = static_cast<std::int64_t>(gibibyte),
      .defaults = default_lengths(),
  };
  return axis;
}

void require_payloads(std::size_t size_bytes, std::size_t own_buffers, std::size_t most_buffers,
                      const mpi::Communicator& world) {
  require_buffers("an exchange between " + std::to_string(world.size()) +
                      " ranks with bytes=" + std::to_string(size_bytes),
                  {.own_bytes = own_buffers * size_bytes, .most_bytes = most_buffers * size_bytes},
                  "fewer bytes, fewer ranks or more nodes", world);
}

Payload::Payload(std::size_t size_bytes, Pages pages)
    : own_outgoing_(size_bytes, pages),
      own_incoming_(size_bytes, pages),
      outgoing_(own_outgoing_.bytes()),
      incoming_(own_incoming_.bytes()) {}

void Payload::lies_in(const bundle::Bundle& outgoing, const bundle::Bundle& incoming) {
  outgoing_ = {outgoing.front().data, outgoing_.size()};
  incoming_ = {incoming.front().data, incoming_.size()};
}

bundle::Bundle Payload::as_bundle(std::span<std::byte> bytes) {
  const auto length = static_cast<layout::Index>(bytes.size());
  return {{.data = bytes.data(), .element_bytes = 1, .extent = layout::Box::line(length)}};
}

void Payload::write(std::uint64_t seed, int rank) {
  fill_pattern(outgoing_, seed_of(seed, rank));
  std::ranges::transform(outgoing_, incoming_.begin(), [](std::byte byte) { return ~byte; });
}

std::optional<std::string> Payload::difference(std::uint64_t seed, int sender, int rank) const {
  const std::uint64_t expected_seed = seed_of(seed, sender);
  const auto index = first_difference(incoming_, expected_seed);
  if (!index) {
    return std::nullopt;
  }
  const int expected = std::to_integer<int>(pattern_byte(expected_seed, *index));
  const int found = std::to_integer<int>(incoming_[*index]);
  return "rank " + std::to_string(rank) + " received byte " + std::to_string(*index) + " of " +
         std::to_string(incoming_.size()) + " from rank " + std::to_string(sender) + " as " +
         std::to_string(found) + ", expected " + std::to_string(expected);
}

}  // namespace halocline::workload
