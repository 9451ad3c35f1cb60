#include "halocline/base/copy_set.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace halocline {
namespace {

// More would touch more pages at a time than a core keeps the addresses of.
constexpr std::size_t most_together = 64;

}  // namespace

CopySet::CopySet(std::vector<Copy> copies) : copies_(std::move(copies)) {
  const auto columns =
      std::ranges::stable_partition(copies_, [](const Copy& copy) { return !copy.column(); });
  std::ranges::stable_sort(columns, Copy::before);
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= copies_.size(); ++end) {
    if (end == copies_.size() || end - begin == most_together ||
        !copies_[begin].alike(copies_[end])) {
      ends_.push_back(end);
      begin = end;
    }
  }
}

void CopySet::run(Stores stores) const {
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    Copy::run_together(std::span(copies_).subspan(begin, end - begin), stores);
    begin = end;
  }
}

}  // namespace halocline
