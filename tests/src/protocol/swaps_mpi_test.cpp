#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "halocline/protocol/catalogue.hpp"

namespace {

/// Sends that have begun and that nobody has waited for. A library may give several the same
/// handle.
struct UnderWay {
  std::multiset<MPI_Request> sends;
  std::size_t most = 0;

  void began(MPI_Request request) {
    sends.insert(request);
    most = std::max(most, sends.size());
  }
  void ended(MPI_Request request) {
    if (const auto one = sends.find(request); one != sends.end()) {
      sends.erase(one);
    }
  }
};

UnderWay& under_way() {
  static UnderWay all;
  return all;
}

}  // namespace

// As profilers do, before the library's own.
extern "C" {

int MPI_Isend(const void* payload, int count, MPI_Datatype type, int peer, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const int code = PMPI_Isend(payload, count, type, peer, tag, ranks, request);
  under_way().began(*request);
  return code;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  under_way().ended(*request);
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  std::for_each_n(requests, count, [](MPI_Request request) { under_way().ended(request); });
  return PMPI_Waitall(count, requests, statuses);
}
}

namespace halocline::protocol {
namespace {

class SwapsTest : public testing::TestWithParam<std::string> {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(SwapsTest, have_few_payloads_and_handshakes_under_way) {
  constexpr std::size_t swaps = 24;  // with each peer
  constexpr std::size_t most_of_each = 4;
  const std::array<std::byte, 3> sent{std::byte{1}, std::byte{2}, std::byte{3}};
  std::vector<std::array<std::byte, 3>> received(swaps * static_cast<std::size_t>(world_.size()));
  Messages messages;
  for (int peer = 0; peer < world_.size(); ++peer) {
    for (std::size_t swap = 0; swap < swaps && peer != world_.rank(); ++swap) {
      messages.sends.push_back({.peer = peer, .payload = sent});
      messages.receives.push_back(
          {.peer = peer, .payload = received[static_cast<std::size_t>(peer) * swaps + swap]});
    }
  }
  const std::size_t messages_each_way = messages.receives.size();
  const auto transport = find(GetParam()).bind(world_, messages);
  for (int exchange = 0; exchange < 2; ++exchange) {
    std::ranges::fill(received, std::array<std::byte, 3>{});
    world_.barrier();
    under_way() = {};
    transport->start();
    transport->finish();
    EXPECT_LE(under_way().most, 2 * most_of_each);
    EXPECT_TRUE(under_way().sends.empty());
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(received, sent)), messages_each_way);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SwapsTest, testing::Values("swap", "swap_handshake", "swap_ready"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace halocline::protocol
