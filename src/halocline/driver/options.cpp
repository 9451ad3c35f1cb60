#include "halocline/driver/options.hpp"

#include <charconv>
#include <map>
#include <string_view>

#include "halocline/base/error.hpp"

namespace halocline::driver {
namespace {

constexpr std::string_view usage =
    "use --catalogue, or --replay PLAN, or --cases FILE --output FILE --label NAME --launch N "
    "[--half-width X] "
    "[--case-seconds X] [--stall-seconds N] [--pages base|huge] [--path proven|recorded] "
    "[--verify-only] [--shared-cores] [--name-regions] [--openblas FILE] [--turns DIR] "
    "[--delay-share X]";

template <class Number>
Number number_in(std::string_view option, std::string_view text, Number low, Number high) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  if (!whole || !(number >= low && number <= high)) {
    throw UsageError(std::string{option} + " " + std::string{text} +
                     "; allowed: " + std::to_string(low) + " to " + std::to_string(high) +
                     "; choose a number in this range");
  }
  return number;
}

Pages pages_in(std::string_view text) {
  if (text == "base" || text == "huge") {
    return text == "base" ? Pages::base : Pages::huge;
  }
  throw UsageError("--pages " + std::string{text} + "; allowed: base, huge; choose one of these");
}

bool must_be_proven(std::string_view text) {
  if (text == "proven" || text == "recorded") {
    return text == "proven";
  }
  throw UsageError("--path " + std::string{text} +
                   "; allowed: proven, recorded; choose one of these");
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  std::map<std::string_view, std::string_view> given;
  for (int position = 1; position < argc; ++position) {
    const std::string_view option = argv[position];
    if (option == "--catalogue") {
      options.catalogue = true;
      continue;
    }
    if (option == "--verify-only") {
      options.verify_only = true;
      continue;
    }
    if (option == "--shared-cores") {
      options.budget.preemption_spoils = false;
      continue;
    }
    if (option == "--name-regions") {
      options.budget.name_regions = true;
      continue;
    }
    if (position + 1 == argc) {
      throw UsageError(std::string{option} + " has no value; " + std::string{usage});
    }
    given[option] = argv[++position];
  }
  if (options.catalogue) {
    return options;
  }
  const auto take = [&given](std::string_view option) {
    const auto node = given.extract(option);
    return node.empty() ? std::string_view{} : node.mapped();
  };
  options.replay = take("--replay");
  if (!options.replay.empty()) {
    if (!given.empty()) {
      throw UsageError("--replay cannot be combined with other options; " + std::string{usage});
    }
    return options;
  }
  options.cases = take("--cases");
  options.output = take("--output");
  options.label = take("--label");
  const std::string_view launch = take("--launch");
  if (options.cases.empty() || options.output.empty() || options.label.empty() || launch.empty()) {
    throw UsageError("the command line is incomplete; " + std::string{usage});
  }
  options.launch = number_in("--launch", launch, 1, 1'000'000);
  if (const auto text = take("--half-width"); !text.empty()) {
    options.budget.half_width_relative = number_in("--half-width", text, 1e-6, 1.0);
  }
  if (const auto text = take("--case-seconds"); !text.empty()) {
    options.budget.longest = Seconds{number_in("--case-seconds", text, 1e-6, 3600.0)};
  }
  if (const auto text = take("--stall-seconds"); !text.empty()) {
    options.stall_s = number_in("--stall-seconds", text, 1, 86'400);
  }
  if (const auto text = take("--pages"); !text.empty()) {
    options.pages = pages_in(text);
  }
  if (const auto text = take("--path"); !text.empty()) {
    options.path_must_be_proven = must_be_proven(text);
  }
  options.turns = take("--turns");
  if (const auto text = take("--delay-share"); !text.empty()) {
    options.budget.delay_share = number_in("--delay-share", text, 0.0, 10.0);
  }
  options.openblas = take("--openblas");
  if (!given.empty()) {
    throw UsageError("unknown option " + std::string{given.begin()->first} + "; " +
                     std::string{usage});
  }
  return options;
}

}  // namespace halocline::driver
