#include "halocline/mpi/datatype.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <numeric>
#include <utility>

#include "halocline/mpi/pieces.hpp"
#include "halocline/mpi/requests.hpp"
#include "support/problem.hpp"
#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

constexpr int rows = 6;
constexpr int columns = 5;
using Grid = std::array<std::array<std::int32_t, columns>, rows>;

/// One number for each cell of each rank.
Grid grid_of(int rank) {
  Grid grid{};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      grid[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
          (1000 * rank) + (10 * row) + column;
    }
  }
  return grid;
}

/// A box of the grid from this cell on.
Strided box(Grid& grid, std::size_t row, std::size_t column, int box_rows, int box_columns) {
  return {.base = reinterpret_cast<std::byte*>(&grid[row][column]),
          .element_bytes = sizeof(std::int32_t),
          .count = {box_columns, box_rows, 1, 1},
          .stride_bytes = {sizeof(std::int32_t), sizeof(grid[0]), 0, 0}};
}

int errors_of_calls = 0;

extern "C" void count_error(MPI_Comm* /*communicator*/, int* /*code*/, ...) { ++errors_of_calls; }

/// While it lives, a communicator's errors are counted.
class CountedErrors {
 public:
  explicit CountedErrors(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_get_errhandler(communicator_, &former_);
    MPI_Comm_create_errhandler(count_error, &counting_);
    MPI_Comm_set_errhandler(communicator_, counting_);
  }
  ~CountedErrors() {
    MPI_Comm_set_errhandler(communicator_, former_);
    MPI_Errhandler_free(&counting_);
  }
  CountedErrors(const CountedErrors&) = delete;
  CountedErrors& operator=(const CountedErrors&) = delete;

 private:
  MPI_Comm communicator_;
  MPI_Errhandler former_ = MPI_ERRHANDLER_NULL;
  MPI_Errhandler counting_ = MPI_ERRHANDLER_NULL;
};

class DatatypeTest : public test::Ring {
 protected:
  Grid own_ = grid_of(rank_);
  Grid received_{};
};

TEST_F(DatatypeTest, a_column_goes_into_a_row_and_touches_nothing_else) {
  const Datatype column(std::array{box(own_, 1, 2, 4, 1)});
  const Datatype row(std::array{box(received_, 3, 1, 1, 4)});
  Requests requests;
  requests.receive(world_, row, previous_);
  requests.send(world_, column, next_);
  requests.wait_all();
  const Grid sent = grid_of(previous_);
  Grid expected{};
  for (std::size_t cell = 0; cell < 4; ++cell) {
    expected[3][1 + cell] = sent[1 + cell][2];
  }
  EXPECT_EQ(received_, expected);
}

TEST_F(DatatypeTest, boxes_follow_one_another_and_empty_ones_are_left_out) {
  const Datatype boxes(
      std::array{box(own_, 0, 0, 2, 3), box(own_, 5, 5 - 1, 0, 1), box(own_, 5, 0, 1, columns)});
  std::array<std::int32_t, 11> packed{};
  Requests requests;
  requests.receive(world_, std::as_writable_bytes(std::span{packed}), previous_);
  requests.send(world_, boxes, next_);
  requests.wait_all();
  const int base = 1000 * previous_;
  std::array<std::int32_t, 11> expected{0, 1, 2, 10, 11, 12, 50, 51, 52, 53, 54};
  std::ranges::for_each(expected, [base](std::int32_t& number) { number += base; });
  EXPECT_EQ(packed, expected);
}

/// As beyond a fold. Open MPI's vectors take bytes in reverse for bytes in order.
TEST_F(DatatypeTest, bytes_in_reverse_arrive_in_reverse) {
  std::array<std::uint8_t, 12> own{};
  std::iota(own.begin(), own.end(), std::uint8_t{1});
  for (const bool reversed_first : {true, false}) {
    std::array<std::uint8_t, 6> received{};
    Strided reversed{.base = reinterpret_cast<std::byte*>(own.data() + 2),
                     .element_bytes = 1,
                     .count = {3, 2, 1, 1},
                     .stride_bytes = {-1, 6, 0, 0}};
    Strided into{.base = reinterpret_cast<std::byte*>(received.data()),
                 .element_bytes = 1,
                 .count = {3, 2, 1, 1},
                 .stride_bytes = {1, 3, 0, 0}};
    if (!reversed_first) {
      for (Strided* box : {&reversed, &into}) {
        std::swap(box->count[0], box->count[1]);
        std::swap(box->stride_bytes[0], box->stride_bytes[1]);
      }
    }
    Requests requests;
    requests.receive(world_, Datatype(std::array{into}), previous_);
    requests.send(world_, Datatype(std::array{reversed}), next_);
    requests.wait_all();
    EXPECT_EQ(received, (std::array<std::uint8_t, 6>{3, 2, 1, 9, 8, 7})) << reversed_first;
  }
}

TEST_F(DatatypeTest, a_datatype_without_boxes_is_an_empty_message) {
  const Datatype nothing{std::span<const Strided>{}};
  Requests requests;
  requests.receive(world_, nothing, previous_);
  requests.send(world_, nothing, next_);
  requests.wait_all();
  EXPECT_EQ(received_, Grid{});
}

TEST_F(DatatypeTest, a_moved_datatype_is_still_committed) {
  Datatype row(std::array{box(received_, 2, 0, 1, columns)});
  Datatype moved(std::array{box(received_, 0, 0, 1, 1)});
  moved = std::move(row);
  Requests requests;
  requests.receive(world_, moved, previous_);
  requests.send(world_, Datatype(std::array{box(own_, 4, 0, 1, columns)}), next_);
  requests.wait_all();
  EXPECT_EQ(received_[2], grid_of(previous_)[4]);
}

TEST_F(DatatypeTest, typed_pieces_go_to_each_rank_by_their_own_datatype) {
  // To rank r goes column r % columns; it arrives in row of the sender.
  TypedPieces outgoing;
  TypedPieces incoming;
  Grid expected{};
  for (int rank = 0; rank < world_.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (rank == rank_) {
      outgoing.add_nothing();
      incoming.add_nothing();
      continue;
    }
    outgoing.add(Datatype(std::array{box(own_, 0, at % columns, columns, 1)}));
    incoming.add(Datatype(std::array{box(received_, at, 0, 1, columns)}));
    const Grid sent = grid_of(rank);
    for (std::size_t cell = 0; cell < columns; ++cell) {
      expected[at][cell] = sent[cell][static_cast<std::size_t>(rank_) % columns];
    }
  }
  world_.all_to_all(outgoing, incoming);
  EXPECT_EQ(received_, expected);
}

TEST_F(DatatypeTest, a_field_that_mpi_cannot_count_is_refused_with_its_size) {
  const std::int64_t too_many = std::int64_t{INT_MAX} + 1;
  const Strided long_row{.base = nullptr,
                         .element_bytes = 1,
                         .count = {too_many, 1, 1, 1},
                         .stride_bytes = {1, 0, 0, 0}};
  const std::string problem = test::problem([&] { const Datatype refused(std::array{long_row}); });
  EXPECT_NE(problem.find("2147483648 bytes or rows"), std::string::npos) << problem;
  EXPECT_NE(problem.find("allowed: up to 2147483647"), std::string::npos) << problem;
}

TEST_F(DatatypeTest, a_refused_field_makes_no_call_fail) {
  const CountedErrors of_world(MPI_COMM_WORLD);
  const CountedErrors of_self(MPI_COMM_SELF);  // depends on the standard's version
  const std::int64_t too_many = std::int64_t{INT_MAX} + 1;
  for (const auto& [count, stride_bytes] :
       {std::pair{std::array<std::int64_t, 4>{too_many, 1, 1, 1}, 1},
        std::pair{std::array<std::int64_t, 4>{1, too_many, 1, 1}, 2}}) {
    const Strided field{.base = nullptr,
                        .element_bytes = 1,
                        .count = count,
                        .stride_bytes = {1, stride_bytes, 0, 0}};
    EXPECT_NE(test::problem([&] { const Datatype refused(std::array{field}); }), "");
    EXPECT_NE(test::problem([&] { Datatype::require_countable(std::array{field}); }), "");
  }
  EXPECT_EQ(errors_of_calls, 0);
}

}  // namespace
}  // namespace halocline::mpi
