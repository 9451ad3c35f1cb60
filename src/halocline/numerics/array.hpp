#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "halocline/base/memory.hpp"

namespace halocline::numerics {

/// Zero-initialised numbers on the kind of pages that the launch asks for. They begin at a cache
/// line, so no vector straddles two.
template <class Real>
class Array {
 public:
  explicit Array(std::size_t length, Pages pages = Pages::as_system)
      : memory_(length * sizeof(Real) + line_bytes, pages), length_(length) {}

  std::span<Real> numbers() { return {data(), length_}; }
  std::span<const Real> numbers() const { return {data(), length_}; }
  Real* data() { return reinterpret_cast<Real*>(memory_.bytes().data() + skipped()); }
  const Real* data() const {
    return reinterpret_cast<const Real*>(memory_.bytes().data() + skipped());
  }
  std::byte* bytes() { return memory_.bytes().data() + skipped(); }
  std::size_t size_bytes() const { return length_ * sizeof(Real); }

 private:
  static constexpr std::size_t line_bytes = 64;

  std::size_t skipped() const {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.bytes().data());
    return (line_bytes - address % line_bytes) % line_bytes;
  }

  Memory memory_;
  std::size_t length_;
};

}  // namespace halocline::numerics
