#pragma once

#include <array>

// Its interface in C, which no header declares.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int row_parts, int column_parts);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int rows, int columns, const double* from, int from_row, int from_column,
               const int* from_descriptor, double* to, int to_row, int to_column,
               const int* to_descriptor, int context);
}

/// ScaLAPACK's redistribution, PDGEMR2D, of the whole bundle as one matrix: its rows are x, its
/// columns y, plane after plane, so that the two halves of y alternate.
class Scalapack {
 public:
  /// Collective. Of one plane: rows of all and of a source block, columns of all and of a
  /// destination block.
  Scalapack(int ranks, std::array<int, 2> rows, std::array<int, 2> columns, int planes)
      : rows_(rows[0]), columns_(columns[0] * planes) {
    source_ = grid(ranks, 1, rows[1], columns_);
    destination_ = grid(1, ranks, rows_, columns[1]);
    Cblacs_get(-1, 0, &all_);
    Cblacs_gridinit(&all_, "C", 1, ranks);
  }
  ~Scalapack() {
    for (const int context : {source_.context, destination_.context, all_}) {
      Cblacs_gridexit(context);
    }
  }
  Scalapack(const Scalapack&) = delete;
  Scalapack& operator=(const Scalapack&) = delete;

  void run(const double* from, double* to) const {
    Cpdgemr2d(rows_, columns_, from, 1, 1, source_.descriptor.data(), to, 1, 1,
              destination_.descriptor.data(), all_);
  }

 private:
  struct Grid {
    int context = 0;
    std::array<int, 9> descriptor{};  // as DESCINIT makes it, ScaLAPACK Users' Guide, table 4.4
  };

  Grid grid(int row_parts, int column_parts, int block_rows, int block_columns) const {
    Grid made;
    Cblacs_get(-1, 0, &made.context);
    Cblacs_gridinit(&made.context, "C", row_parts, column_parts);
    constexpr int dense = 1;
    made.descriptor = {dense, made.context, rows_, columns_, block_rows, block_columns, 0,
                       0,     block_rows};
    return made;
  }

  int rows_;
  int columns_;
  int all_ = 0;
  Grid source_;
  Grid destination_;
};
