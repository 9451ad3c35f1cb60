#include "halocline/mpi/datatype.hpp"

#include <algorithm>
#include <climits>
#include <string>
#include <utility>
#include <vector>

namespace halocline::mpi {
namespace {

/// Frees types that another one was made of.
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

  void add(const Subarray& box);
  MPI_Datatype whole() const;

 private:
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Aint> addresses_;
};

int int_of(std::int64_t count) {
  if (count > INT_MAX) {
    throw Error("a datatype of a field with " + std::to_string(count) +
                " bytes or elements along a dimension; allowed: up to " + std::to_string(INT_MAX) +
                "; use a protocol that packs");
  }
  return static_cast<int>(count);
}

void Parts::add(const Subarray& box) {
  std::array<int, Subarray::max_dimensions> extent{};
  std::array<int, Subarray::max_dimensions> count{};
  std::array<int, Subarray::max_dimensions> first{};
  int dimensions = 1;
  for (std::size_t dimension = 0; dimension < Subarray::max_dimensions; ++dimension) {
    const auto bytes = static_cast<std::int64_t>(dimension == 0 ? box.element_bytes : 1);
    extent[dimension] = int_of(box.extent[dimension] * bytes);
    count[dimension] = int_of(box.count[dimension] * bytes);
    first[dimension] = int_of(box.first[dimension] * bytes);
    if (extent[dimension] > 1) {
      dimensions = static_cast<int>(dimension) + 1;
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  HALOCLINE_MPI(MPI_Type_create_subarray(dimensions, extent.data(), count.data(), first.data(),
                                         MPI_ORDER_FORTRAN, MPI_BYTE, &type));
  types_.push_back(type);
  HALOCLINE_MPI(MPI_Get_address(box.base, &addresses_.emplace_back()));
}

MPI_Datatype Parts::whole() const {
  const std::vector<int> ones(types_.size(), 1);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (types_.empty()) {
    HALOCLINE_MPI(MPI_Type_contiguous(0, MPI_BYTE, &type));
  } else {
    HALOCLINE_MPI(MPI_Type_create_struct(static_cast<int>(types_.size()), ones.data(),
                                         addresses_.data(), types_.data(), &type));
  }
  HALOCLINE_MPI(MPI_Type_commit(&type));
  return type;
}

}  // namespace

bool Subarray::empty() const {
  return std::ranges::any_of(count, [](std::int64_t elements) { return elements == 0; });
}

Datatype::Datatype(std::span<const Subarray> boxes) {
  Parts parts;
  for (const Subarray& box : boxes) {
    if (!box.empty()) {  // MPI allows no subarray without elements
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
