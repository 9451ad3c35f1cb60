#pragma once

#include <link.h>

#include <cstdint>

#include "profiler/process.hpp"

/// mpi4py calls MPI from its own C code: the place of the program is that of the Python frame.
namespace halocline::profiler {

/// The address range of mpi4py's code; none: both are 0.
struct PythonCode {
  Word begin;
  Word end;
};
extern PythonCode python_code;

inline bool from_python(Word site) { return site >= python_code.begin && site < python_code.end; }

/// A number that stands for the line of Python that this thread is at; `site` if that is not known.
Word python_site(Word site);

/// If `from` is mpi4py: the wrapper of the function by which it lets other threads run, after which
/// no frame may be looked at. Else `target`.
Word bind_python(const link_map& from, const link_map& python, Word target);

}  // namespace halocline::profiler
