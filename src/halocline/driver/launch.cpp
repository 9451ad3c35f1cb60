#include "halocline/driver/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>

#include "halocline/base/announce.hpp"
#include "halocline/base/error.hpp"
#include "halocline/driver/pictures.hpp"
#include "halocline/driver/process.hpp"
#include "halocline/driver/records.hpp"
#include "halocline/driver/turns.hpp"
#include "halocline/driver/watchdog.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/measure/line_probe.hpp"
#include "halocline/measure/path.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/measure/sample_writer.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/nodes.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::driver {
namespace {

std::string read_text(const std::filesystem::path& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw UsageError("cannot read the case list " + path.string() + "; check the path");
  }
  return text.str();
}

constexpr Seconds progress_pause{1.0};

/// Between two verifications when nothing is timed: finds errors of exchanges that follow each
/// other without a pause.
constexpr std::int64_t verified_iterations = 3;

/// Every rank's error, in one line; on rank 0 only.
std::string joined(const std::vector<std::string>& complaints) {
  std::string all;
  for (const std::string& complaint : complaints) {
    if (!complaint.empty()) {
      all += (all.empty() ? "" : "; ") + complaint;
    }
  }
  return all;
}

/// One launch's records on rank 0; the other ranks only measure.
class Session {
 public:
  Session(const Options& options, const mpi::Communicator& world,
          const measure::LineProbe& line_probe)
      : options_(options),
        world_(world),
        line_probe_(line_probe),
        pictures_(options.output.parent_path() / "pictures"),
        path_meter_(world),
        watchdog_(options.stall_s, world.rank()) {
    if (!options.turns.empty()) {
      turns_ = std::make_unique<Turns>(options.turns, world);
    }
    if (writes()) {
      writer_ = std::make_unique<measure::SampleWriter>(options.output);
    }
    if (!mpi::simulated) {  // there the ranks share a process
      measure::PhaseTimer::new_timers_when_long([this] { show_progress(); });
    }
  }
  ~Session() { measure::PhaseTimer::new_timers_when_long({}); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run(const std::vector<Case>& cases) {
    append(start_record(options_, world_));
    std::size_t number = 0;
    progress_ = "case 0/" + std::to_string(cases.size()) + " waits for its turn";
    for (const Case& next : cases) {
      ++number;
      await_turn(Place::before_case);
      progress_ =
          "case " + std::to_string(number) + "/" + std::to_string(cases.size()) + " " + next.id;
      show_progress();
      append(measure_case(next, number));
    }
    await_turn(Place::after_all);
    if (writes()) {
      append(complete_record(options_, world_.size(), cases.size(), samples_, writer_->checksum()));
    }
  }

 private:
  bool writes() const { return world_.rank() == 0; }

  /// Whether to continue. Returns at once where jobs do not take turns.
  bool await_turn(Place place) {
    const bool goes_on = turns_ == nullptr || turns_->await(place, [this] { show_progress(); });
    watchdog_.feed();
    return goes_on;
  }

  void show_progress() {
    shown_ = measure::now();
    watchdog_.feed();
    if (writes() && !progress_.empty()) {
      announce(progress_);
    }
  }

  /// Under load a batch of 0.1 ms can take seconds, as ranks that share cores wait for each other:
  /// the case is still running.
  void alive() {
    if (measure::now() - shown_ >= progress_pause) {
      show_progress();
    }
  }

  measure::Samples sample(measure::TimedLoop& loop) {
    if (turns_ == nullptr) {
      return measure::sample(loop, options_.budget, world_, [this] { alive(); });
    }
    return measure::sample_in_turn(
        loop, options_.budget, world_, [this] { alive(); },
        [this](bool counts) {
          return await_turn(counts ? Place::before_block : Place::after_lost_block);
        });
  }

  void append(const std::string& record) {
    if (writes()) {
      writer_->append(record);
    }
  }

  void require_ranks(const workload::Workload& workload) const {
    const int ranks = world_.size();
    if (ranks < workload.ranks_minimum || ranks > workload.ranks_maximum ||
        ranks % workload.ranks_multiple != 0) {
      throw UsageError(std::string{workload.name} + " on " + std::to_string(ranks) +
                       " ranks; allowed: " + std::to_string(workload.ranks_minimum) + " to " +
                       std::to_string(workload.ranks_maximum) +
                       (workload.ranks_multiple > 1
                            ? ", a multiple of " + std::to_string(workload.ranks_multiple)
                            : "") +
                       "; change the number of ranks");
    }
  }

  /// The case's record; empty on ranks that do not write.
  std::string measure_case(const Case& next, std::size_t number) {
    require_ranks(*next.workload);
    if (next.workload->over_protocols) {
      if (const std::string lacking = protocol::missing(next.axes.protocol()); !lacking.empty()) {
        return no_samples_record(options_, next, "skipped", lacking);
      }
    }
    std::unique_ptr<measure::TimedLoop> loop;
    try {
      loop = next.workload->prepare(next.axes, world_);
    } catch (const workload::Skip& skip) {
      return no_samples_record(options_, next, "skipped", skip.what());
    }
    show_progress();  // preparing may take long
    if (measure::PhaseTimer* const phases = loop->phases(); phases != nullptr) {
      phases->when_long([this] { show_progress(); });
      if (options_.budget.name_regions) {
        phases->name_regions();
      }
    }
    if (const std::string wrong = verify(*loop, 2 * number); !wrong.empty()) {
      return no_samples_record(options_, next, "failed", wrong);
    }
    if (options_.verify_only) {
      loop->synchronise();
      loop->time(std::min(verified_iterations, loop->most_iterations()));
      const std::string wrong = verify(*loop, 2 * number + 1);
      return no_samples_record(options_, next, wrong.empty() ? "verified" : "failed", wrong);
    }
    const auto line_before = line_time(*loop);
    path_meter_.begin();
    measure::Samples samples = sample(*loop);
    const std::size_t iteration_bytes = loop->off_node_bytes(path_meter_.node_of_rank());
    const measure::Path path =
        path_meter_.end(iteration_bytes * static_cast<std::size_t>(samples.iterations));
    const auto line_after = line_time(*loop);
    if (line_before && line_after) {
      samples.line_s = {line_before->count(), line_after->count()};
    }
    const std::optional<measure::Picture> picture =
        pictures_.lacks(next.id, world_) ? loop->picture() : std::nullopt;
    if (const std::string wrong = verify(*loop, 2 * number + 1); !wrong.empty()) {
      return no_samples_record(options_, next, "failed", wrong);
    }
    if (!writes()) {
      return "";
    }
    if (const std::string wrong = measure::wrong_path(path);
        !wrong.empty() && options_.path_must_be_proven && !mpi::simulated) {
      return no_samples_record(options_, next, "failed", wrong);
    }
    if (samples.preempted.empty()) {
      return no_samples_record(options_, next, "skipped", "another side cannot measure it");
    }
    samples_ += samples.preempted.size();
    const std::string picture_missing =
        picture ? pictures_.write(
                      *picture, {.id = next.id, .label = options_.label, .launch = options_.launch})
                : "";
    return samples_record(options_, next, *loop, samples, path, picture_missing);
  }

  /// No line time where preemption does not matter: the case depends on no other core.
  std::optional<Seconds> line_time(const measure::TimedLoop& loop) const {
    return loop.preemption_spoils() ? line_probe_.measure() : std::nullopt;
  }

  /// What any rank found wrong, as the same text on all.
  std::string verify(measure::TimedLoop& loop, std::uint64_t seed) const {
    return world_.broadcast(joined(world_.gather(loop.verify(seed).value_or(""))));
  }

  const Options& options_;
  const mpi::Communicator& world_;
  const measure::LineProbe& line_probe_;
  Pictures pictures_;
  measure::PathMeter path_meter_;
  Watchdog watchdog_;
  std::unique_ptr<Turns> turns_;
  std::unique_ptr<measure::SampleWriter> writer_;
  std::size_t samples_ = 0;
  std::string progress_;  // the current case
  Seconds shown_{0};
};

}  // namespace

void launch(const Options& options, const mpi::Communicator& world) {
  const measure::LineProbe line_probe(world);
  leave_trace(world.rank());  // after everything that maps shared memory
  if (world.rank() == 0) {
    announce("started ranks=" + std::to_string(world.size()));
  }
  // Only rank 0 reads: the other hosts need not see the file.
  const std::string text =
      world.broadcast(world.rank() == 0 ? read_text(options.cases) : std::string{});
  Session(options, world, line_probe)
      .run(parse_cases(text, {.pages = options.pages,
                              .node_of_rank = mpi::node_of_rank(world),
                              .openblas = options.openblas,
                              .verify_only = options.verify_only,
                              .files = options.output.parent_path() / "files"}));
  if (world.rank() == 0) {
    announce("complete");
  }
}

}  // namespace halocline::driver
