#pragma once

#include <stdexcept>
#include <string>

namespace halocline {

/// An error for the user to fix. The text is one line: what failed, the value, what is allowed,
/// the remedy.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr auto memory_exhausted = "memory is exhausted; free some, or use more nodes";

/// Invalid arguments: the driver exits with code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The request cannot be met here, for the reason in the text: the case is skipped. Thrown with the
/// same text on all ranks.
class Skip : public Error {
 public:
  using Error::Error;
};

}  // namespace halocline
