#include <array>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>

#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/requests.hpp"
#include "support/problem.hpp"
#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

class ErrorsTest : public test::Ring {
 protected:
  static void expect_words(const std::string& problem, std::initializer_list<const char*> words) {
    for (const char* word : words) {
      EXPECT_NE(problem.find(word), std::string::npos) << word << " is missing in: " << problem;
    }
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  }
};

TEST_F(ErrorsTest, a_failed_call_is_shown_with_its_arguments_and_the_librarys_words) {
  const std::array<std::byte, 4> payload{};
  const int beyond = world_.size();
  expect_words(test::problem([&] { world_.send(payload, beyond); }),
               {"MPI_Send(payload.data()", "tag::payload", " failed with code ", "rank"});
  Requests requests;
  expect_words(test::problem([&] { requests.send(world_, payload, beyond); }),
               {"MPI_Isend(", " failed with code "});
}

TEST_F(ErrorsTest, a_truncated_message_is_an_error_of_its_receive) {
  const auto outgoing = payload_of(rank_, 100);
  std::array<std::byte, 10> too_small{};
  Requests send;
  send.send(world_, outgoing, next_);
  expect_words(test::problem([&] { world_.receive(too_small, previous_); }),
               {"MPI_Recv(", "runcate"});
  send.wait_all();
  world_.barrier();
}

TEST_F(ErrorsTest, a_message_beyond_two_gibibytes_is_refused_with_its_size) {
  const std::span<const std::byte> huge{static_cast<const std::byte*>(nullptr),
                                        std::size_t{1} << 31U};
  expect_words(
      test::problem([&] { world_.send(huge, next_); }),
      {"a message of 2147483648 bytes", "allowed: up to 2147483647",
       "send field by field or pack by box or run, else use more ranks, or shared memory"});
}

TEST_F(ErrorsTest, all_ranks_throw_what_the_lowest_failing_rank_says) {
  const int failing = world_.size() / 2;
  const std::string problem = test::problem([&] {
    agreed(world_, [&] {
      if (rank_ >= failing) {
        throw Error("no room for " + std::to_string(rank_) + "; make some");
      }
    });
  });
  const std::string number = std::to_string(failing);
  EXPECT_EQ(problem, "rank " + number + ": no room for " + number + "; make some");
  EXPECT_EQ(test::problem([&] { agreed(world_, [] {}); }), "");
}

TEST_F(ErrorsTest, whatever_a_rank_throws_is_an_error_of_all) {
  const int failing = world_.size() - 1;
  const std::string problem = test::problem([&] {
    agreed(world_, [&] {
      if (rank_ == failing) {
        throw std::bad_alloc();
      }
    });
  });
  EXPECT_EQ(problem, "rank " + std::to_string(failing) + ": " + memory_exhausted);
}

TEST_F(ErrorsTest, a_skip_of_one_rank_is_a_skip_of_all) {
  const int skipping = world_.size() - 1;
  const auto skip = [&] {
    agreed(world_, [&] {
      if (rank_ == skipping) {
        throw Skip("needs another core");
      }
    });
  };
  EXPECT_THROW(skip(), Skip);
  EXPECT_EQ(test::problem(skip), "rank " + std::to_string(skipping) + ": needs another core");
}

TEST_F(ErrorsTest, a_group_that_skips_leaves_no_other_waiting) {
  const std::optional<Communicator> group = world_.split(rank_ % 2 == 0 ? 0 : -1);
  const auto skip = [&] {
    agree_on_skip(world_, [&] {
      if (group) {
        group->barrier();
        throw Skip("does not fit the group");
      }
    });
  };
  EXPECT_THROW(skip(), Skip);
  EXPECT_EQ(test::problem(skip), "does not fit the group");
  EXPECT_EQ(test::problem([&] { agree_on_skip(world_, [] {}); }), "");
}

TEST_F(ErrorsTest, numbers_that_differ_are_refused_on_all_ranks) {
  EXPECT_EQ(test::problem([&] { require_same(world_, ~std::uint64_t{0}, "a count"); }), "");
  const std::string problem = test::problem(
      [&] { require_same(world_, rank_ == world_.size() - 1 ? 7 : 6, "counts of levels"); });
  if (world_.size() == 1) {
    EXPECT_EQ(problem, "");
  } else {
    expect_words(problem, {"and rank 0 pass different counts of levels"});
    EXPECT_TRUE(problem.starts_with("rank " + std::to_string(world_.size() - 1))) << problem;
  }
}

}  // namespace
}  // namespace halocline::mpi
