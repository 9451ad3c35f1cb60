#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/base/memory.hpp"
#include "halocline/measure/shared_clock.hpp"
#include "halocline/measure/timed_loop.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::workload {

/// An axis of whole numbers that a workload is measured along.
struct IntegerAxis {
  std::string_view name;
  std::string_view unit;
  std::int64_t low;
  std::int64_t high;
  std::vector<std::int64_t> defaults;
  // The only values, where not all in the range are allowed.
  // NOLINTNEXTLINE(readability-redundant-member-init): GCC warns where it is not designated
  std::vector<std::int64_t> only = {};
  // What verification uses instead, where the defaults would take too long.
  // NOLINTNEXTLINE(readability-redundant-member-init): GCC warns where it is not designated
  std::vector<std::int64_t> verified = {};
};

/// An axis of names.
struct ChoiceAxis {
  std::string_view name;
  std::vector<std::string_view> choices;
  std::vector<std::string_view> defaults;
  // What verification uses instead of the defaults, where these would be too long or too few.
  // NOLINTNEXTLINE(readability-redundant-member-init): GCC warns where it is not designated
  std::vector<std::string_view> verified = {};
};

/// An axis of files written by a command; `preset` is the value that needs no file.
struct FileAxis {
  std::string_view name;
  std::string_view made_by;
  std::string_view preset;
};

using Axis = std::variant<IntegerAxis, ChoiceAxis, FileAxis>;

/// Thrown while preparing a workload: this case cannot be measured here.
using halocline::Skip;

/// What a launch passes to all its cases in addition to their axes.
struct Setting {
  Pages pages = Pages::as_system;  // of payload memory
  std::vector<int> node_of_rank;   // empty: to be determined
  std::string openblas;            // its file; empty: the system's
  bool verify_only = false;        // nothing is timed
  std::filesystem::path files;     // folder for files that a case writes itself, on rank 0
  /// It learns across all cases.
  std::shared_ptr<measure::SharedClock> clock = std::make_shared<measure::SharedClock>();
};

/// One point on the axes of a workload.
class AxisValues {
 public:
  explicit AxisValues(std::map<std::string, std::string> texts, Setting setting = {})
      : texts_(std::move(texts)), setting_(std::move(setting)) {}

  /// These throw UsageError when the axis is missing or its value is not allowed.
  std::int64_t integer(const IntegerAxis& axis) const;
  std::string_view choice(const ChoiceAxis& axis) const;
  const std::string& file(const FileAxis& axis) const { return text(axis.name); }
  const protocol::Protocol& protocol() const;

  const Setting& setting() const { return setting_; }
  Pages pages() const { return setting_.pages; }

 private:
  const std::string& text(std::string_view name) const;

  std::map<std::string, std::string> texts_;
  Setting setting_;
};

/// 0, 1 … up to this number: for loops that all ranks time.
std::vector<int> every_rank(int count);

/// For workloads that run on any number of ranks.
inline constexpr int any_number_of_ranks = 1'048'576;

/// What can be measured. One object per workload, in its own file.
struct Workload {
  std::string_view name;
  std::string_view summary;
  int ranks_minimum;
  int ranks_maximum;
  int ranks_multiple = 1;      // 2: an even number of ranks
  bool over_protocols = true;  // then it also has the axis `protocol`
  std::vector<Axis> axes;
  /// Collective.
  std::unique_ptr<measure::TimedLoop> (*prepare)(const AxisValues&, const mpi::Communicator&);
};

}  // namespace halocline::workload
