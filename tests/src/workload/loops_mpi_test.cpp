#include <gtest/gtest.h>

#include <map>

#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/catalogue.hpp"

namespace halocline::workload {
namespace {

using Texts = std::map<std::string, std::string>;

/// Lengths that catch what goes wrong: nothing, odd ones, and more than any library sends at once.
std::vector<std::string> texts_of(const IntegerAxis& axis) {
  std::vector<std::string> texts;
  for (const std::int64_t value : axis.verified) {
    texts.push_back(std::to_string(value));
  }
  if (!texts.empty()) {
    return texts;
  }
  if (axis.name == "bytes") {
    for (const std::int64_t bytes : {0, 1, 4096, 1'000'003}) {
      if (bytes >= axis.low && bytes <= axis.high) {
        texts.push_back(std::to_string(bytes));
      }
    }
    return texts;
  }
  if (axis.name == "words") {
    return {"1", "100"};
  }
  for (const std::int64_t value : axis.defaults) {
    texts.push_back(std::to_string(value));
  }
  return texts;
}

std::vector<std::string> texts_of(const ChoiceAxis& axis) {
  const auto& texts = axis.verified.empty() ? axis.choices : axis.verified;
  return {texts.begin(), texts.end()};
}

std::vector<std::string> texts_of(const FileAxis& axis) { return {std::string{axis.preset}}; }

/// Every combination of the axes' values.
std::vector<Texts> points_of(const Workload& workload) {
  std::vector<Texts> points{{}};
  for (const Axis& axis : workload.axes) {
    std::vector<Texts> longer;
    std::visit(
        [&](const auto& each) {
          for (const Texts& point : points) {
            for (const std::string& text : texts_of(each)) {
              longer.push_back(point);
              longer.back().insert_or_assign(std::string{each.name}, text);
            }
          }
        },
        axis);
    points = std::move(longer);
  }
  return points;
}

std::vector<Texts> over_protocols(const std::vector<Texts>& points) {
  std::vector<Texts> all;
  for (const protocol::Protocol* protocol : protocol::all()) {
    for (const Texts& point : points) {
      if (protocol::missing(*protocol).empty()) {
        all.push_back(point);
        all.back().insert_or_assign("protocol", std::string{protocol->name});
      }
    }
  }
  return all;
}

std::string shown(const Workload& workload, const Texts& point) {
  std::string words{workload.name};
  for (const auto& [axis, text] : point) {
    words += " " + axis + "=" + text;
  }
  return words;
}

bool runs_on(const Workload& workload, int ranks) {
  return ranks >= workload.ranks_minimum && ranks <= workload.ranks_maximum &&
         ranks % workload.ranks_multiple == 0;
}

/// Whether it was measured; a case that cannot be here says why.
bool verified(const Workload& workload, const Texts& point, const mpi::Communicator& world) {
  std::unique_ptr<measure::TimedLoop> loop;
  try {
    Setting setting;
    setting.verify_only = true;
    loop = workload.prepare(AxisValues(point, setting), world);
  } catch (const Skip& skip) {
    EXPECT_STRNE(skip.what(), "") << shown(workload, point);
    return false;
  }
  EXPECT_EQ(loop->verify(1), std::nullopt) << shown(workload, point);
  loop->synchronise();
  loop->time(std::min<std::int64_t>(5, loop->most_iterations()));
  EXPECT_EQ(loop->verify(2), std::nullopt) << shown(workload, point);
  return true;
}

class LoopsTest : public testing::TestWithParam<const Workload*> {};

TEST_P(LoopsTest, verifies_at_every_point_over_every_protocol) {
  const auto world = mpi::Communicator::world();
  const Workload& workload = *GetParam();
  if (!runs_on(workload, world.size())) {
    return;
  }
  const std::vector<Texts> plain = points_of(workload);
  int measured = 0;
  for (const Texts& point : workload.over_protocols ? over_protocols(plain) : plain) {
    measured += verified(workload, point, world) ? 1 : 0;
  }
  EXPECT_GT(measured, 0) << workload.name << " on " << world.size() << " ranks";
}

INSTANTIATE_TEST_SUITE_P(Every, LoopsTest, testing::ValuesIn(all()),
                         [](const testing::TestParamInfo<const Workload*>& each) {
                           return std::string{each.param->name};
                         });

}  // namespace
}  // namespace halocline::workload
