#include "halocline/api/calls.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <new>

#include "halocline/api/halocline.h"
#include "halocline/base/error.hpp"
#include "halocline/mpi/environment.hpp"

namespace halocline::api {
namespace {

// Of fixed size: storing an error message must not fail.
thread_local std::array<char, 2048> message{};

int keep(int status, const char* words) noexcept {
  std::snprintf(message.data(), message.size(), "%s", words);
  return status;
}

}  // namespace

int failed() noexcept {
  try {
    throw;
  } catch (const Skip& reason) {
    return keep(halocline_impossible, reason.what());
  } catch (const std::bad_alloc&) {
    return keep(halocline_wrong, memory_exhausted);
  } catch (const std::exception& error) {
    return keep(halocline_wrong, error.what());
  } catch (...) {
    return keep(halocline_wrong, "an unknown exception");
  }
}

void require_running() {
  if (!mpi::running()) {
    throw Error(
        "MPI is not running; allowed: calls between MPI_Init and MPI_Finalize; move the call "
        "there");
  }
}

void require_address(bool given, const char* what) {
  if (!given) {
    throw Error(std::string{what} + " is NULL; pass its address");
  }
}

void require_count(int count, const char* what) {
  if (count < 0) {
    throw Error("the number of " + std::string{what} + " is " + std::to_string(count) +
                "; allowed: 0 or more; pass how many there are");
  }
}

}  // namespace halocline::api

extern "C" {

const char* halocline_error_message() { return halocline::api::message.data(); }

const char* halocline_version() { return HALOCLINE_VERSION; }
}
