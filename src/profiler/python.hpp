#pragma once

#include <link.h>

#include <cstdint>

#include "profiler/process.hpp"

/// mpi4py calls MPI from its own C code: the place in the program is the Python frame's.
namespace halocline::profiler {

/// The address range of mpi4py's code; both are 0 if it is not loaded.
struct PythonCode {
  Word begin;
  Word end;
};
extern PythonCode python_code;

inline bool from_python(Word site) { return site >= python_code.begin && site < python_code.end; }

/// A number for the Python line that this thread is at; `site` if unknown.
Word python_site(Word site);

/// If `from` is mpi4py: the wrapper of the function that lets other threads run, after which no
/// frame may be accessed. Otherwise `target`.
Word bind_python(const link_map& from, const link_map& python, Word target);

}  // namespace halocline::profiler
