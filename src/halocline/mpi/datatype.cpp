#include "halocline/mpi/datatype.hpp"

#include <climits>
#include <string>
#include <utility>
#include <vector>

namespace halocline::mpi {
namespace {

/// Frees the types that another one was built from.
class Parts {
 public:
  Parts() = default;
  ~Parts() {
    for (MPI_Datatype& type : types_) {
      MPI_Type_free(&type);
    }
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void add(const Strided& box);
  MPI_Datatype whole() const;

 private:
  MPI_Datatype& next();

  std::vector<MPI_Datatype> types_;  // all to be freed
  std::vector<MPI_Datatype> boxes_;
  std::vector<MPI_Aint> addresses_;
};

int int_of(std::int64_t count) {
  if (count > INT_MAX) {
    throw Error("a datatype of a field with " + std::to_string(count) +
                " bytes or rows along a dimension; allowed: up to " + std::to_string(INT_MAX) +
                "; cut the field among more ranks, or use shared memory within a node");
  }
  return static_cast<int>(count);
}

/// A box as nested repetitions of a contiguous row.
struct Rows {
  struct Repetition {
    int count;
    std::ptrdiff_t stride_bytes;
  };
  int row_bytes;
  std::vector<Repetition> repetitions;  // the innermost first
};

Rows rows_of(const Strided& box) {
  auto row_bytes = static_cast<std::int64_t>(box.element_bytes);
  std::size_t dimension = 0;
  while (dimension < Strided::max_dimensions &&
         (box.count[dimension] == 1 || box.stride_bytes[dimension] == row_bytes)) {
    row_bytes *= box.count[dimension++];
  }
  Rows rows{.row_bytes = int_of(row_bytes), .repetitions = {}};
  for (; dimension < Strided::max_dimensions; ++dimension) {
    if (box.count[dimension] > 1) {
      rows.repetitions.push_back(
          {.count = int_of(box.count[dimension]), .stride_bytes = box.stride_bytes[dimension]});
    }
  }
  return rows;
}

/// 0, -1, -2 …
std::vector<MPI_Aint> backward(int count) {
  std::vector<MPI_Aint> offsets(static_cast<std::size_t>(count));
  for (std::size_t place = 0; place < offsets.size(); ++place) {
    offsets[place] = -static_cast<MPI_Aint>(place);
  }
  return offsets;
}

MPI_Datatype& Parts::next() { return types_.emplace_back(MPI_DATATYPE_NULL); }

void Parts::add(const Strided& box) {
  const Rows rows = rows_of(box);  // may throw: not while an unset type awaits MPI's call
  HALOCLINE_MPI(MPI_Type_contiguous(rows.row_bytes, MPI_BYTE, &next()));
  for (const auto& [count, stride_bytes] : rows.repetitions) {
    const MPI_Datatype repeated = types_.back();
    if (rows.row_bytes == 1 && stride_bytes == -1) {
      // Open MPI up to 5.0.11 takes such a vector, as of a row beyond a fold, for a forward one.
      const std::vector<MPI_Aint> offsets = backward(count);
      HALOCLINE_MPI(MPI_Type_create_hindexed_block(count, 1, offsets.data(), repeated, &next()));
      continue;
    }
    HALOCLINE_MPI(MPI_Type_create_hvector(count, 1, stride_bytes, repeated, &next()));
  }
  boxes_.push_back(types_.back());
  HALOCLINE_MPI(MPI_Get_address(box.base, &addresses_.emplace_back()));
}

MPI_Datatype Parts::whole() const {
  const std::vector<int> ones(boxes_.size(), 1);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (boxes_.empty()) {
    HALOCLINE_MPI(MPI_Type_contiguous(0, MPI_BYTE, &type));
  } else {
    HALOCLINE_MPI(MPI_Type_create_struct(static_cast<int>(boxes_.size()), ones.data(),
                                         addresses_.data(), boxes_.data(), &type));
  }
  HALOCLINE_MPI(MPI_Type_commit(&type));
  return type;
}

}  // namespace

void Datatype::require_countable(std::span<const Strided> boxes) {
  for (const Strided& box : boxes) {
    if (!box.empty()) {
      rows_of(box);
    }
  }
}

Datatype::Datatype(std::span<const Strided> boxes) {
  Parts parts;
  for (const Strided& box : boxes) {
    if (!box.empty()) {  // skip rows without elements
      parts.add(box);
    }
  }
  handle_ = parts.whole();
}

Datatype::~Datatype() {
  if (handle_ != MPI_DATATYPE_NULL) {
    MPI_Type_free(&handle_);
  }
}

Datatype::Datatype(Datatype&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}

Datatype& Datatype::operator=(Datatype&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

}  // namespace halocline::mpi
