#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "halocline/mpi/progress_thread.hpp"

namespace {

std::atomic<std::uint64_t> calls_of_iprobe = 0;

}  // namespace

/// Counts, by the standard's profiling interface, what the thread asks the library.
extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm communicator, int* flag,
                          MPI_Status* status) {
  ++calls_of_iprobe;
  return PMPI_Iprobe(source, tag, communicator, flag, status);
}

namespace halocline::mpi {
namespace {

/// Whether the count moves on by itself within seconds.
bool goes_on() {
  const std::uint64_t before = calls_of_iprobe;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (calls_of_iprobe == before && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return calls_of_iprobe > before;
}

TEST(ProgressThreadCallsTest, the_library_is_called_between_resume_and_pause_alone) {
  const auto world = Communicator::world();
  ProgressThread thread(world);
  for (int turn = 0; turn < 3; ++turn) {
    thread.resume();
    EXPECT_TRUE(goes_on()) << "turn " << turn;
    thread.pause();
    const std::uint64_t paused = calls_of_iprobe;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    EXPECT_EQ(calls_of_iprobe, paused) << "turn " << turn;
    thread.rethrow_failure();
  }
}

}  // namespace
}  // namespace halocline::mpi
