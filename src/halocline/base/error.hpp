#pragma once

#include <stdexcept>
#include <string>

namespace halocline {

/// Something a person has to mend. The text is one line: what failed, the value, what is allowed,
/// the remedy.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments cannot be used: the driver ends with exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// What was asked for cannot be done here, for the reason in the text: the case is skipped. Thrown
/// with the same words on all ranks.
class Skip : public Error {
 public:
  using Error::Error;
};

}  // namespace halocline
