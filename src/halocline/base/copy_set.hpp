#pragma once

#include <cstddef>
#include <vector>

#include "halocline/base/strided.hpp"

namespace halocline {

/// Copies to run repeatedly, in any order: none reads what another writes. Columns of the same
/// shape run together, row by row.
class CopySet {
 public:
  CopySet() = default;
  explicit CopySet(std::vector<Copy> copies);

  bool empty() const { return copies_.empty(); }
  void run(Stores stores = Stores::cached) const;

 private:
  std::vector<Copy> copies_;
  std::vector<std::size_t> ends_;  // of those that run together
};

}  // namespace halocline
