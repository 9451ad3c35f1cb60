#pragma once

#include <cstddef>
#include <vector>

#include "halocline/base/strided.hpp"
#include "halocline/base/workers.hpp"

namespace halocline::bundle {

/// The stores that are faster for so many bytes in all: streaming past what the caches keep.
Stores stores_for(std::size_t bytes);

/// Copies that are made together, shared out among threads.
class Copies {
 public:
  Copies() = default;
  Copies(const std::vector<Copy>& copies, int workers);

  /// What was copied can be told to other ranks when this returns. The workers are as many as were
  /// named.
  void run(Workers& workers) const;

 private:
  std::vector<std::vector<Copy>> of_worker_;
};

}  // namespace halocline::bundle
