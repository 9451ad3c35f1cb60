#include "halocline/driver/turns.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "support/problem.hpp"
#include "support/scratch.hpp"

namespace halocline::driver {
namespace {

/// A FIFO's other end: rank 0 would wait for it when it opens its own.
class OtherEnd {
 public:
  explicit OtherEnd(const std::filesystem::path& path) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    descriptor_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~OtherEnd() { close(descriptor_); }
  OtherEnd(const OtherEnd&) = delete;
  OtherEnd& operator=(const OtherEnd&) = delete;

 private:
  int descriptor_ = -1;
};

TEST(TurnsTest, without_the_process_that_gives_them_they_are_an_error) {
  const auto world = mpi::Communicator::world();
  const test::Scratch scratch(world);
  std::unique_ptr<OtherEnd> handed;
  std::unique_ptr<OtherEnd> given;
  if (world.rank() == 0) {
    handed = std::make_unique<OtherEnd>(scratch / "handed");
    given = std::make_unique<OtherEnd>(scratch / "given");
  }
  Turns turns(scratch / "", world);
  handed.reset();
  given.reset();
  if (world.rank() == 0) {
    EXPECT_EQ(test::problem([&] { turns.await(Place::before_case, [] {}); }),
              "the process that gives turns has exited; resume the comparison");
  }
}

}  // namespace
}  // namespace halocline::driver
