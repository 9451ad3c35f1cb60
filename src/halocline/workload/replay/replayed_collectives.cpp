#include "halocline/mpi/collectives.hpp"
#include "halocline/workload/replay/call_reader.hpp"

namespace halocline::workload {

ReplayedCalls::Action ReplayedCalls::barrier(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  return [=] { collectives.barrier(); };
}

ReplayedCalls::Action ReplayedCalls::start_barrier(Reader& reader) {
  const mpi::Communicator& communicator = reader.communicator();
  return [this, &communicator] { calls_.start_barrier(communicator); };
}

ReplayedCalls::Action ReplayedCalls::broadcast(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const int root = reader.number();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room(bytes);
  return [=, this] { collectives.broadcast(incoming(place, bytes), root); };
}

ReplayedCalls::Action ReplayedCalls::start_broadcast(Reader& reader) {
  const mpi::Communicator& communicator = reader.communicator();
  const int root = reader.number();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room(bytes);
  return [=, this, &communicator] {
    calls_.start_broadcast(communicator, incoming(place, bytes), root);
  };
}

ReplayedCalls::Action ReplayedCalls::reduce(Reader& reader) {
  const mpi::Communicator& communicator = reader.communicator();
  const int root = reader.number();
  const std::size_t bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  return [=, this, &communicator] {
    mpi::ProgramCalls::reduce(communicator, outgoing(bytes), incoming(place, bytes), root);
  };
}

ReplayedCalls::Action ReplayedCalls::start_all_reduce(Reader& reader) {
  const mpi::Communicator& communicator = reader.communicator();
  const std::size_t bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  return [=, this, &communicator] {
    calls_.start_all_reduce(communicator, outgoing(bytes), incoming(place, bytes));
  };
}

ReplayedCalls::Action ReplayedCalls::gather(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const int root = reader.number();
  const std::size_t bytes = reader.sent();
  const std::size_t all = reader.size() * bytes;
  const std::size_t place = reader.room(all);
  return [=, this] { collectives.gather(outgoing(bytes), incoming(place, all), root); };
}

ReplayedCalls::Action ReplayedCalls::scatter(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const int root = reader.number();
  const std::size_t bytes = reader.bytes();
  const std::size_t all = reader.sends(reader.size() * bytes);
  const std::size_t place = reader.room(bytes);
  return [=, this] { collectives.scatter(outgoing(all), incoming(place, bytes), root); };
}

ReplayedCalls::Action ReplayedCalls::all_gather(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const std::size_t bytes = reader.sent();
  const std::size_t all = reader.size() * bytes;
  const std::size_t place = reader.room(all);
  return [=, this] { collectives.all_gather(outgoing(bytes), incoming(place, all)); };
}

ReplayedCalls::Action ReplayedCalls::all_to_all(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const std::size_t bytes = reader.bytes();
  const std::size_t all = reader.sends(reader.size() * bytes);
  const std::size_t place = reader.room(all);
  return [=, this] { collectives.all_to_all(outgoing(all), incoming(place, all), bytes); };
}

ReplayedCalls::Action ReplayedCalls::start_all_to_all(Reader& reader) {
  const mpi::Communicator& communicator = reader.communicator();
  const std::size_t bytes = reader.bytes();
  const std::size_t all = reader.sends(reader.size() * bytes);
  const std::size_t place = reader.room(all);
  return [=, this, &communicator] {
    calls_.start_all_to_all(communicator, outgoing(all), incoming(place, all));
  };
}

ReplayedCalls::Action ReplayedCalls::gather_v(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const int root = reader.number();
  const std::size_t bytes = reader.sent();
  const mpi::Blocks blocks = reader.blocks(reader.more() ? reader.size() : 0);
  const std::size_t place = reader.room(blocks.total());
  return [=, this] {
    collectives.gather(outgoing(bytes), incoming(place, blocks.total()), blocks, root);
  };
}

ReplayedCalls::Action ReplayedCalls::scatter_v(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const int root = reader.number();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room(bytes);
  const mpi::Blocks blocks = reader.blocks(reader.more() ? reader.size() : 0);
  const std::size_t all = reader.sends(blocks.total());
  return [=, this] { collectives.scatter(outgoing(all), blocks, incoming(place, bytes), root); };
}

ReplayedCalls::Action ReplayedCalls::all_gather_v(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const std::size_t bytes = reader.sent();
  const mpi::Blocks blocks = reader.blocks(reader.size());
  const std::size_t place = reader.room(blocks.total());
  return [=, this] {
    collectives.all_gather(outgoing(bytes), incoming(place, blocks.total()), blocks);
  };
}

ReplayedCalls::Action ReplayedCalls::all_to_all_v(Reader& reader) {
  const mpi::Collectives collectives(reader.communicator());
  const mpi::Blocks to = reader.blocks(reader.size());
  const mpi::Blocks from = reader.blocks(reader.size());
  const std::size_t all = reader.sends(to.total());
  const std::size_t place = reader.room(from.total());
  return
      [=, this] { collectives.all_to_all(outgoing(all), to, incoming(place, from.total()), from); };
}

}  // namespace halocline::workload
