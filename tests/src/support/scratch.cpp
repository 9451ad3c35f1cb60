#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

#include "halocline/mpi/agreement.hpp"

namespace halocline::test {
namespace {

std::string made() {
  std::string name = testing::TempDir() + "halocline-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot create " + name);
  }
  return name;
}

}  // namespace

Scratch::Scratch() : folder_(made()) {}

Scratch::Scratch(const mpi::Communicator& ranks) : ranks_(&ranks) {
  std::string folder;
  mpi::agreed(ranks, [&] { folder = ranks.rank() == 0 ? made() : ""; });
  folder_ = ranks.broadcast(folder);
}

Scratch::~Scratch() {
  if (ranks_ != nullptr && std::uncaught_exceptions() == 0) {  // otherwise the others may not come
    ranks_->barrier();
  }
  if (ranks_ == nullptr || ranks_->rank() == 0) {
    std::error_code failed;
    std::filesystem::remove_all(folder_, failed);
  }
}

}  // namespace halocline::test
