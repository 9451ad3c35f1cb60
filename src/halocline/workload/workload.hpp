#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/measure/timed_loop.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::workload {

/// An axis of whole numbers that a workload is measured along. Every workload has the axis
/// `protocol` besides.
struct IntegerAxis {
  std::string_view name;
  std::string_view unit;
  std::int64_t low;
  std::int64_t high;
  std::vector<std::int64_t> defaults;
};

/// One point on the axes of a workload.
class AxisValues {
 public:
  explicit AxisValues(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

  /// Both throw UsageError when the axis is missing or its value is not allowed.
  std::int64_t integer(const IntegerAxis& axis) const;
  const protocol::Protocol& protocol() const;

 private:
  const std::string& text(std::string_view name) const;

  std::map<std::string, std::string> texts_;
};

/// What can be measured. One object for each workload, in a file of its own.
struct Workload {
  std::string_view name;
  std::string_view summary;
  int ranks_minimum;
  int ranks_maximum;
  std::vector<IntegerAxis> axes;
  /// Collective.
  std::unique_ptr<measure::TimedLoop> (*prepare)(const AxisValues&, const mpi::Communicator&);
};

}  // namespace halocline::workload
