#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halocline/base/pattern.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::test {

/// All ranks in a ring; on one rank both neighbours are the rank itself.
class Ring : public testing::Test {
 protected:
  /// What a rank sends to its next one in a round.
  static std::vector<std::byte> payload_of(int rank, std::size_t size_bytes, int round = 0) {
    std::vector<std::byte> payload(size_bytes);
    fill_pattern(payload, seed_of(rank, round));
    return payload;
  }
  /// Whether these bytes are not what payload_of() gives for the previous rank.
  std::optional<std::size_t> wrong_byte(std::span<const std::byte> received, int round = 0) const {
    return first_difference(received, seed_of(previous_, round));
  }

  const mpi::Communicator world_ = mpi::Communicator::world();
  const int rank_ = world_.rank();
  const int next_ = (world_.rank() + 1) % world_.size();
  const int previous_ = (world_.rank() + world_.size() - 1) % world_.size();

 private:
  static std::uint64_t seed_of(int rank, int round) {
    return static_cast<std::uint64_t>(1000 * round + rank);
  }
};

}  // namespace halocline::test
