#include "halocline/mpi/program_calls.hpp"

#include <algorithm>

namespace halocline::mpi {
namespace {

struct Elements {
  MPI_Datatype type;
  int count;
  MPI_Op sum;
};

Elements elements_of(std::span<const std::byte> payload) {
  const int bytes = count_of(payload);
  constexpr auto double_bytes = static_cast<int>(sizeof(double));
  if (bytes % double_bytes == 0) {
    return {.type = MPI_DOUBLE, .count = bytes / double_bytes, .sum = MPI_SUM};
  }
  return {.type = MPI_BYTE, .count = bytes, .sum = MPI_BOR};
}

}  // namespace

MPI_Request* ProgramCalls::oldest() {
  none_ = MPI_REQUEST_NULL;
  return completed_ < requests_.size() ? &requests_[completed_] : &none_;
}

void ProgramCalls::forget(std::size_t oldest_requests) {
  completed_ = std::min(completed_ + oldest_requests, requests_.size());
  if (completed_ == requests_.size()) {
    requests_.clear();
    completed_ = 0;
  }
}

void ProgramCalls::send(const Communicator& communicator, Outgoing payload, int peer, int tag) {
  HALOCLINE_MPI(
      MPI_Send(payload.data(), count_of(payload), MPI_BYTE, peer, tag, communicator.handle()));
}

void ProgramCalls::synchronous_send(const Communicator& communicator, Outgoing payload, int peer,
                                    int tag) {
  HALOCLINE_MPI(
      MPI_Ssend(payload.data(), count_of(payload), MPI_BYTE, peer, tag, communicator.handle()));
}

void ProgramCalls::ready_send(const Communicator& communicator, Outgoing payload, int peer,
                              int tag) {
  HALOCLINE_MPI(
      MPI_Rsend(payload.data(), count_of(payload), MPI_BYTE, peer, tag, communicator.handle()));
}

void ProgramCalls::receive(const Communicator& communicator, Incoming payload, int peer, int tag) {
  HALOCLINE_MPI(MPI_Recv(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                         communicator.handle(), MPI_STATUS_IGNORE));
}

void ProgramCalls::send_receive(const Communicator& communicator, Outgoing outgoing,
                                int destination, int outgoing_tag, Incoming incoming, int source,
                                int incoming_tag) {
  HALOCLINE_MPI(MPI_Sendrecv(outgoing.data(), count_of(outgoing), MPI_BYTE, destination,
                             outgoing_tag, incoming.data(), count_of(incoming), MPI_BYTE, source,
                             incoming_tag, communicator.handle(), MPI_STATUS_IGNORE));
}

bool ProgramCalls::probe(const Communicator& communicator, int peer) {
  int arrived = 0;
  HALOCLINE_MPI(MPI_Iprobe(peer, MPI_ANY_TAG, communicator.handle(), &arrived, MPI_STATUS_IGNORE));
  return arrived != 0;
}

void ProgramCalls::start_send(const Communicator& communicator, Outgoing payload, int peer,
                              int tag) {
  HALOCLINE_MPI(MPI_Isend(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                          communicator.handle(), next()));
}

void ProgramCalls::start_synchronous_send(const Communicator& communicator, Outgoing payload,
                                          int peer, int tag) {
  HALOCLINE_MPI(MPI_Issend(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                           communicator.handle(), next()));
}

void ProgramCalls::start_ready_send(const Communicator& communicator, Outgoing payload, int peer,
                                    int tag) {
  HALOCLINE_MPI(MPI_Irsend(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                           communicator.handle(), next()));
}

void ProgramCalls::start_receive(const Communicator& communicator, Incoming payload, int peer,
                                 int tag) {
  HALOCLINE_MPI(MPI_Irecv(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                          communicator.handle(), next()));
}

void ProgramCalls::prepare_send(const Communicator& communicator, Outgoing payload, int peer,
                                int tag) {
  HALOCLINE_MPI(MPI_Send_init(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                              communicator.handle(), next_prepared()));
}

void ProgramCalls::prepare_synchronous_send(const Communicator& communicator, Outgoing payload,
                                            int peer, int tag) {
  HALOCLINE_MPI(MPI_Ssend_init(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                               communicator.handle(), next_prepared()));
}

void ProgramCalls::prepare_receive(const Communicator& communicator, Incoming payload, int peer,
                                   int tag) {
  HALOCLINE_MPI(MPI_Recv_init(payload.data(), count_of(payload), MPI_BYTE, peer, tag,
                              communicator.handle(), next_prepared()));
}

void ProgramCalls::start(std::size_t prepared) {
  HALOCLINE_MPI(MPI_Start(&prepared_[prepared]));
  requests_.push_back(prepared_[prepared]);
}

void ProgramCalls::start_all(std::span<const std::size_t> prepared) {
  std::vector<MPI_Request> chosen;
  for (const std::size_t number : prepared) {
    chosen.push_back(prepared_[number]);
  }
  // Some libraries refuse a null array even if nothing is started.
  MPI_Request* const first = chosen.empty() ? &none_ : chosen.data();
  HALOCLINE_MPI(MPI_Startall(static_cast<int>(chosen.size()), first));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    prepared_[prepared[i]] = chosen[i];
  }
  requests_.insert(requests_.end(), chosen.begin(), chosen.end());
}

void ProgramCalls::free_prepared() {
  for (MPI_Request& request : prepared_) {
    HALOCLINE_MPI(MPI_Request_free(&request));
  }
  prepared_.clear();
}

void ProgramCalls::reduce(const Communicator& communicator, Outgoing own, Incoming sum, int root) {
  const Elements elements = elements_of(own);
  HALOCLINE_MPI(MPI_Reduce(own.data(), sum.data(), elements.count, elements.type, elements.sum,
                           root, communicator.handle()));
}

void ProgramCalls::all_reduce(const Communicator& communicator, Outgoing own, Incoming sum) {
  const Elements elements = elements_of(own);
  HALOCLINE_MPI(MPI_Allreduce(own.data(), sum.data(), elements.count, elements.type, elements.sum,
                              communicator.handle()));
}

void ProgramCalls::scan(const Communicator& communicator, Outgoing own, Incoming sum) {
  const Elements elements = elements_of(own);
  HALOCLINE_MPI(MPI_Scan(own.data(), sum.data(), elements.count, elements.type, elements.sum,
                         communicator.handle()));
}

void ProgramCalls::exclusive_scan(const Communicator& communicator, Outgoing own, Incoming sum) {
  const Elements elements = elements_of(own);
  HALOCLINE_MPI(MPI_Exscan(own.data(), sum.data(), elements.count, elements.type, elements.sum,
                           communicator.handle()));
}

void ProgramCalls::start_all_reduce(const Communicator& communicator, Outgoing own, Incoming sum) {
  const Elements elements = elements_of(own);
  HALOCLINE_MPI(MPI_Iallreduce(own.data(), sum.data(), elements.count, elements.type, elements.sum,
                               communicator.handle(), next()));
}

void ProgramCalls::start_barrier(const Communicator& communicator) {
  HALOCLINE_MPI(MPI_Ibarrier(communicator.handle(), next()));
}

void ProgramCalls::start_broadcast(const Communicator& communicator, Incoming payload, int root) {
  HALOCLINE_MPI(
      MPI_Ibcast(payload.data(), count_of(payload), MPI_BYTE, root, communicator.handle(), next()));
}

void ProgramCalls::start_all_to_all(const Communicator& communicator, Outgoing outgoing,
                                    Incoming incoming) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const int each = count_of(outgoing.first(outgoing.size() / ranks));
  HALOCLINE_MPI(MPI_Ialltoall(outgoing.data(), each, MPI_BYTE, incoming.data(), each, MPI_BYTE,
                              communicator.handle(), next()));
}

void ProgramCalls::wait() {
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): another call has started it
  HALOCLINE_MPI(MPI_Wait(oldest(), MPI_STATUS_IGNORE));
  forget(1);
}

void ProgramCalls::wait_all(std::size_t requests) {
  const std::size_t open = std::min(requests, requests_.size() - completed_);
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): other calls have started them
  HALOCLINE_MPI(MPI_Waitall(static_cast<int>(open), oldest(), MPI_STATUSES_IGNORE));
  forget(open);
}

void ProgramCalls::wait_any() {
  int index = 0;
  HALOCLINE_MPI(MPI_Waitany(1, oldest(), &index, MPI_STATUS_IGNORE));
  forget(1);
}

void ProgramCalls::wait_some() {
  int completed = 0;
  int index = 0;
  HALOCLINE_MPI(MPI_Waitsome(1, oldest(), &completed, &index, MPI_STATUSES_IGNORE));
  forget(1);
}

void ProgramCalls::test() {
  int completed = 0;
  HALOCLINE_MPI(MPI_Test(oldest(), &completed, MPI_STATUS_IGNORE));
}

void ProgramCalls::test_all() {
  int completed = 0;
  HALOCLINE_MPI(MPI_Testall(1, oldest(), &completed, MPI_STATUSES_IGNORE));
}

void ProgramCalls::test_any() {
  int completed = 0;
  int index = 0;
  HALOCLINE_MPI(MPI_Testany(1, oldest(), &index, &completed, MPI_STATUS_IGNORE));
}

void ProgramCalls::test_some() {
  int completed = 0;
  int index = 0;
  HALOCLINE_MPI(MPI_Testsome(1, oldest(), &completed, &index, MPI_STATUSES_IGNORE));
}

}  // namespace halocline::mpi
