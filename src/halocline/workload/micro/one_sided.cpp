#include "halocline/workload/micro/one_sided.hpp"

#include <array>
#include <memory>

#include "halocline/mpi/in_turn.hpp"
#include "halocline/mpi/window.hpp"
#include "halocline/route/pairs.hpp"
#include "halocline/workload/micro/payload.hpp"

namespace halocline::workload {
namespace {

/// A case without its synchronisation.
struct Access {
  Direction direction;
  std::size_t size_bytes;
  Pages pages;
};

/// The rank that accesses and the owner of the window, in the communicator of a pair.
constexpr int origin = 0;
constexpr int target = 1;

class OneSided : public measure::TimedLoop {
 public:
  OneSided(const Access& access, const mpi::Communicator& world)
      : access_(access),
        world_(world),
        pairs_(route::across_halves(world.size())),
        names_(pairs_[static_cast<std::size_t>(world.rank()) % pairs_.size()]),
        pair_(world.part(names_.first)),
        payload_(access.size_bytes, access.pages) {
    mpi::in_turn(world, names_.first, static_cast<int>(pairs_.size()), [this] {
      window_ = std::make_unique<mpi::Window>(pair_, originates() ? 0 : access_.size_bytes);
    });
    if (!originates()) {
      bundle::Bundle outgoing = payload_.outgoing();
      bundle::Bundle incoming = payload_.incoming();
      (puts() ? incoming : outgoing).front().data = window_->memory().data();
      payload_.lies_in(outgoing, incoming);
    }
    payload_.write(0, world.rank());
  }

  void synchronise() override { world_.barrier(); }

  std::optional<std::string> verify(std::uint64_t seed) override {
    payload_.write(seed, world_.rank());
    synchronise();
    time(1);
    if (puts() == originates()) {
      return std::nullopt;  // this rank has received nothing
    }
    return payload_.difference(seed, originates() ? names_.second : names_.first, world_.rank());
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return pairs_.size() * access_.size_bytes; }
  std::vector<int> timed_ranks() const override {
    std::vector<int> origins;
    for (const route::Pair& pair : pairs_) {
      origins.push_back(pair.first);
    }
    return origins;
  }
  std::vector<route::Pair> pairs() const override { return pairs_; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    const auto node = [&](int rank) { return node_of_rank[static_cast<std::size_t>(rank)]; };
    const bool sends = puts() == originates();
    return sends && node(names_.first) != node(names_.second) ? access_.size_bytes : 0;
  }

 protected:
  bool originates() const { return pair_.rank() == origin; }
  const mpi::Communicator& pair() const { return pair_; }
  mpi::Window& window() { return *window_; }

  /// One put or get of the whole payload, on the origin.
  void move() {
    if (puts()) {
      window_->put({payload_.outgoing().front().data, access_.size_bytes}, target, 0);
    } else {
      window_->get({payload_.incoming().front().data, access_.size_bytes}, target, 0);
    }
  }

 private:
  bool puts() const { return access_.direction == Direction::put; }

  Access access_;
  const mpi::Communicator& world_;
  std::vector<route::Pair> pairs_;
  route::Pair names_;
  mpi::Communicator pair_;
  std::unique_ptr<mpi::Window> window_;
  Payload payload_;
};

/// The target takes no part: it sleeps, and checks now and then whether the origin has finished. A
/// library that needs the target's help must wait for that, and the time shows it.
class Flushed final : public OneSided {
 public:
  Flushed(const Access& access, const mpi::Communicator& world) : OneSided(access, world) {
    window().lock_all();
  }

  void synchronise() override {
    window().sync();  // orders own stores before the origin's accesses
    OneSided::synchronise();
  }

  Seconds time(std::int64_t iterations) override {
    if (originates()) {
      const Seconds elapsed = TimedLoop::time(iterations);
      pair().notify(target);
      return elapsed;
    }
    pair().sleep_until_notified(origin);
    window().sync();
    return Seconds{0};
  }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      move();
      window().flush(target);
    }
  }
};

/// Each fence ends one call and begins the next; both ranks wait in it for each other.
class Fenced final : public OneSided {
 public:
  using OneSided::OneSided;

  void synchronise() override {
    window().fence();  // begins the first; a batch of few long calls would time one too many
    OneSided::synchronise();
  }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      if (originates()) {
        move();
      }
      window().fence();
    }
  }
};

/// The target exposes its window once per call.
class PostStarted final : public OneSided {
 public:
  PostStarted(const Access& access, const mpi::Communicator& world)
      : OneSided(access, world), peer_(pair(), std::array{originates() ? target : origin}) {}

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      if (originates()) {
        window().start(peer_);
        move();
        window().complete();
      } else {
        window().post(peer_);
        window().wait();
      }
    }
  }

 private:
  mpi::Group peer_;
};

}  // namespace

const ChoiceAxis& synchronisation_axis() {
  static const ChoiceAxis axis{
      .name = "synchronisation",
      .choices = {"flush", "fence", "pscw"},
      .defaults = {"flush", "fence", "pscw"},
  };
  return axis;
}

std::unique_ptr<measure::TimedLoop> one_sided(Direction direction, const AxisValues& values,
                                              const mpi::Communicator& world) {
  const Access access{
      .direction = direction,
      .size_bytes = static_cast<std::size_t>(values.integer(message_bytes_axis())),
      .pages = values.pages(),
  };
  const bool owns_window = world.rank() >= world.size() / 2;
  require_payloads(access.size_bytes, Payload::buffers + (owns_window ? 1 : 0),
                   Payload::buffers + 1, world);
  const std::string_view synchronisation = values.choice(synchronisation_axis());
  if (synchronisation == "flush") {
    return std::make_unique<Flushed>(access, world);
  }
  if (synchronisation == "fence") {
    return std::make_unique<Fenced>(access, world);
  }
  return std::make_unique<PostStarted>(access, world);
}

}  // namespace halocline::workload
