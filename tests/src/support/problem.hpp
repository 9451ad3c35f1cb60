#pragma once

#include <string>

#include "halocline/base/error.hpp"

namespace halocline::test {

/// What the step complains of, "" if it does not.
std::string problem(const auto& step) {
  try {
    step();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace halocline::test
