#include <algorithm>
#include <numeric>

#include "halocline/mpi/check.hpp"
#include "halocline/mpi/replayed_reader.hpp"

namespace halocline::mpi {
namespace {

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  return offsets;
}

/// Numbers where the bytes are a whole number of them: what programs sum most.
struct Elements {
  explicit Elements(int bytes)
      : numbers(bytes % static_cast<int>(sizeof(double)) == 0),
        count(numbers ? bytes / static_cast<int>(sizeof(double)) : bytes) {}
  MPI_Datatype type() const { return numbers ? MPI_DOUBLE : MPI_BYTE; }
  MPI_Op operation() const { return numbers ? MPI_SUM : MPI_BOR; }
  bool numbers;
  int count;
};

}  // namespace

ReplayedCalls::Action ReplayedCalls::barrier(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  return [=] { HALOCLINE_MPI(MPI_Barrier(communicator)); };
}

ReplayedCalls::Action ReplayedCalls::start_barrier(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  return [=, this] { HALOCLINE_MPI(MPI_Ibarrier(communicator, started())); };
}

ReplayedCalls::Action ReplayedCalls::broadcast(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room(bytes);
  return
      [=, this] { HALOCLINE_MPI(MPI_Bcast(incoming(place), bytes, MPI_BYTE, root, communicator)); };
}

ReplayedCalls::Action ReplayedCalls::start_broadcast(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Ibcast(incoming(place), bytes, MPI_BYTE, root, communicator, started()));
  };
}

ReplayedCalls::Action ReplayedCalls::reduce(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Reduce(outgoing(), incoming(place), elements.count, elements.type(),
                             elements.operation(), root, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_reduce(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Allreduce(outgoing(), incoming(place), elements.count, elements.type(),
                                elements.operation(), communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::start_all_reduce(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Iallreduce(outgoing(), incoming(place), elements.count, elements.type(),
                                 elements.operation(), communicator, started()));
  };
}

ReplayedCalls::Action ReplayedCalls::scan(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Scan(outgoing(), incoming(place), elements.count, elements.type(),
                           elements.operation(), communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::exclusive_scan(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Exscan(outgoing(), incoming(place), elements.count, elements.type(),
                             elements.operation(), communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::gather(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(static_cast<std::int64_t>(reader.size()) * bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Gather(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, root,
                             communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::scatter(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  outgoing_bytes_ = std::max(outgoing_bytes_, static_cast<std::size_t>(bytes) * reader.size());
  const std::size_t place = reader.room(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Scatter(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, root,
                              communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_gather(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(static_cast<std::int64_t>(reader.size()) * bytes);
  return [=, this] {
    HALOCLINE_MPI(
        MPI_Allgather(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_to_all(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.number();
  const std::size_t all = static_cast<std::size_t>(bytes) * reader.size();
  outgoing_bytes_ = std::max(outgoing_bytes_, all);
  const std::size_t place = reader.room(static_cast<std::int64_t>(all));
  return [=, this] {
    HALOCLINE_MPI(
        MPI_Alltoall(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::start_all_to_all(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.number();
  const std::size_t all = static_cast<std::size_t>(bytes) * reader.size();
  outgoing_bytes_ = std::max(outgoing_bytes_, all);
  const std::size_t place = reader.room(static_cast<std::int64_t>(all));
  return [=, this] {
    HALOCLINE_MPI(MPI_Ialltoall(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE,
                                communicator, started()));
  };
}

ReplayedCalls::Action ReplayedCalls::gather_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.sent();
  const std::vector<int> counts = reader.numbers(reader.more() ? reader.size() : 0);
  const std::size_t place = reader.room(std::accumulate(counts.begin(), counts.end(), 0L));
  return [=, this, offsets = offsets_of(counts)] {
    HALOCLINE_MPI(MPI_Gatherv(outgoing(), bytes, MPI_BYTE, incoming(place), counts.data(),
                              offsets.data(), MPI_BYTE, root, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::scatter_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room(bytes);
  const std::vector<int> counts = reader.numbers(reader.more() ? reader.size() : 0);
  outgoing_bytes_ = std::max(
      outgoing_bytes_, static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0L)));
  return [=, this, offsets = offsets_of(counts)] {
    HALOCLINE_MPI(MPI_Scatterv(outgoing(), counts.data(), offsets.data(), MPI_BYTE, incoming(place),
                               bytes, MPI_BYTE, root, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_gather_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::vector<int> counts = reader.numbers(reader.size());
  const std::size_t place = reader.room(std::accumulate(counts.begin(), counts.end(), 0L));
  return [=, this, offsets = offsets_of(counts)] {
    HALOCLINE_MPI(MPI_Allgatherv(outgoing(), bytes, MPI_BYTE, incoming(place), counts.data(),
                                 offsets.data(), MPI_BYTE, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_to_all_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const std::vector<int> to = reader.numbers(reader.size());
  const std::vector<int> from = reader.numbers(reader.size());
  outgoing_bytes_ = std::max(outgoing_bytes_,
                             static_cast<std::size_t>(std::accumulate(to.begin(), to.end(), 0L)));
  const std::size_t place = reader.room(std::accumulate(from.begin(), from.end(), 0L));
  return [=, this, to_offsets = offsets_of(to), from_offsets = offsets_of(from)] {
    HALOCLINE_MPI(MPI_Alltoallv(outgoing(), to.data(), to_offsets.data(), MPI_BYTE, incoming(place),
                                from.data(), from_offsets.data(), MPI_BYTE, communicator));
  };
}

}  // namespace halocline::mpi
