#pragma once

#include <cstddef>
#include <vector>

#include "halocline/base/copy_set.hpp"
#include "halocline/base/strided.hpp"
#include "halocline/base/workers.hpp"

namespace halocline::bundle {

/// Copies made together, divided among threads.
class Copies {
 public:
  Copies() = default;
  Copies(const std::vector<Copy>& copies, int workers);

  /// When this returns, other ranks may be notified that the copies are complete. Takes as many
  /// workers as the copies were divided among.
  void run(Workers& workers, Stores stores) const;
  /// Of copies that can be streamed.
  std::size_t streamable_bytes() const { return streamable_bytes_; }

 private:
  std::vector<CopySet> of_worker_;
  std::size_t streamable_bytes_ = 0;
};

/// Of all of them.
std::size_t streamable_bytes(const std::vector<Copies>& all);

}  // namespace halocline::bundle
