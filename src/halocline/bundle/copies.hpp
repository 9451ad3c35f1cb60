#pragma once

#include <cstddef>
#include <vector>

#include "halocline/base/strided.hpp"
#include "halocline/base/workers.hpp"

namespace halocline::bundle {

/// The stores that are faster for this many bytes: streaming past what the caches keep.
Stores stores_for(std::size_t bytes);

/// Copies that are made together, shared out among threads.
class Copies {
 public:
  Copies() = default;
  Copies(const std::vector<Copy>& copies, int workers);

  /// When this returns other ranks may be notified that the copies are there. The workers are as
  /// many as were named.
  void run(Workers& workers) const;

 private:
  std::vector<std::vector<Copy>> of_worker_;
};

}  // namespace halocline::bundle
