#pragma once

#include <string>

#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// A way, and its origin in words.
struct ChosenWay {
  Way way;
  std::string origin;
  bool may_change = false;  // from a file: the rule replaces it if it cannot carry this route
};

/// The library's own choice: shared memory within a node, and isend_irecv with one message per rank
/// between nodes.
ChosenWay way_by_rule(Way asked, const std::string& why);

/// Collective: the way for a program that leaves all but the number of threads to the library. It
/// comes from a ways file that the lowest rank reads: the one named by HALOCLINE_WAYS, or
/// halocline-ways.txt next to the library. Without a file, or a line in it for this machine, MPI
/// library, nodes, memory, ranks and bytes, the rule applies; so it does where the line names a
/// protocol with a restriction, which might break the program.
///
/// Throws Error on all ranks when the file named by HALOCLINE_WAYS is missing or damaged; a damaged
/// one next to the library is ignored, and the origin says so.
ChosenWay chosen_way(const route::Route& route, const Blocks& source, const Way& asked,
                     const mpi::Communicator& communicator, const NodeMemory* memory);

/// Collective: the redistribution by that way. Falls back to the rule where the library chose a way
/// whose protocol cannot carry the route.
Redistribution redistribution_of(const route::Route& route, const Blocks& source,
                                 const Blocks& destination, ChosenWay& chosen,
                                 const mpi::Communicator& communicator, const NodeMemory* memory);

}  // namespace halocline::bundle
