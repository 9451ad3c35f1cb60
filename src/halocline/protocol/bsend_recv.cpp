#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

extern const Protocol bsend_recv;

namespace {

class BufferedSend final : public Transport {
 public:
  static constexpr std::string_view restriction = "one exchange at a time may be under way with it";

  BufferedSend(const mpi::Communicator& communicator, Messages messages)
      : communicator_(communicator),
        messages_(std::move(messages)),
        reserved_bytes_(communicator_.buffered_sends().reserve(sizes_bytes(messages_))) {}
  ~BufferedSend() override { communicator_.buffered_sends().release(reserved_bytes_); }
  BufferedSend(const BufferedSend&) = delete;
  BufferedSend& operator=(const BufferedSend&) = delete;

  static void require_countable(const mpi::Communicator& communicator, const Messages& messages) {
    require_each_countable(communicator, messages);
    communicator.buffered_sends().require_room(sizes_bytes(messages));
  }

  void start() override {
    communicator_.buffered_sends().begin(reserved_bytes_);
    for (const Outgoing& outgoing : messages_.sends) {
      communicator_.buffered_send(outgoing.payload, outgoing.peer);
    }
  }

  void finish() override {
    for (const Incoming& incoming : messages_.receives) {
      communicator_.receive(incoming.payload, incoming.peer);
    }
    communicator_.buffered_sends().end();
  }

 private:
  static std::vector<std::size_t> sizes_bytes(const Messages& messages) {
    std::vector<std::size_t> sizes;
    for (const Outgoing& outgoing : messages.sends) {
      sizes.push_back(outgoing.payload.size());
    }
    return sizes;
  }

  const mpi::Communicator& communicator_;
  const Messages messages_;
  const std::size_t reserved_bytes_;
};

}  // namespace

const Protocol bsend_recv = define<BufferedSend>({
    .name = "bsend_recv",
    .summary = "MPI_Bsend, which copies into an attached buffer and returns, and MPI_Recv",
    .needs = {mpi::Need::two_sided, mpi::Need::buffered_mode},
});

}  // namespace halocline::protocol
