#include "halocline/base/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& remedy) {
  throw Error(what + ": " + std::strerror(errno) + "; " + remedy);
}

std::byte* map(std::size_t length) {
  void* address = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) {
    fail("cannot map " + std::to_string(length) + " bytes", "choose fewer bytes");
  }
  return static_cast<std::byte*>(address);
}

/// A mapping aligned to a huge page; the excess around it is unmapped.
std::byte* map_aligned(std::size_t length) {
  std::byte* const wide = map(length + huge_page_bytes);
  const std::size_t before =
      (huge_page_bytes - reinterpret_cast<std::uintptr_t>(wide) % huge_page_bytes) %
      huge_page_bytes;
  if (before > 0) {
    munmap(wide, before);
  }
  munmap(wide + before + length, huge_page_bytes - before);
  return wide + before;
}

}  // namespace

void Memory::Unmap::operator()(std::byte* address) const { munmap(address, mapped_bytes); }

Memory::Memory(std::size_t size_bytes, Pages pages) : mapped_(nullptr, Unmap{0}) {
  if (pages == Pages::as_system || size_bytes == 0) {
    // Never empty: some MPI calls take two null addresses for the same buffer.
    allocated_.resize(std::max<std::size_t>(size_bytes, 1));
    bytes_ = std::span(allocated_).first(size_bytes);
    return;
  }
  constexpr std::size_t unit = huge_page_bytes;
  const std::size_t length = (size_bytes + unit - 1) / unit * unit;
  mapped_ = {map_aligned(length), Unmap{length}};
  bytes_ = {mapped_.get(), size_bytes};
  if (madvise(mapped_.get(), length, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0) {
    fail("the kernel does not support choosing pages", "leave pages at its default");
  }
}

}  // namespace halocline
