#include "halocline/protocol/signals.hpp"

#include <atomic>

#include "halocline/mpi/spin.hpp"

namespace halocline::protocol {

Flags::Flags(const mpi::Communicator& communicator, const mpi::Window& window,
             std::size_t offset_bytes, const std::vector<int>& to, const std::vector<int>& from)
    : communicator_(communicator), window_(window) {
  std::vector<NumberFor> places;
  for (const int peer : from) {
    places.push_back({.peer = peer, .number = offset_bytes});
    words_here_.push_back(reinterpret_cast<std::uint64_t*>(window.memory().data() + offset_bytes));
    offset_bytes += line_bytes;
  }
  const std::vector<std::uint64_t> offsets = swap_numbers(communicator, places, to);
  for (std::size_t index = 0; index < to.size(); ++index) {
    words_there_.push_back({.peer = to[index], .offset_bytes = offsets[index]});
  }
}

void Flags::signal() {
  ++signalled_;
  for (const Word& word : words_there_) {
    window_.replace(signalled_, word.peer, word.offset_bytes);
  }
  for (const Word& word : words_there_) {
    window_.flush(word.peer);  // otherwise it may never leave this rank
  }
}

void Flags::await() {
  ++awaited_;
  for (std::uint64_t* word : words_here_) {
    const std::atomic_ref<std::uint64_t> count(*word);
    mpi::spin_until(communicator_,
                    [&] { return count.load(std::memory_order_acquire) >= awaited_; });
  }
  window_.sync();
}

// NOLINTNEXTLINE(modernize-use-string-view): as Protocol::unusable has it
std::string flags_unseen(const mpi::Communicator& communicator, const Messages& /*messages*/) {
  return mpi::Window(communicator, 0).unified()
             ? ""
             : "this library keeps two copies of a window (MPI_WIN_SEPARATE): a rank that looks at "
               "its own memory need never see what others put there";
}

}  // namespace halocline::protocol
