#include "halocline/bundle/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/pairs.hpp"
#include "support/field_over.hpp"
#include "support/problem.hpp"

namespace halocline::bundle {
namespace {

using layout::Box;
using layout::Index;
using test::field_over;

/// The k-th of `parts` nearly equal pieces of 0 ≤ index < extent.
std::pair<Index, Index> piece(Index extent, int parts, int k) {
  return {extent * k / parts, extent * (k + 1) / parts};
}

/// A square grid, owned in strips of columns at the source and of rows at the destination. What
/// goes to a peer travels in so many messages.
class Transpose {
 public:
  Transpose(const mpi::Communicator& world, Index extent, int messages)
      : ranks_(world.size()), extent_(extent) {
    for (int peer = 0; peer < ranks_; ++peer) {
      for (int message = 0; message < messages; ++message) {
        const auto part = [&](const Box& box) {
          const auto [lower, upper] = piece(box.extent(1), messages, message);
          Box rows_of_box = box;
          rows_of_box.lower[1] = box.lower[1] + lower;
          rows_of_box.upper[1] = box.lower[1] + upper;
          return rows_of_box;
        };
        route_.sends.push_back(
            {.peer = peer, .box = part(columns(world.rank()).intersection(rows(peer)))});
        route_.receives.push_back(
            {.peer = peer, .box = part(rows(world.rank()).intersection(columns(peer)))});
      }
    }
  }

  Box columns(int rank) const {
    const auto [lower, upper] = piece(extent_, ranks_, rank);
    return {.lower = {lower, 0, 0, 0}, .upper = {upper, extent_, 1, 1}};
  }
  Box rows(int rank) const {
    const auto [lower, upper] = piece(extent_, ranks_, rank);
    return {.lower = {0, lower, 0, 0}, .upper = {extent_, upper, 1, 1}};
  }
  const route::Route& route() const { return route_; }

 private:
  int ranks_;
  Index extent_;
  route::Route route_;
};

/// Values of a field on a box, made from the indices.
std::vector<double> values_on(const Box& box, int field, int round) {
  std::vector<double> values;
  for (Index y = box.lower[1]; y < box.upper[1]; ++y) {
    for (Index x = box.lower[0]; x < box.upper[0]; ++x) {
      values.push_back(static_cast<double>(x + 1000 * y + 1'000'000 * field) + 0.5 * round);
    }
  }
  return values;
}

class ExchangeTest : public testing::TestWithParam<const protocol::Protocol*> {
 protected:
  void SetUp() override {
    if (!protocol::missing(*GetParam()).empty()) {
      missing_ = true;
      if (world_.size() > 1) {  // a rank alone sends nothing
        EXPECT_THROW(run_transpose(5), Error) << "a protocol that is missing must say so when used";
      }
    }
  }

  /// Runs the transpose, unless the protocol says why it cannot carry it here.
  void run_if_usable(Index extent, int messages = 1) const {
    if (missing_) {
      return;
    }
    try {
      run_transpose(extent, messages);
    } catch (const Skip& skip) {
      EXPECT_STRNE(skip.what(), "");
    }
  }

  /// Moves two fields there and back three times, with new values each time.
  void run_transpose(Index extent, int messages = 1) const {
    const Transpose transpose(world_, extent, messages);
    const Box columns = transpose.columns(world_.rank());
    const Box rows = transpose.rows(world_.rank());
    std::vector<std::vector<double>> source(2);
    std::vector<std::vector<double>> destination(2);
    Bundle source_bundle;
    Bundle destination_bundle;
    for (std::size_t field = 0; field < 2; ++field) {
      source[field].resize(static_cast<std::size_t>(columns.volume()));
      destination[field].resize(static_cast<std::size_t>(rows.volume()));
      source_bundle.push_back(field_over(source[field], columns));
      destination_bundle.push_back(field_over(destination[field], rows));
    }
    Exchange forward(transpose.route(), source_bundle, destination_bundle, *GetParam(), world_);
    Exchange backward(transpose.route().reversed(), destination_bundle, source_bundle, *GetParam(),
                      world_);
    for (int round = 0; round < 3; ++round) {
      for (int field = 0; field < 2; ++field) {
        std::ranges::copy(values_on(columns, field, round),
                          source[static_cast<std::size_t>(field)].begin());
      }
      forward.start();
      forward.finish();
      for (int field = 0; field < 2; ++field) {
        EXPECT_EQ(destination[static_cast<std::size_t>(field)], values_on(rows, field, round));
        std::ranges::fill(source[static_cast<std::size_t>(field)], -1.0);
      }
      backward.start();
      backward.finish();
      for (int field = 0; field < 2; ++field) {
        EXPECT_EQ(source[static_cast<std::size_t>(field)], values_on(columns, field, round));
      }
    }
  }

  /// Why all ranks refuse messages of these lengths from the first to the last rank. Their bytes
  /// are never there.
  std::string refusal_of(const std::vector<std::int64_t>& lengths) const {
    std::byte byte{};
    std::vector<Parcel> sends;
    std::vector<Parcel> receives;
    for (const std::int64_t length : lengths) {
      const Strided box{.base = &byte,
                        .element_bytes = 1,
                        .count = {length, 1, 1, 1},
                        .stride_bytes = {1, 0, 0, 0}};
      if (world_.rank() == 0) {
        sends.push_back({.peer = world_.size() - 1, .boxes = {box}});
      }
      if (world_.rank() == world_.size() - 1) {
        receives.push_back({.peer = 0, .boxes = {box}});
      }
    }
    const std::string words =
        test::problem([&] { const Exchange refused(sends, receives, *GetParam(), world_); });
    EXPECT_EQ(words, world_.broadcast(words)) << "not the words of rank 0";
    return words;
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  bool missing_ = false;
};

TEST_P(ExchangeTest, transpose_there_and_back_is_the_identity) { run_if_usable(12); }

TEST_P(ExchangeTest, uneven_strips_and_ranks_without_data) { run_if_usable(3); }

TEST_P(ExchangeTest, messages_past_the_eager_limit) { run_if_usable(600); }

TEST_P(ExchangeTest, several_messages_to_a_peer_and_empty_ones) { run_if_usable(8, 3); }

TEST_P(ExchangeTest, messages_that_mpi_cannot_count_are_refused_on_all_ranks) {
  if (missing_ || world_.size() == 1 || GetParam()->require_countable == nullptr) {
    return;
  }
  if (refusal_of({8}) != "") {
    return;  // unusable here
  }
  EXPECT_NE(refusal_of({std::int64_t{INT_MAX} + 1}).find("allowed: up to"), std::string::npos);
  const std::string_view name = GetParam()->name;
  if (name == "bsend_recv" || name.ends_with("alltoallv")) {  // all messages together
    EXPECT_NE(refusal_of({INT_MAX - 100, INT_MAX - 100}).find("allowed: up to"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProtocol, ExchangeTest,
                         testing::ValuesIn(protocol::all().begin(), protocol::all().end()),
                         [](const auto& instance) { return std::string{instance.param->name}; });

TEST(ExchangeErrorTest, memory_that_one_rank_lacks_is_an_error_on_all) {
  const auto world = mpi::Communicator::world();
  const int last = world.size() - 1;
  if (last == 0) {
    return;  // sends nothing
  }
  std::array<std::byte, 8> bytes{};
  const auto box = [&](std::int64_t count, std::ptrdiff_t stride_bytes) {
    return std::vector{Strided{.base = bytes.data(),
                               .element_bytes = 2,
                               .count = {count, 1, 1, 1},
                               .stride_bytes = {stride_bytes, 0, 0, 0}}};
  };
  std::vector<Parcel> sends;
  std::vector<Parcel> receives;
  if (world.rank() == 0) {
    sends.push_back({.peer = last, .boxes = box(std::int64_t{1} << 62U, 4)});  // to be packed
  } else if (world.rank() == last) {
    receives.push_back({.peer = 0, .boxes = box(4, 2)});
  }
  const std::string words = test::problem(
      [&] { const Exchange refused(sends, receives, protocol::find("isend_irecv"), world); });
  EXPECT_TRUE(words.starts_with("rank 0: ")) << words;
  EXPECT_EQ(words, world.broadcast(words));
}

TEST(ExchangeErrorTest, a_box_outside_the_bundle_is_refused) {
  const auto world = mpi::Communicator::world();
  std::vector<double> values(4);
  const Bundle bundle{field_over(values, Box::line(4))};
  const auto route = route::both_ways(world.rank(), 0, world.size() - 1, Box::line(5));
  if (!route.sends.empty()) {
    EXPECT_THROW(Exchange(route, bundle, bundle, protocol::find("send_recv"), world), Error);
  }
}

}  // namespace
}  // namespace halocline::bundle
