#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "halocline/base/memory.hpp"
#include "halocline/bundle/field.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// The message lengths that the two-rank benchmarks sweep: 0, 1 byte, and the powers of two from 4
/// B to 4 MiB.
const IntegerAxis& message_bytes_axis();

/// Throws Skip on all ranks unless their payloads fit the memory: so many buffers of this length on
/// this rank, and at most so many on any. Collective.
void require_payloads(std::size_t size_bytes, std::size_t own_buffers, std::size_t most_buffers,
                      const mpi::Communicator& world);

/// The bytes that a rank sends and the buffer for those it receives, in memory touched before
/// anything is timed.
class Payload {
 public:
  static constexpr std::size_t buffers = 2;

  explicit Payload(std::size_t size_bytes, Pages pages = Pages::as_system);

  /// As bundles of one field of bytes, for an Exchange that may move them.
  bundle::Bundle outgoing() { return as_bundle(outgoing_); }
  bundle::Bundle incoming() { return as_bundle(incoming_); }
  /// Sets where exchanges have moved them.
  void lies_in(const bundle::Bundle& outgoing, const bundle::Bundle& incoming);

  layout::Box box() const {
    return layout::Box::line(static_cast<layout::Index>(outgoing_.size()));
  }

  /// Writes what this rank sends in the exchange of `seed`, and corrupts what it received.
  void write(std::uint64_t seed, int rank);

  /// The first byte that differs from what `sender` wrote for this seed.
  std::optional<std::string> difference(std::uint64_t seed, int sender, int rank) const;

 private:
  static bundle::Bundle as_bundle(std::span<std::byte> bytes);

  Memory own_outgoing_;
  Memory own_incoming_;
  std::span<std::byte> outgoing_;
  std::span<std::byte> incoming_;
};

}  // namespace halocline::workload
