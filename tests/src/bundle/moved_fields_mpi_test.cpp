// Fields that an exchange may keep in memory of its protocol.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "halocline/bundle/exchange.hpp"
#include "halocline/mpi/in_turn.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::bundle {
namespace {

using layout::Box;
using layout::Index;
using protocol::Windows;

constexpr int rounds = 20;

/// What `sender` has at `index` of its field in a round.
std::int64_t value(int sender, Index index, int round) {
  return 1'000'000 * sender + 10'000 * round + index;
}

Box piece(Index length, int number) {
  Box box;
  box.lower[0] = length * number;
  box.upper[0] = length * (number + 1);
  return box;
}

class MovedFieldsTest : public testing::TestWithParam<const protocol::Protocol*> {
 protected:
  static Field field_over(std::vector<std::int64_t>& values) {
    return {.data = reinterpret_cast<std::byte*>(values.data()),
            .element_bytes = sizeof(std::int64_t),
            .extent = Box::line(static_cast<Index>(values.size()))};
  }
  static std::span<std::int64_t> values_in(const Bundle& bundle) {
    return {reinterpret_cast<std::int64_t*>(bundle.front().data),
            static_cast<std::size_t>(bundle.front().extent.volume())};
  }

  /// Runs the test on exchanges of the protocol, unless that is missing or says why it cannot.
  void if_usable(const std::function<void()>& run) const {
    if (!protocol::missing(*GetParam()).empty()) {
      return;
    }
    try {
      run();
    } catch (const Skip& skip) {
      EXPECT_STRNE(skip.what(), "");
    }
  }

  /// Each rank's whole field to the next rank, again and again, while ranks are slow by turns: what
  /// has arrived must stay until the receiver starts again, and what is sent until it has left.
  void run_ring(const mpi::Communicator& communicator, Fields fields) const {
    const int rank = communicator.rank();
    const int next = (rank + 1) % communicator.size();
    const int previous = (rank + communicator.size() - 1) % communicator.size();
    constexpr Index length = 3000;
    const route::Route route{.sends = {{.peer = next, .box = Box::line(length)}},
                             .receives = {{.peer = previous, .box = Box::line(length)}}};
    std::vector<std::int64_t> source(length);
    std::vector<std::int64_t> destination(length);
    Exchange exchange(route, {field_over(source)}, {field_over(destination)}, *GetParam(),
                      communicator, fields);
    const std::span<std::int64_t> sent = values_in(exchange.source());
    const std::span<std::int64_t> received = values_in(exchange.destination());
    const auto rest = [&](int round) {
      if ((rank + round) % 3 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      }
    };
    for (int round = 0; round < rounds; ++round) {
      for (Index index = 0; index < length; ++index) {
        sent[static_cast<std::size_t>(index)] = value(rank, index, round);
      }
      exchange.start();
      rest(round);
      exchange.finish();
      std::ranges::fill(sent, -1);
      rest(round + 1);
      for (Index index = 0; index < length; ++index) {
        ASSERT_EQ(received[static_cast<std::size_t>(index)], value(previous, index, round))
            << "index " << index << " in round " << round;
      }
    }
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(MovedFieldsTest, a_fast_sender_does_not_overtake_a_slow_receiver) {
  if_usable([this] { run_ring(world_, Fields::stay); });
}

TEST_P(MovedFieldsTest, nor_where_the_fields_move) {
  if_usable([this] { run_ring(world_, Fields::may_move); });
}

TEST_P(MovedFieldsTest, on_the_communicators_of_a_split) {
  const int colour = world_.rank() % 2;
  const auto part = world_.part(colour);
  mpi::in_turn(world_, colour, 2, [&] { if_usable([&] { run_ring(part, Fields::may_move); }); });
}

TEST_P(MovedFieldsTest, fields_move_with_what_they_hold_where_the_protocol_has_windows) {
  if_usable([this] {
    std::vector<std::int64_t> source(100);
    std::vector<std::int64_t> destination(100);
    std::iota(source.begin(), source.end(), 0);
    std::iota(destination.begin(), destination.end(), 500);
    const int peer = world_.size() - 1 - world_.rank();
    const route::Route route{.sends = {{.peer = peer, .box = Box::line(100)}},
                             .receives = {{.peer = peer, .box = Box::line(100)}}};
    const bool others = peer != world_.rank();
    const Exchange exchange(route, {field_over(source)}, {field_over(destination)}, *GetParam(),
                            world_, Fields::may_move);
    const auto now_sent = values_in(exchange.source());
    const auto now_received = values_in(exchange.destination());
    EXPECT_EQ(now_sent.data() != source.data(), others && GetParam()->windows == Windows::sends);
    EXPECT_EQ(now_received.data() != destination.data(),
              others && GetParam()->windows == Windows::receives);
    EXPECT_TRUE(std::ranges::equal(now_sent, source));
    EXPECT_TRUE(std::ranges::equal(now_received, destination));
  });
}

TEST_P(MovedFieldsTest, pieces_of_a_moved_field_reach_everybody) {
  if_usable([this] {
    const int ranks = world_.size();
    constexpr Index length = 7;
    route::Route route;
    for (int peer = 0; peer < ranks; ++peer) {
      route.sends.push_back({.peer = peer, .box = piece(length, peer)});
      route.receives.push_back({.peer = peer, .box = piece(length, peer)});
    }
    std::vector<std::int64_t> source(static_cast<std::size_t>(length * ranks));
    std::vector<std::int64_t> destination(source.size());
    Exchange exchange(route, {field_over(source)}, {field_over(destination)}, *GetParam(), world_,
                      Fields::may_move);
    for (int round = 0; round < rounds; ++round) {
      for (Index index = 0; index < length * ranks; ++index) {
        values_in(exchange.source())[static_cast<std::size_t>(index)] =
            value(world_.rank(), index, round);
      }
      exchange.start();
      exchange.finish();
      for (Index index = 0; index < length * ranks; ++index) {
        const int sender = static_cast<int>(index / length);
        const Index index_there = length * world_.rank() + index % length;
        ASSERT_EQ(values_in(exchange.destination())[static_cast<std::size_t>(index)],
                  value(sender, index_there, round));
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(EveryProtocol, MovedFieldsTest,
                         testing::ValuesIn(protocol::all().begin(), protocol::all().end()),
                         [](const auto& instance) { return std::string{instance.param->name}; });

TEST(SentBytesTest, what_leaves_the_rank_and_what_leaves_the_node) {
  const auto world = mpi::Communicator::world();
  std::vector<std::int64_t> source(10);
  std::vector<std::int64_t> destination(static_cast<std::size_t>(10 * world.size()));
  const auto field_over = [](std::vector<std::int64_t>& values) {
    return Field{.data = reinterpret_cast<std::byte*>(values.data()),
                 .element_bytes = sizeof(std::int64_t),
                 .extent = Box::line(static_cast<Index>(values.size()))};
  };
  route::Route route;
  for (int peer = 0; peer < world.size(); ++peer) {
    route.sends.push_back({.peer = peer, .box = Box::line(10)});
    route.receives.push_back({.peer = peer, .box = piece(10, peer)});
  }
  const Exchange exchange(route, {field_over(source)}, {field_over(destination)},
                          protocol::find("isend_irecv"), world);
  std::vector<int> node_of_rank(static_cast<std::size_t>(world.size()), 0);
  node_of_rank[0] = 1;
  const auto others = static_cast<std::size_t>(world.size()) - 1;
  EXPECT_EQ(exchange.sent_bytes(), 80 * others);
  EXPECT_EQ(exchange.off_node_bytes(node_of_rank), world.rank() == 0 ? 80 * others : 80U);
}

}  // namespace
}  // namespace halocline::bundle
