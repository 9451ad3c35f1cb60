#pragma once

#include <string>

#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// A way, and where it comes from, in words.
struct ChosenWay {
  Way way;
  std::string origin;
  bool may_change = false;  // a file's: the rule serves where this route cannot travel so
};

/// The way that the library takes where a program leaves the choice to it: shared memory within a
/// node, and isend_irecv with a message for each rank between nodes.
ChosenWay way_by_rule(Way asked, const std::string& why);

/// Collective: the way for fields of a program that leaves the choice to the library, but for its
/// threads. It comes from a file of ways that the lowest rank finds: the one that HALOCLINE_WAYS
/// names, or halocline-ways.txt beside the library. Where there is none, or none of its lines is
/// for this machine, MPI library, nodes, memory, ranks and bytes, it is the rule.
///
/// Throws Error on all ranks when the file that HALOCLINE_WAYS names is missing or damaged; one
/// beside the library is ignored then, as the origin says.
ChosenWay chosen_way(const route::Route& route, const Blocks& source, const Way& asked,
                     const mpi::Communicator& communicator, const NodeMemory* memory);

/// Collective: the redistribution by that way, which becomes the rule where it is the library's
/// choice and its protocol cannot carry the route.
Redistribution redistribution_of(const route::Route& route, const Blocks& source,
                                 const Blocks& destination, ChosenWay& chosen,
                                 const mpi::Communicator& communicator, const NodeMemory* memory);

}  // namespace halocline::bundle
