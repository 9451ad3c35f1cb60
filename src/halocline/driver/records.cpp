#include "halocline/driver/records.hpp"

#include <unistd.h>

#include <array>
#include <charconv>

#include "halocline/base/json.hpp"
#include "halocline/base/machine.hpp"
#include "halocline/driver/process.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/environment.hpp"

namespace halocline::driver {
namespace {

constexpr int schema = 1;

JsonText begin_record(const Options& options, std::string_view type) {
  JsonText json;
  json.begin_object()
      .field("type", type)
      .field("label", options.label)
      .field("launch", options.launch);
  return json;
}

/// How many nodes the ranks are on: only the lowest rank of each node counts.
int count_nodes(const mpi::Communicator& world) {
  const std::array<double, 1> lowest{world.node().rank() == 0 ? 1.0 : 0.0};
  int nodes = 0;
  for (const double counts : world.gather(lowest)) {
    nodes += static_cast<int>(counts);
  }
  return nodes;
}

void append_times(JsonText& json, const std::vector<double>& times_s) {
  json.begin_array();
  for (const double time_s : times_s) {
    json.value(Seconds{time_s});
  }
  json.end_array();
}

void append_phases(JsonText& json, const std::vector<measure::PhaseSamples>& phases) {
  json.key("phases").begin_array();
  for (const measure::PhaseSamples& phase : phases) {
    json.begin_object()
        .field("name", phase.name)
        .list("operations", phase.operations)
        .list("memory_bytes", phase.memory_bytes)
        .list("sent_bytes", phase.sent_bytes)
        .list("resident_bytes", phase.resident_bytes);
    json.key("elapsed_s").begin_array();
    for (const std::vector<double>& row : phase.elapsed_s) {
      append_times(json, row);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

std::string hexadecimal(std::uint32_t number) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  const std::string text(digits.data(), end);
  return std::string(digits.size() - text.size(), '0') + text;
}

}  // namespace

std::string start_record(const Options& options, const mpi::Communicator& world) {
  const int nodes = count_nodes(world);
  const auto hosts = world.gather(mpi::processor_name());
  const auto processors = world.gather(allowed_processors());
  const auto pids = world.gather(std::to_string(getpid()));
  if (world.rank() != 0) {
    return "";
  }
  const mpi::Library library = mpi::library();
  JsonText json = begin_record(options, "start");
  json.field("schema", schema).field("ranks", world.size());
  json.key("mpi")
      .begin_object()
      .field("library_version", library.version)
      .field("standard", library.standard)
      .field("abi", library.abi)
      .field("library_path", library.path)
      .end_object();
  json.field("simulated", mpi::simulated)
      .field("clock", measure::clock_name())
      .field("clock_cost_s", measure::clock_cost())
      .field("nodes", nodes)
      .list("hosts", hosts);
  json.key("pids").begin_array();
  for (const std::string& pid : pids) {
    json.value(std::stol(pid));
  }
  json.end_array()
      .list("cpus", processors)
      .field("compiler", HALOCLINE_COMPILER)
      .field("flags", HALOCLINE_FLAGS)
      .field("started", time_of_day())
      .field("machine", machine_kind())
      .end_object();
  return json.text();
}

std::string samples_record(const Options& options, const Case& measured,
                           const measure::TimedLoop& loop, const measure::Samples& samples,
                           const measure::Path& path, std::string_view picture_missing) {
  JsonText json = begin_record(options, "samples");
  json.field("case", measured.id)
      .field("status", "measured")
      .field("reason", "")
      .field("repeats", samples.repeats)
      .field("block_batches", samples.block_batches)
      .field("moved_bytes", loop.moved_bytes())
      .field("operations", loop.operations())
      .list("timed_ranks", samples.timed_ranks);
  json.key("pairs").begin_array();
  for (const route::Pair& pair : loop.pairs()) {
    json.begin_array().value(pair.first).value(pair.second).end_array();
  }
  json.end_array();
  json.key("elapsed_s").begin_array();
  for (const auto& row : samples.elapsed_s) {
    append_times(json, row);
  }
  json.end_array().list("preempted", samples.preempted);
  append_times(json.key("late_s"), samples.late_s);
  json.field("late_allowed_s", samples.late_allowed_s)
      .field("clock_offset_s", samples.clock.offset)
      .field("clock_residual_s", samples.clock.residual)
      .field("clock_error_s", samples.clock.error);
  append_times(json.key("line_s"), samples.line_s);
  json.key("facts").begin_array();
  for (const measure::Fact& fact : loop.facts()) {
    json.begin_object()
        .field("name", fact.name)
        .field("unit", fact.unit)
        .field("value", fact.value)
        .end_object();
  }
  json.end_array();
  append_phases(json, samples.phases);
  json.key("path")
      .begin_object()
      .field("nodes", path.nodes)
      .field("payload_bytes", path.payload_bytes)
      .field("wire_bytes", path.wire_bytes)
      .end_object();
  if (!picture_missing.empty()) {
    json.field("picture_missing", picture_missing);
  }
  json.end_object();
  return json.text();
}

std::string no_samples_record(const Options& options, const Case& unmeasured,
                              std::string_view status, std::string_view reason) {
  return begin_record(options, "samples")
      .field("case", unmeasured.id)
      .field("status", status)
      .field("reason", reason)
      .field("repeats", 0)
      .field("moved_bytes", 0)
      .list("elapsed_s", std::array<double, 0>{})
      .list("preempted", std::array<int, 0>{})
      .list("line_s", std::array<double, 0>{})
      .end_object()
      .text();
}

std::string complete_record(const Options& options, int ranks, std::size_t cases,
                            std::size_t samples, std::uint32_t checksum) {
  return begin_record(options, "complete")
      .field("ranks", ranks)
      .field("cases", cases)
      .field("samples", samples)
      .field("checksum", hexadecimal(checksum))
      .end_object()
      .text();
}

}  // namespace halocline::driver
