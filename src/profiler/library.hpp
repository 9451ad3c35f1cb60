#pragma once

#include <cstdint>

#include "profiler/function.hpp"
#include "profiler/process.hpp"

namespace halocline::profiler {

/// The program's MPI library: what differs between ABIs, and its functions.
///
/// The profiler itself calls only functions that query a property of a handle and that the standard
/// calls local, and only for handles that a call of the program has just used.
struct Library {
  Word handle_mask;  // a handle is an int or a pointer
  Word world;
  Word no_communicator;
  Word in_place;
  std::int32_t root;  // of an intercommunicator, in the root's own group
  std::int32_t proc_null;
  int (*comm_rank)(Word, int*);
  int (*comm_size)(Word, int*);
  int (*comm_group)(Word, Word*);
  int (*comm_test_inter)(Word, int*);
  int (*comm_remote_group)(Word, Word*);
  int (*group_size)(Word, int*);
  int (*group_rank)(Word, int*);
  int (*group_translate_ranks)(Word, int, const int*, Word, int*);
  int (*group_free)(Word*);
  int (*group_from_session)(Word, const char*, Word*);  // if MPI has sessions
  int (*win_get_group)(Word, Word*);
  int (*type_size)(Word, void*);  // a 64-bit size where the library has such a function
  int (*cartdim_get)(Word, int*);
  int (*cart_get)(Word, int, int*, int*, int*);
  int (*dist_graph_neighbors_count)(Word, int*, int*, int*);
  int (*graph_neighbors_count)(Word, int, int*);
  int (*topo_test)(Word, int*);
  int topology_graph;
  int topology_cartesian;
  int topology_distributed;
  bool wide_type_size;
  bool ready;  // its functions may be called
};

extern Library library;

/// The targets of the wrappers, and the names of the profiled functions.
extern void* real[functions.size()];

/// Finds a symbol in the program's own MPI library; null if it has none of that name.
using Lookup = void* (*)(const char* symbol);

/// Learns the library's ABI from its file and symbols, and its functions.
void learn_library(Lookup lookup, const char* path);

/// The same for the library that the linker bound the program to.
void learn_own_library();

}  // namespace halocline::profiler
