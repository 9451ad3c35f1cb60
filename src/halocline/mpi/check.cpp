#include "halocline/mpi/check.hpp"

#include <array>

namespace halocline::mpi {
namespace {

std::string describe(int code, const char* call) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    length = 0;
  }
  std::string line = std::string{call} + " failed with code " + std::to_string(code) + ": " +
                     std::string{text.data(), static_cast<std::size_t>(length)};
  for (char& character : line) {
    if (character == '\n') {
      character = ' ';
    }
  }
  return line;
}

}  // namespace

CallError::CallError(int code, const char* call) : Error(describe(code, call)) {}

}  // namespace halocline::mpi
