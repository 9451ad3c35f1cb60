#include "halocline/driver/catalogue_text.hpp"

#include "halocline/base/json.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/catalogue.hpp"

namespace halocline::driver {
namespace {

void append(JsonText& json, const workload::IntegerAxis& axis) {
  json.begin_object()
      .field("name", axis.name)
      .field("kind", "integer")
      .field("unit", axis.unit)
      .field("low", axis.low)
      .field("high", axis.high)
      .list("only", axis.only)
      .list("default", axis.defaults)
      .list("verified", axis.verified)
      .end_object();
}

void append(JsonText& json, const workload::ChoiceAxis& axis) {
  json.begin_object()
      .field("name", axis.name)
      .field("kind", "choice")
      .list("choices", axis.choices)
      .list("default", axis.defaults)
      .list("verified", axis.verified)
      .end_object();
}

void append(JsonText& json, const workload::FileAxis& axis) {
  json.begin_object()
      .field("name", axis.name)
      .field("kind", "file")
      .field("made_by", axis.made_by)
      .list("default", std::vector{axis.preset})
      .end_object();
}

void append(JsonText& json, const workload::Workload& workload) {
  json.begin_object()
      .field("name", workload.name)
      .field("summary", workload.summary)
      .field("ranks_minimum", workload.ranks_minimum)
      .field("ranks_maximum", workload.ranks_maximum)
      .field("ranks_multiple", workload.ranks_multiple);
  json.key("axes").begin_array();
  if (workload.over_protocols) {
    json.begin_object().field("name", "protocol").field("kind", "protocol").end_object();
  }
  for (const workload::Axis& axis : workload.axes) {
    std::visit([&json](const auto& each) { append(json, each); }, axis);
  }
  json.end_array().end_object();
}

void append(JsonText& json, const protocol::Protocol& protocol) {
  const std::string reason = protocol::missing(protocol);
  json.begin_object().field("name", protocol.name).field("summary", protocol.summary);
  json.key("requires").begin_array();
  for (const mpi::Need need : protocol.needs) {
    json.value(mpi::name_of(need));
  }
  json.end_array()
      .field("available", reason.empty())
      .field("reason", reason)
      .field("restriction", protocol.restriction)
      .end_object();
}

}  // namespace

std::string catalogue_text() {
  JsonText json;
  json.begin_object()
      .field("schema", 1)
      .field("version", HALOCLINE_VERSION)
      .field("mpi_standard", mpi::header_standard())
      .field("simulated", mpi::simulated);
  json.key("workloads").begin_array();
  for (const workload::Workload* workload : workload::all()) {
    append(json, *workload);
  }
  json.end_array().key("protocols").begin_array();
  for (const protocol::Protocol* protocol : protocol::all()) {
    append(json, *protocol);
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace halocline::driver
