#include "halocline/bundle/copies.hpp"

#include <algorithm>
#include <utility>

#include "halocline/base/compat/streaming_store.hpp"
#include "halocline/base/units.hpp"

namespace halocline::bundle {
namespace {

// Less is copied before other threads are awake.
constexpr std::size_t least_divided_bytes = 64 * kibibyte;

}  // namespace

Copies::Copies(const std::vector<Copy>& copies, int workers) {
  if (copies.empty()) {
    return;
  }
  std::vector<std::vector<Copy>> of_worker(static_cast<std::size_t>(workers));
  for (const Copy& copy : copies) {
    streamable_bytes_ += copy.can_stream() ? copy.size_bytes() : 0;
    if (workers == 1 || copy.size_bytes() < least_divided_bytes) {
      of_worker.front().push_back(copy);
      continue;
    }
    const std::vector<Copy> parts = copy.divided(of_worker.size());
    for (std::size_t part = 0; part < parts.size(); ++part) {
      of_worker[part].push_back(parts[part]);
    }
  }
  for (std::vector<Copy>& own : of_worker) {
    of_worker_.emplace_back(std::move(own));
  }
}

void Copies::run(Workers& workers, Stores stores) const {
  if (of_worker_.empty()) {
    return;
  }
  workers.run([this, stores](int worker) {
    of_worker_[static_cast<std::size_t>(worker)].run(stores);
    finish_streaming();
  });
}

std::size_t streamable_bytes(const std::vector<Copies>& all) {
  std::size_t bytes = 0;
  for (const Copies& copies : all) {
    bytes += copies.streamable_bytes();
  }
  return bytes;
}

}  // namespace halocline::bundle
