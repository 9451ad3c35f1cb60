#include "halocline/protocol/catalogue.hpp"

#include <array>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::protocol {

#define HALOCLINE_PROTOCOL(name) extern const Protocol name;
#include "halocline/protocol/catalogue.inc"
#undef HALOCLINE_PROTOCOL

std::span<const Protocol* const> all() {
#define HALOCLINE_PROTOCOL(name) &(name),
  static constexpr std::array protocols{
#include "halocline/protocol/catalogue.inc"
  };
#undef HALOCLINE_PROTOCOL
  return protocols;
}

std::span<const std::string_view> names() {
#define HALOCLINE_PROTOCOL(name) #name,
  static constexpr auto all_names = std::to_array<std::string_view>({
#include "halocline/protocol/catalogue.inc"
  });
#undef HALOCLINE_PROTOCOL
  return all_names;
}

const Protocol& find(std::string_view name) {
  std::string names;
  for (const Protocol* protocol : all()) {
    if (protocol->name == name) {
      return *protocol;
    }
    names += names.empty() ? "" : ", ";
    names += protocol->name;
  }
  throw UsageError("unknown protocol '" + std::string{name} + "'; allowed: " + names +
                   "; choose one of these");
}

std::string missing(const Protocol& protocol) {
  for (const mpi::Need need : protocol.needs) {
    if (std::string reason = mpi::missing(need); !reason.empty()) {
      return reason;
    }
  }
  return "";
}

}  // namespace halocline::protocol
