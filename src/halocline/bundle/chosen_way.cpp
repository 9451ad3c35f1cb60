#include "halocline/bundle/chosen_way.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "halocline/base/error.hpp"
#include "halocline/base/machine.hpp"
#include "halocline/base/words.hpp"
#include "halocline/bundle/known_ways.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/mpi/unwinding.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::bundle {
namespace {

constexpr const char* ways_variable = "HALOCLINE_WAYS";
constexpr const char* ways_beside_library = "halocline-ways.txt";

struct WaysFile {
  std::string path;
  bool named;  // by the variable
};

/// Empty if none is there.
std::optional<WaysFile> ways_file() {
  if (const char* named = std::getenv(ways_variable); named != nullptr && *named != '\0') {
    if (named == std::string_view{"none"}) {
      return std::nullopt;
    }
    return WaysFile{.path = named, .named = true};
  }
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&ways_file), &library) == 0) {
    return std::nullopt;
  }
  std::error_code unknown;
  const auto path = std::filesystem::path(library.dli_fname).parent_path() / ways_beside_library;
  if (!std::filesystem::exists(path, unknown)) {
    return std::nullopt;
  }
  return WaysFile{.path = path.string(), .named = false};
}

std::string text_of_file(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem) || !(text << file.rdbuf())) {
    throw Error("it cannot be read" + (problem ? ": " + problem.message() : std::string{}));
  }
  return text.str();
}

template <class Value>
Value one_of(const std::string& key, const std::string& word,
             std::initializer_list<std::pair<std::string_view, Value>> values) {
  std::string allowed;
  for (const auto& [name, value] : values) {
    if (name == word) {
      return value;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string{name};
  }
  throw Error(key + "=" + word + "; allowed: " + allowed);
}

/// The way that the file's words describe; what they omit is as requested.
Way way_in_words(const std::string& words, Way way) {
  for (const std::string& word : words_of(words)) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (key == "protocol") {
      way.protocol = &protocol::find(value);
    } else if (key == "packing") {
      way.packing = one_of<Packing>(
          key, value, {{"rank", Packing::rank}, {"box", Packing::box}, {"run", Packing::run}});
    } else if (key == "bundle") {
      way.whole_bundle = one_of<bool>(key, value, {{"whole", true}, {"fields", false}});
    } else if (key == "near") {
      way.near = one_of<Near>(key, value, {{"shared", Near::shared}, {"messages", Near::messages}});
    } else if (key == "stores") {
      way.stores = one_of<Stores>(key, value,
                                  {{"cached", Stores::cached}, {"streaming", Stores::streaming}});
    } else {
      throw Error("\"" + key + "\" is none of protocol, packing, bundle, near, stores");
    }
  }
  return way;
}

/// Why a file cannot give programs the protocol; empty when it can.
std::string unfit(const protocol::Protocol& protocol) {
  if (const std::string lacking = protocol::missing(protocol); !lacking.empty()) {
    return "asks for what is missing: " + lacking;
  }
  if (!protocol.restriction.empty()) {
    return "asks for " + std::string{protocol.name} +
           ", which only a program may choose: " + std::string{protocol.restriction};
  }
  return "";
}

/// What the lowest rank decides for all.
struct Decision {
  std::string words;  // of the way; empty: the rule
  std::string origin;
};

Decision decided(const WaysFile& file, const Situation& situation) {
  try {
    const auto known = nearest(known_ways(text_of_file(file.path)), situation);
    if (!known) {
      return {.words = "",
              .origin = "no line of " + file.path + " is for " + situation.machine + ", " +
                        situation.mpi + " and as many nodes, ranks and bytes"};
    }
    const std::string line = "line " + std::to_string(known->line);
    try {
      const Way way = way_in_words(known->words, {});
      if (const std::string reason = way.protocol == nullptr ? "" : unfit(*way.protocol);
          !reason.empty()) {
        return {.words = "", .origin = file.path + ", " + line + ", " + reason};
      }
    } catch (const Error& error) {
      throw Error(line + ": " + error.what());
    }
    return {.words = known->words, .origin = file.path + ", " + line};
  } catch (const Error& error) {
    const std::string what = "the file of ways " + file.path + ": " + error.what();
    if (file.named) {
      throw Error(what + "; have `halocline tune redistribution` write it again, or unset " +
                  std::string{ways_variable});
    }
    return {.words = "", .origin = "ignored: " + what};
  }
}

/// Bytes that leave a rank per exchange, averaged over all ranks.
double mean_sent_bytes(const route::Route& route, const Blocks& source,
                       const mpi::Communicator& communicator) {
  std::uint64_t bytes = 0;
  for (const route::Leg& leg : route.sends) {
    if (leg.peer != communicator.rank() && static_cast<std::size_t>(leg.part) < source.size()) {
      bytes += packed_bytes(source[static_cast<std::size_t>(leg.part)], leg);
    }
  }
  return static_cast<double>(communicator.sum(bytes)) / communicator.size();
}

}  // namespace

ChosenWay way_by_rule(Way asked, const std::string& why) {
  asked.protocol = &protocol::find("isend_irecv");
  return {.way = asked, .origin = "the rule: " + why};
}

ChosenWay chosen_way(const route::Route& route, const Blocks& source, const Way& asked,
                     const mpi::Communicator& communicator, const NodeMemory* memory) {
  const bool decides = communicator.rank() == 0;
  std::optional<WaysFile> file;
  if (decides) {
    file = ways_file();
  }
  if (communicator.maximum(std::int64_t{file ? 1 : 0}) == 0) {
    return way_by_rule(asked, "no file of ways");
  }
  const bool one_node =
      communicator.maximum(std::int64_t{communicator.size() - communicator.node().size()}) == 0;
  Situation situation{.machine = {},
                      .mpi = {},
                      .several_nodes = !one_node,
                      .node_memory = memory != nullptr,
                      .ranks = communicator.size(),
                      .rank_bytes = std::max(1.0, mean_sent_bytes(route, source, communicator))};
  Decision decision;
  mpi::agreed(communicator, [&] {
    if (decides) {
      situation.machine = machine_kind();
      situation.mpi = single_spaced(mpi::library().version);
      decision = decided(*file, situation);
    }
  });
  decision.words = communicator.broadcast(decision.words);
  decision.origin = communicator.broadcast(decision.origin);
  if (decision.words.empty()) {
    return way_by_rule(asked, decision.origin);
  }
  ChosenWay chosen{
      .way = way_in_words(decision.words, asked), .origin = decision.origin, .may_change = true};
  if (chosen.way.protocol == nullptr) {
    chosen.way.protocol = &protocol::find("isend_irecv");
  }
  return chosen;
}

Redistribution redistribution_of(const route::Route& route, const Blocks& source,
                                 const Blocks& destination, ChosenWay& chosen,
                                 const mpi::Communicator& communicator, const NodeMemory* memory) {
  try {
    return {route, source, destination, chosen.way, communicator, memory};
  } catch (const Skip& reason) {
    if (!chosen.may_change) {
      throw;
    }
    mpi::all_ranks_caught();
    const Way asked{.threads = chosen.way.threads, .progress_thread = chosen.way.progress_thread};
    chosen = way_by_rule(asked, chosen.origin + ", cannot be used: " + reason.what());
  }
  return {route, source, destination, chosen.way, communicator, memory};
}

}  // namespace halocline::bundle
