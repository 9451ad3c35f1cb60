#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/process.hpp"

/// MPI's Fortran libraries call its C functions. A call counts once, at its place in the program:
/// the program's calls into such a library go through stubs that remember it.
namespace halocline::profiler {

/// The address range of MPI's Fortran libraries.
struct Range {
  Word begin;
  Word end;
};
inline constexpr int ranges_maximum = 8;
extern Range fortran_code[ranges_maximum];
extern int fortran_codes;

struct Pending {
  Word site;
  std::uint64_t stub;  // its number; 0: none
};
extern "C" constinit thread_local Pending halocline_profiler_pending
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

inline bool from_fortran(Word site) {
  for (int i = 0; i < fortran_codes; ++i) {
    if (site >= fortran_code[i].begin && site < fortran_code[i].end) {
      return true;
    }
  }
  return false;
}

/// The place in the program that called this function; false for a call of the library itself.
bool take_fortran_site(std::uint32_t function, Word& site);

/// A stub that remembers who called this Fortran symbol. Returns `target` itself if it is no call
/// of a profiled function, or no stub is left.
Word stub_of(std::string_view symbol, Word target);

}  // namespace halocline::profiler
