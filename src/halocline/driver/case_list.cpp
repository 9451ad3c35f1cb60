#include "halocline/driver/case_list.hpp"

#include <sstream>

#include "halocline/base/error.hpp"
#include "halocline/workload/catalogue.hpp"

namespace halocline::driver {

std::vector<Case> parse_cases(const std::string& text, const workload::Setting& setting) {
  std::vector<Case> cases;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string id;
    std::string name;
    if (!(words >> id >> name)) {
      throw UsageError("line " + std::to_string(number) +
                       " of the case list is not a case; write: ID WORKLOAD axis=value …");
    }
    std::map<std::string, std::string> axes;
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) {
        throw UsageError("line " + std::to_string(number) + " of the case list: '" + word +
                         "' is not axis=value; write: ID WORKLOAD axis=value …");
      }
      axes[word.substr(0, equals)] = word.substr(equals + 1);
    }
    workload::Setting own = setting;
    own.files = setting.files / id;
    cases.push_back({.id = id,
                     .workload = &workload::find(name),
                     .axes = workload::AxisValues{std::move(axes), std::move(own)}});
  }
  return cases;
}

}  // namespace halocline::driver
