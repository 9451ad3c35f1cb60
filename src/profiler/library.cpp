#include "profiler/library.hpp"

#include <algorithm>
#include <cstring>

namespace halocline::profiler {

Library library{};
void* real[functions.size()] = {};

namespace {

template <class Signature>
void look_up(Lookup lookup, Signature*& function, const char* symbol) {
  function = reinterpret_cast<Signature*>(lookup(symbol));
}

void learn_standard() {
  library.world = 0x101;
  library.no_communicator = 0x100;
  library.in_place = 1;
  library.proc_null = -3;
  library.root = -4;
  library.topology_cartesian = 211;
  library.topology_graph = 212;
  library.topology_distributed = 213;
}

void learn_mpich() {
  library.handle_mask = 0xFFFFFFFF;
  library.world = 0x44000000;
  library.no_communicator = 0x04000000;
  library.in_place = ~Word{0};
  library.proc_null = -1;
  library.root = -3;
  library.topology_graph = 1;
  library.topology_cartesian = 2;
  library.topology_distributed = 3;
}

void learn_openmpi(Lookup lookup) {
  library.world = reinterpret_cast<Word>(lookup("ompi_mpi_comm_world"));
  library.no_communicator = reinterpret_cast<Word>(lookup("ompi_mpi_comm_null"));
  library.in_place = 1;
  library.proc_null = -2;
  library.root = -4;
  library.topology_cartesian = 1;
  library.topology_graph = 2;
  library.topology_distributed = 3;
}

}  // namespace

void learn_library(Lookup lookup, const char* path) {
  Header& header = *process.header;
  std::memcpy(header.library, path, std::min(std::strlen(path), sizeof(header.library) - 1));
  library = {};
  library.handle_mask = ~Word{0};
  const char* slash = std::strrchr(path, '/');  // folders may have such names too
  if (std::strstr(slash != nullptr ? slash : path, "mpi_abi") != nullptr) {
    header.abi = Abi::standard;
    learn_standard();
  } else if (lookup("ompi_mpi_comm_world") != nullptr) {
    header.abi = Abi::openmpi;
    learn_openmpi(lookup);
  } else {
    header.abi = Abi::mpich;
    learn_mpich();
  }
  look_up(lookup, library.comm_rank, "PMPI_Comm_rank");
  look_up(lookup, library.comm_size, "PMPI_Comm_size");
  look_up(lookup, library.comm_group, "PMPI_Comm_group");
  look_up(lookup, library.comm_test_inter, "PMPI_Comm_test_inter");
  look_up(lookup, library.comm_remote_group, "PMPI_Comm_remote_group");
  look_up(lookup, library.group_size, "PMPI_Group_size");
  look_up(lookup, library.group_rank, "PMPI_Group_rank");
  look_up(lookup, library.group_translate_ranks, "PMPI_Group_translate_ranks");
  look_up(lookup, library.group_free, "PMPI_Group_free");
  look_up(lookup, library.group_from_session, "PMPI_Group_from_session_pset");
  look_up(lookup, library.win_get_group, "PMPI_Win_get_group");
  look_up(lookup, library.topo_test, "PMPI_Topo_test");
  look_up(lookup, library.cartdim_get, "PMPI_Cartdim_get");
  look_up(lookup, library.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
  look_up(lookup, library.graph_neighbors_count, "PMPI_Graph_neighbors_count");
  look_up(lookup, library.cart_get, "PMPI_Cart_get");
  look_up(lookup, library.type_size, "PMPI_Type_size_c");
  if (library.type_size == nullptr) {
    look_up(lookup, library.type_size, "PMPI_Type_size_x");  // of MPI 3, also in MPI_Count
  }
  library.wide_type_size = library.type_size != nullptr;
  if (!library.wide_type_size) {
    look_up(lookup, library.type_size, "PMPI_Type_size");
  }
}

}  // namespace halocline::profiler
