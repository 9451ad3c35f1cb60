#include "halocline/workload/replay/call_reader.hpp"

namespace halocline::workload {

ReplayedCalls::Action ReplayedCalls::barrier(Reader& reader) {
  const std::size_t index = reader.communicator();
  return [=, this] { collectives(index).barrier(); };
}

ReplayedCalls::Action ReplayedCalls::start_barrier(Reader& reader) {
  const std::size_t index = reader.communicator();
  return [=, this] { calls_.start_barrier(communicator(index)); };
}

ReplayedCalls::Action ReplayedCalls::broadcast(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int root = reader.root();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room(bytes);
  return [=, this] { collectives(index).broadcast(incoming(place, bytes), root); };
}

ReplayedCalls::Action ReplayedCalls::start_broadcast(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int root = reader.root();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room(bytes);
  return [=, this] { calls_.start_broadcast(communicator(index), incoming(place, bytes), root); };
}

ReplayedCalls::Action ReplayedCalls::reduce(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int root = reader.root();
  const std::size_t bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  return [=, this] {
    mpi::ProgramCalls::reduce(communicator(index), outgoing(bytes), incoming(place, bytes), root);
  };
}

ReplayedCalls::Action ReplayedCalls::start_all_reduce(Reader& reader) {
  const std::size_t index = reader.communicator();
  const std::size_t bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  return [=, this] {
    calls_.start_all_reduce(communicator(index), outgoing(bytes), incoming(place, bytes));
  };
}

ReplayedCalls::Action ReplayedCalls::gather(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int root = reader.root();
  const std::size_t bytes = reader.sent();
  const std::size_t all = reader.size() * bytes;
  const std::size_t place = reader.room(all);
  return [=, this] { collectives(index).gather(outgoing(bytes), incoming(place, all), root); };
}

ReplayedCalls::Action ReplayedCalls::scatter(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int root = reader.root();
  const std::size_t bytes = reader.bytes();
  const std::size_t all = reader.sends(reader.size() * bytes);
  const std::size_t place = reader.room(bytes);
  return [=, this] { collectives(index).scatter(outgoing(all), incoming(place, bytes), root); };
}

ReplayedCalls::Action ReplayedCalls::all_gather(Reader& reader) {
  const std::size_t index = reader.communicator();
  const std::size_t bytes = reader.sent();
  const std::size_t all = reader.size() * bytes;
  const std::size_t place = reader.room(all);
  return [=, this] { collectives(index).all_gather(outgoing(bytes), incoming(place, all)); };
}

ReplayedCalls::Action ReplayedCalls::all_to_all(Reader& reader) {
  const std::size_t index = reader.communicator();
  const std::size_t bytes = reader.bytes();
  const std::size_t all = reader.sends(reader.size() * bytes);
  const std::size_t place = reader.room(all);
  return [=, this] { collectives(index).all_to_all(outgoing(all), incoming(place, all), bytes); };
}

ReplayedCalls::Action ReplayedCalls::start_all_to_all(Reader& reader) {
  const std::size_t index = reader.communicator();
  const std::size_t bytes = reader.bytes();
  const std::size_t all = reader.sends(reader.size() * bytes);
  const std::size_t place = reader.room(all);
  return [=, this] {
    calls_.start_all_to_all(communicator(index), outgoing(all), incoming(place, all));
  };
}

ReplayedCalls::Action ReplayedCalls::gather_v(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int root = reader.root();
  const std::size_t bytes = reader.sent();
  const mpi::Blocks blocks = reader.blocks_at(root);
  const std::size_t place = reader.room(blocks.total());
  return [=, this] {
    collectives(index).gather(outgoing(bytes), incoming(place, blocks.total()), blocks, root);
  };
}

ReplayedCalls::Action ReplayedCalls::scatter_v(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int root = reader.root();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room(bytes);
  const mpi::Blocks blocks = reader.blocks_at(root);
  const std::size_t all = reader.sends(blocks.total());
  return [=, this] {
    collectives(index).scatter(outgoing(all), blocks, incoming(place, bytes), root);
  };
}

ReplayedCalls::Action ReplayedCalls::all_gather_v(Reader& reader) {
  const std::size_t index = reader.communicator();
  const std::size_t bytes = reader.sent();
  const mpi::Blocks blocks = reader.blocks();
  const std::size_t place = reader.room(blocks.total());
  return [=, this] {
    collectives(index).all_gather(outgoing(bytes), incoming(place, blocks.total()), blocks);
  };
}

ReplayedCalls::Action ReplayedCalls::all_to_all_v(Reader& reader) {
  const std::size_t index = reader.communicator();
  const mpi::Blocks to = reader.blocks();
  const mpi::Blocks from = reader.blocks();
  const std::size_t all = reader.sends(to.total());
  const std::size_t place = reader.room(from.total());
  return [=, this] {
    collectives(index).all_to_all(outgoing(all), to, incoming(place, from.total()), from);
  };
}

}  // namespace halocline::workload
