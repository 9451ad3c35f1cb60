#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/shared_window.hpp"

namespace halocline::driver {

/// Where a job is when it ends its turn, by the letter that it writes.
enum class Place : char {
  before_case = 'c',
  before_block = 'b',
  after_lost_block = 'l',  // before a block; the last one does not count
  after_all = '.',
};

/// Jobs that run simultaneously and take turns to measure: the others sleep.
///
/// The folder holds two FIFOs. Rank 0 writes a letter to `handed` when it ends its turn, and reads
/// from `given` either `g` to continue or `e` to end the case. The other ranks of its node sleep on
/// a word in shared memory; the first rank of each other node polls for a message now and then.
class Turns {
 public:
  /// Collective. Throws UsageError if the FIFOs cannot be opened.
  Turns(const std::filesystem::path& folder, const mpi::Communicator& world);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Collective: ends the turn, sleeps until the next one and returns whether to continue. All
  /// ranks call `waiting` every few seconds meanwhile. Throws
  /// Error on rank 0 if nobody gives turns any more.
  bool await(Place place, const std::function<void()>& waiting);

 private:
  struct Word;

  char exchange(Place place, const std::function<void()>& waiting) const;
  void wake_node(char order);
  char sleep_on_node(const std::function<void()>& waiting);

  const mpi::Communicator& world_;
  mpi::Communicator node_;
  mpi::SharedWindow window_;
  Word* word_;
  bool leads_node_;
  std::vector<int> other_leaders_;  // on rank 0
  unsigned turn_ = 0;
  int handed_ = -1;
  int given_ = -1;
};

}  // namespace halocline::driver
