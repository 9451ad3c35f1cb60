#include "halocline/measure/clock.hpp"
#include "halocline/workload/micro/payload.hpp"

namespace halocline::workload {

extern const Workload eager_probe;

namespace {

constexpr int receiver = 0;
constexpr int sender = 1;
/// Added to patience for every byte: at 100 MB/s or more, a message that needs no receive takes no
/// longer. eager.py, which judges the times, also adds it.
constexpr Seconds patience_per_byte{10e-9};

const IntegerAxis& patience_axis() {
  static const IntegerAxis axis{
      .name = "patience", .unit = "µs", .low = 10, .high = 1'000'000, .defaults = {2000}};
  return axis;
}

/// Rank 1 notifies rank 0 that it begins, sends, and notifies it that the send has returned. Rank 0
/// receives only after that second notice, or when its patience has run out: a notice before the
/// receive proves that the send returned without one. A send that needs a receive never notifies in
/// time: the time is then at least the patience. Patience starts with the sender, so that a late
/// sender on a busy machine does not use it up. While rank 0 waits it is inside MPI, as in a
/// receive.
class EagerProbe final : public measure::TimedLoop {
 public:
  EagerProbe(std::size_t size_bytes, Seconds patience, Pages pages,
             const mpi::Communicator& communicator)
      : communicator_(communicator),
        peer_(1 - communicator.rank()),
        size_bytes_(size_bytes),
        patience_(patience),
        payload_(size_bytes, pages),
        outgoing_(bundle::contiguous(payload_.outgoing(), payload_.box())),
        incoming_(bundle::contiguous(payload_.incoming(), payload_.box())) {
    payload_.write(0, communicator.rank());
  }

  void synchronise() override { communicator_.send_receive({}, peer_, {}, peer_); }

  void run(std::int64_t iterations) override { time(iterations); }

  /// The time that rank 0 waited, without the receive.
  Seconds time(std::int64_t iterations) override {
    Seconds waited{0};
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      waited += communicator_.rank() == sender ? send() : wait_and_receive();
    }
    return waited;
  }

  /// Each message finds its receiver done with the previous one.
  std::int64_t most_iterations() const override { return 1; }

  /// A proof stays valid, and no disturbance shortens a wait.
  bool preemption_spoils() const override { return false; }

  std::optional<std::string> verify(std::uint64_t seed) override {
    payload_.write(seed, communicator_.rank());
    synchronise();
    run(1);
    return communicator_.rank() == receiver ? payload_.difference(seed, sender, receiver)
                                            : std::nullopt;
  }

  std::int64_t traversals() const override { return 1; }
  /// None that could yield a bandwidth: the time is not the payload's transfer time.
  std::size_t moved_bytes() const override { return 0; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    const bool apart = node_of_rank[receiver] != node_of_rank[sender];
    return apart && communicator_.rank() == sender ? size_bytes_ : 0;
  }

 private:
  Seconds send() {
    communicator_.notify(receiver);
    const Seconds begin = measure::now();
    communicator_.send(outgoing_, receiver);
    communicator_.notify(receiver);
    return measure::now() - begin;
  }

  Seconds wait_and_receive() {
    communicator_.receive_notice(sender);
    const Seconds begin = measure::now();
    while (!communicator_.notified(sender) && measure::now() - begin < patience_) {
    }
    const Seconds waited = measure::now() - begin;
    communicator_.receive(incoming_, sender);
    communicator_.receive_notice(sender);
    return waited;
  }

  const mpi::Communicator& communicator_;
  int peer_;
  std::size_t size_bytes_;
  Seconds patience_;
  Payload payload_;
  std::span<const std::byte> outgoing_;
  std::span<std::byte> incoming_;
};

}  // namespace

const Workload eager_probe{
    .name = "eager_probe",
    .summary =
        "whether MPI_Send returns before its receive is posted: if so, in less than patience",
    .ranks_minimum = 2,
    .ranks_maximum = 2,
    .over_protocols = false,
    .axes = {message_bytes_axis(), patience_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      const auto size_bytes = static_cast<std::size_t>(values.integer(message_bytes_axis()));
      const Seconds patience =
          static_cast<double>(values.integer(patience_axis())) * Seconds{1e-6} +
          static_cast<double>(size_bytes) * patience_per_byte;
      return std::make_unique<EagerProbe>(size_bytes, patience, values.pages(), communicator);
    },
};

}  // namespace halocline::workload
