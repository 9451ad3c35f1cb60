#include "halocline/numerics/gyro_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"

namespace halocline::numerics {
namespace {

constexpr std::size_t line_bytes = 64;

}  // namespace

GyroMemory::GyroMemory(int arrays, std::size_t numbers, bundle::Near near, Pages pages,
                       const mpi::Communicator& ranks) {
  const std::size_t bytes =
      numbers * sizeof(std::complex<double>) + (static_cast<std::size_t>(arrays) + 1) * line_bytes;
  if (near == bundle::Near::shared && pages == Pages::as_system) {
    rest_ = shared_.emplace(ranks, bytes).own();
  } else {
    rest_ = own_.emplace(bytes, pages).bytes();
  }
  const auto address = reinterpret_cast<std::uintptr_t>(rest_.data());
  rest_ = rest_.subspan(rounded_up(address, line_bytes) - address);
}

GyroArray GyroMemory::take(std::size_t numbers) {
  const std::size_t bytes = numbers * sizeof(std::complex<double>);
  if (bytes > rest_.size()) {
    throw Error("an array of " + std::to_string(bytes) + " bytes where " +
                std::to_string(rest_.size()) + " are left; make room for all arrays");
  }
  auto* const first = reinterpret_cast<std::complex<double>*>(rest_.first(bytes).data());
  rest_ = rest_.subspan(std::min(rounded_up(bytes, line_bytes), rest_.size()));
  return {first, numbers};
}

}  // namespace halocline::numerics
