#include "halocline/workload/workload.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "halocline/base/error.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::workload {

std::vector<int> every_rank(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

const std::string& AxisValues::text(std::string_view name) const {
  const auto found = texts_.find(std::string{name});
  if (found == texts_.end()) {
    throw UsageError("the case has no axis '" + std::string{name} + "'; add " + std::string{name} +
                     "=VALUE");
  }
  return found->second;
}

std::int64_t AxisValues::integer(const IntegerAxis& axis) const {
  const std::string& digits = text(axis.name);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = problem == std::errc{} && end == digits.data() + digits.size();
  if (!whole || number < axis.low || number > axis.high) {
    throw UsageError("axis " + std::string{axis.name} + "=" + digits +
                     "; allowed: " + std::to_string(axis.low) + " to " + std::to_string(axis.high) +
                     " " + std::string{axis.unit} + "; choose a whole number in this range");
  }
  if (!axis.only.empty() && std::ranges::find(axis.only, number) == axis.only.end()) {
    std::string allowed;
    for (const std::int64_t value : axis.only) {
      allowed += (allowed.empty() ? "" : ", ") + std::to_string(value);
    }
    throw UsageError("axis " + std::string{axis.name} + "=" + digits + "; allowed: " + allowed +
                     "; choose one of these");
  }
  return number;
}

std::string_view AxisValues::choice(const ChoiceAxis& axis) const {
  const std::string& word = text(axis.name);
  std::string allowed;
  for (const std::string_view choice : axis.choices) {
    if (choice == word) {
      return choice;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string{choice};
  }
  throw UsageError("axis " + std::string{axis.name} + "=" + word + "; allowed: " + allowed +
                   "; choose one of these");
}

const protocol::Protocol& AxisValues::protocol() const { return protocol::find(text("protocol")); }

}  // namespace halocline::workload
