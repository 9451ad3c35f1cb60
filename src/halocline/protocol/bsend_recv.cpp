#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

extern const Protocol bsend_recv;

namespace {

class BufferedSend final : public Transport {
 public:
  BufferedSend(const mpi::Communicator& communicator, Messages messages)
      : communicator_(communicator), messages_(std::move(messages)) {
    std::vector<std::size_t> sizes_bytes;
    for (const Outgoing& outgoing : messages_.sends) {
      sizes_bytes.push_back(outgoing.payload.size());
    }
    reserved_bytes_ = communicator_.buffered_sends().reserve(sizes_bytes);
  }
  ~BufferedSend() override { communicator_.buffered_sends().release(reserved_bytes_); }
  BufferedSend(const BufferedSend&) = delete;
  BufferedSend& operator=(const BufferedSend&) = delete;

  void start() override {
    communicator_.buffered_sends().take(reserved_bytes_);
    for (const Outgoing& outgoing : messages_.sends) {
      communicator_.buffered_send(outgoing.payload, outgoing.peer);
    }
  }

  void finish() override {
    for (const Incoming& incoming : messages_.receives) {
      communicator_.receive(incoming.payload, incoming.peer);
    }
  }

 private:
  const mpi::Communicator& communicator_;
  const Messages messages_;
  std::size_t reserved_bytes_ = 0;
};

}  // namespace

const Protocol bsend_recv = define<BufferedSend>({
    .name = "bsend_recv",
    .summary = "MPI_Bsend, which copies into an attached buffer and returns, and MPI_Recv",
    .needs = {mpi::Need::two_sided, mpi::Need::buffered_mode},
});

}  // namespace halocline::protocol
