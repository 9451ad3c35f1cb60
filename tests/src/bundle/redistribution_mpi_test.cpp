#include "halocline/bundle/redistribution.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>

#include "halocline/base/error.hpp"
#include "halocline/bundle/stores_choice.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/redistribution.hpp"
#include "support/grid_fields.hpp"
#include "support/no_threads.hpp"

namespace halocline::bundle {
namespace {

using layout::Cuts;
using Layout = layout::Blocks;
using test::GridFields;

Layout columns(int ranks) {
  return Layout({Cuts::even({.lower = 0, .upper = 13}, ranks),
                 Cuts::even({.lower = 0, .upper = 9}, 1),
                 Cuts::even({.lower = -2, .upper = 3}, 1)});
}
Layout rows(int ranks) {
  return Layout({Cuts::even({.lower = 0, .upper = 13}, 1),
                 Cuts::even({.lower = 0, .upper = 9}, ranks),
                 Cuts::even({.lower = -2, .upper = 3}, 1)});
}
Layout dealt(int ranks) {
  return Layout({Cuts::cyclic({.lower = 0, .upper = 13}, 2, ranks),
                 Cuts::cyclic({.lower = 0, .upper = 9}, 1, 1), Cuts::at({-2, -2, 1, 3})},
                [ranks] {
                  std::vector<int> owners;
                  for (int place = 0; place < 3 * ranks; ++place) {
                    owners.push_back((place * 2 + 1) % ranks);
                  }
                  return owners;
                }());
}

class RedistributionTest : public testing::Test {
 protected:
  /// There and back, so many times with new values.
  void run(const Layout& from, const Layout& to, const Way& way, const test::Memory& at_source = {},
           const test::Memory& at_destination = {}, std::uint64_t times = 3,
           const std::vector<std::size_t>& element_bytes = {8, 4, 1, 16, 2}) {
    const auto route = route::redistribution(from, to, *ranks_);
    GridFields source(from, ranks_->rank(), element_bytes, at_source);
    GridFields destination(to, ranks_->rank(), element_bytes, at_destination);
    Redistribution there(route, source.blocks(), destination.blocks(), way, *ranks_,
                         at_source.node);
    Redistribution back(route.reversed(), destination.blocks(), source.blocks(), way, *ranks_);
    for (std::uint64_t seed = 1; seed <= times; ++seed) {
      source.write(seed);
      destination.clear();
      there.start();
      there.finish();
      EXPECT_EQ(destination.wrong(seed), 0U);
      source.clear();
      back.start();
      back.finish();
      EXPECT_EQ(source.wrong(seed), 0U);
    }
  }
  void run_on_all(const Way& way) {
    const int ranks = world_.size();
    run(columns(ranks), rows(ranks), way);
    run(dealt(ranks), rows(ranks), way);
    run(columns(ranks), dealt(ranks), way, {.ghosts = 2, .order = {2, 0, 1, 3}},
        {.ghosts = 1, .order = {1, 3, 2, 0}});
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  const mpi::Communicator* ranks_ = &world_;  // that exchange
};

TEST_F(RedistributionTest, copies_through_shared_memory) { run_on_all({}); }

TEST_F(RedistributionTest, threads_of_a_rank_share_the_copies) { run_on_all({.threads = 3}); }

TEST_F(RedistributionTest, field_by_field) {
  run_on_all({.whole_bundle = false});
  run_on_all({.whole_bundle = false, .near = Near::messages});
}

TEST_F(RedistributionTest, packings) {
  for (const Packing packing : {Packing::rank, Packing::box, Packing::run}) {
    run_on_all({.packing = packing, .near = Near::messages});
  }
}

TEST_F(RedistributionTest, copies_straight_out_of_node_memory) {
  NodeMemory memory(world_, 1 << 20U);
  const int ranks = world_.size();
  run(columns(ranks), rows(ranks), {}, {.node = &memory});
  run(dealt(ranks), columns(ranks), {.threads = 2},
      {.ghosts = 1, .order = {3, 1, 0, 2}, .node = &memory}, {.order = {1, 0, 2, 3}});
}

TEST_F(RedistributionTest, copies_out_of_the_memory_of_other_ranks_too) {
  NodeMemory memory(world_, 1 << 20U);
  MPI_Comm handle = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_split(world_.handle(), 0, -world_.rank(), &handle), MPI_SUCCESS);
  const auto reversed = mpi::Communicator::duplicate_of(handle);
  MPI_Comm_free(&handle);
  const mpi::Communicator part = world_.part(world_.rank() % 2);
  for (const mpi::Communicator* ranks : {&reversed, &part}) {
    ranks_ = ranks;
    run(columns(ranks->size()), rows(ranks->size()), {}, {.node = &memory});
    run(dealt(ranks->size()), columns(ranks->size()), {}, {.ghosts = 1, .node = &memory});
  }
}

TEST_F(RedistributionTest, refuses_memory_that_lacks_ranks) {
  const mpi::Communicator part = world_.part(world_.rank() % 2);
  NodeMemory memory(part, 1 << 20U);
  if (mpi::simulated || world_.node().size() < 2) {
    return;  // nobody reads the memory of another
  }
  const int ranks = world_.size();
  EXPECT_THROW(run(columns(ranks), rows(ranks), {}, {.node = &memory}), Error);
}

TEST_F(RedistributionTest, large_fields_are_streamed_and_cached_in_turn) {
  const int ranks = world_.size();
  const int rows = 512 * ranks;  // 4 MiB on each rank
  const Layout from(
      {Cuts::even({.lower = 0, .upper = rows}, ranks), Cuts::even({.lower = 0, .upper = 520}, 1)});
  const Layout to(
      {Cuts::even({.lower = 0, .upper = rows}, 1), Cuts::even({.lower = 0, .upper = 520}, ranks)});
  const auto route = route::redistribution(from, to, world_);
  NodeMemory memory(world_, 1 << 24U);
  for (NodeMemory* const node : std::initializer_list<NodeMemory*>{nullptr, &memory}) {
    GridFields source(from, world_.rank(), {16}, {.node = node});
    GridFields destination(to, world_.rank(), {16}, {});
    Redistribution there(route, source.blocks(), destination.blocks(), {.threads = 2}, world_,
                         node);
    constexpr int last = StoresChoice::most_runs + 1;
    EXPECT_FALSE(there.settled());
    for (int run = 1; run <= last; ++run) {
      const bool looked_at = run == 1 || run == 1 + StoresChoice::runs_of_turn || run == last;
      if (looked_at) {
        source.write(static_cast<std::uint64_t>(run));
        destination.clear();
      }
      there.start();
      there.finish();
      if (looked_at) {
        EXPECT_EQ(destination.wrong(static_cast<std::uint64_t>(run)), 0U) << "run " << run;
      }
    }
    EXPECT_TRUE(there.settled());
  }
}

TEST_F(RedistributionTest, rows_too_short_to_stream_need_no_trial) {
  const int ranks = world_.size();
  const Layout from({Cuts::even({.lower = 0, .upper = 2}, 1),
                     Cuts::even({.lower = 0, .upper = 262144 * ranks}, ranks)});
  const Layout to({Cuts::even({.lower = 0, .upper = 2}, 2),
                   Cuts::even({.lower = 0, .upper = 262144 * ranks}, ranks)},
                  [ranks] {
                    std::vector<int> owners;
                    for (int place = 0; place < 2 * ranks; ++place) {
                      owners.push_back(place / 2);
                    }
                    return owners;
                  }());
  GridFields source(from, world_.rank(), {8}, {});
  GridFields destination(to, world_.rank(), {8}, {.ghosts = 1});
  const Redistribution there(route::redistribution(from, to, world_), source.blocks(),
                             destination.blocks(), {}, world_);
  EXPECT_TRUE(there.settled());
}

TEST_F(RedistributionTest, long_parcels_travel_in_chunks) {
  const int ranks = world_.size();
  const Layout from({Cuts::even({.lower = 0, .upper = 300}, ranks),
                     Cuts::even({.lower = 0, .upper = 200}, 1),
                     Cuts::even({.lower = 0, .upper = 5}, 1)});
  const Layout to({Cuts::even({.lower = 0, .upper = 300}, 1),
                   Cuts::cyclic({.lower = 0, .upper = 200}, 7, ranks),
                   Cuts::even({.lower = 0, .upper = 5}, 1)});
  const std::vector<std::size_t> element_bytes{8, 1, 4};
  for (const int threads : {1, 2}) {
    run(from, to, {.threads = threads}, {.ghosts = 1, .order = {2, 0, 1, 3}}, {.ghosts = 2}, 3,
        element_bytes);
  }
}

TEST_F(RedistributionTest, long_parcels_may_lie_in_node_memory_in_part) {
  const int ranks = world_.size();
  const Layout from(
      {Cuts::even({.lower = 0, .upper = 300}, ranks), Cuts::even({.lower = 0, .upper = 600}, 1)});
  const Layout to(
      {Cuts::even({.lower = 0, .upper = 300}, 1), Cuts::even({.lower = 0, .upper = 600}, ranks)});
  NodeMemory memory(world_, 1 << 24U);
  const std::vector<std::size_t> element_bytes{8, 16};
  GridFields own(from, world_.rank(), element_bytes, {});
  GridFields shared(from, world_.rank(), element_bytes, {.node = &memory});
  GridFields first(to, world_.rank(), element_bytes, {});
  GridFields second(to, world_.rank(), element_bytes, {});
  const auto alternating = [](const Blocks& some, const Blocks& others) {
    Blocks both(some.size());
    for (std::size_t block = 0; block < some.size(); ++block) {
      for (std::size_t field = 0; field < some[block].size(); ++field) {
        both[block].push_back(some[block][field]);
        both[block].push_back(others[block][field]);
      }
    }
    return both;
  };
  Redistribution there(route::redistribution(from, to, world_),
                       alternating(own.blocks(), shared.blocks()),
                       alternating(first.blocks(), second.blocks()), {}, world_, &memory);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    own.write(seed);
    shared.write(seed + 10);
    first.clear();
    second.clear();
    there.start();
    there.finish();
    EXPECT_EQ(first.wrong(seed), 0U);
    EXPECT_EQ(second.wrong(seed + 10), 0U);
  }
}

TEST_F(RedistributionTest, a_rank_that_only_receives_waits_for_no_finish) {
  const int last = world_.size() - 1;
  const Layout from(
      {Cuts::even({.lower = 0, .upper = 400}, 1), Cuts::even({.lower = 0, .upper = 600}, 1)});
  const Layout to(
      {Cuts::even({.lower = 0, .upper = 400}, 1), Cuts::even({.lower = 0, .upper = 600}, 1)}, last);
  GridFields source(from, world_.rank(), {8}, {.ghosts = 1});
  GridFields destination(to, world_.rank(), {8}, {});
  Redistribution there(route::redistribution(from, to, world_), source.blocks(),
                       destination.blocks(), {}, world_);
  source.write(1);
  there.start();
  if (world_.rank() == last) {
    there.finish();
    EXPECT_EQ(destination.wrong(1), 0U);
  }
  world_.barrier();  // the sender's finish is not needed to get here
  if (world_.rank() != last) {
    there.finish();
  }
}

TEST_F(RedistributionTest, source_and_destination_on_different_ranks) {
  const int ranks = world_.size();
  const int half = (ranks + 1) / 2;
  const Layout first(
      {Cuts::even({.lower = 0, .upper = 10}, half), Cuts::even({.lower = 0, .upper = 6}, 1)});
  const Layout last({Cuts::even({.lower = 0, .upper = 10}, 1),
                     Cuts::even({.lower = 0, .upper = 6}, ranks - half + 1)},
                    half - 1);
  run(first, last, {});
  run(first, last, {.near = Near::messages});
}

TEST_F(RedistributionTest, a_region_of_another_grid) {
  const int ranks = world_.size();
  const Layout from({Cuts::even({.lower = 0, .upper = 20}, ranks)});
  const Layout to({Cuts::cyclic({.lower = 100, .upper = 112}, 3, ranks)});
  const route::Region region{.source = layout::Box{}.with(0, 5, 17),
                             .destination = layout::Box{}.with(0, 100, 112)};
  const auto route = route::redistribution(from, to, world_, region);
  GridFields source(from, world_.rank(), {8});
  GridFields destination(to, world_.rank(), {8});
  Redistribution redistribution(route, source.blocks(), destination.blocks(), {}, world_);
  source.write(4);
  redistribution.start();
  redistribution.finish();
  EXPECT_EQ(destination.wrong(4, {95, 0, 0, 0}), 0U);
}

class ProtocolTest : public RedistributionTest,
                     public testing::WithParamInterface<const protocol::Protocol*> {};

TEST_P(ProtocolTest, carries_what_crosses_nodes_or_is_refused) {
  const std::string missing = protocol::missing(*GetParam());
  const auto run_all = [this] { run_on_all({.protocol = GetParam(), .near = Near::messages}); };
  if (!missing.empty() && world_.size() > 1) {
    EXPECT_THROW(run_all(), Skip) << missing;
    return;
  }
  try {
    run_all();
  } catch (const Skip& skip) {
    EXPECT_STRNE(skip.what(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProtocol, ProtocolTest,
                         testing::ValuesIn(protocol::all().begin(), protocol::all().end()),
                         [](const auto& instance) { return std::string{instance.param->name}; });

class MisfitTest : public RedistributionTest {
 protected:
  void expect_error(const std::function<void()>& make, const std::string& words) {
    try {
      make();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_NE(std::string{error.what()}.find(words), std::string::npos) << error.what();
    }
  }

  Layout from_ = columns(world_.size());
  Layout to_ = rows(world_.size());
  route::Route route_ = route::redistribution(from_, to_, world_);
  GridFields source_{from_, world_.rank(), {8}};
  GridFields destination_{to_, world_.rank(), {8}};
  bool last_ = world_.rank() == world_.size() - 1;
};

TEST_F(MisfitTest, a_field_that_is_too_small_on_one_rank) {
  Blocks source = source_.blocks();
  if (last_) {
    source.front().front().extent.upper[1] -= 1;
  }
  expect_error([&] { Redistribution(route_, source, destination_.blocks(), {}, world_); },
               "field 1 of the source does not cover");
}

TEST_F(MisfitTest, types_that_differ_between_source_and_destination) {
  GridFields other(to_, world_.rank(), {4});
  expect_error([&] { Redistribution(route_, source_.blocks(), other.blocks(), {}, world_); },
               "same fields");
}

TEST_F(MisfitTest, types_that_differ_between_ranks) {
  if (world_.size() == 1) {
    return;
  }
  const std::size_t bytes = last_ ? 4 : 8;
  GridFields source(from_, world_.rank(), {bytes});
  GridFields destination(to_, world_.rank(), {bytes});
  expect_error([&] { Redistribution(route_, source.blocks(), destination.blocks(), {}, world_); },
               "not those of other ranks");
}

TEST_F(MisfitTest, parts_of_different_routes) {
  if (world_.size() == 1) {
    return;
  }
  const route::Route route = last_ ? route::Route{} : route_;
  expect_error([&] { Redistribution(route, source_.blocks(), destination_.blocks(), {}, world_); },
               "do not match");
}

TEST_F(MisfitTest, ways_that_differ) {
  if (world_.size() == 1) {
    return;
  }
  const Way way{.near = last_ ? Near::messages : Near::shared};
  expect_error(
      [&] { Redistribution(route_, source_.blocks(), destination_.blocks(), way, world_); },
      "ways of redistribution");
}

TEST_F(MisfitTest, layouts_that_differ_between_ranks) {
  if (world_.size() == 1) {
    return;
  }
  expect_error([&] { route::redistribution(from_, last_ ? from_ : to_, world_); },
               "pass different layouts");
}

TEST_F(MisfitTest, more_blocks_than_ranks) {
  expect_error([&] { route::redistribution(columns(world_.size() + 1), to_, world_); },
               "allowed: 0 to");
}

TEST_F(MisfitTest, grids_that_differ) {
  const Layout other({Cuts::even({.lower = 0, .upper = 12}, 1)});
  expect_error([&] { route::redistribution(other, to_, world_); }, "must have the same indices");
}

TEST_F(MisfitTest, no_threads) {
  expect_error(
      [&] {
        Redistribution(route_, source_.blocks(), destination_.blocks(), {.threads = 0}, world_);
      },
      "threads");
}

TEST_F(MisfitTest, threads_that_do_not_start_on_one_rank) {
  std::optional<test::NoThreads> none;
  if (last_) {
    none.emplace();
  }
  expect_error(
      [&] {
        Redistribution(route_, source_.blocks(), destination_.blocks(), {.threads = 2}, world_);
      },
      "cannot start thread 2 of 2");
}

TEST_F(MisfitTest, a_progress_thread_where_one_thread_alone_may_call_mpi) {
  expect_error(
      [&] {
        Redistribution(route_, source_.blocks(), destination_.blocks(), {.progress_thread = true},
                       world_);
      },
      "needs MPI_THREAD_MULTIPLE");
}

}  // namespace
}  // namespace halocline::bundle
