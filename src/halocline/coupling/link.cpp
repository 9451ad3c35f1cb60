#include "halocline/coupling/link.hpp"

#include "halocline/layout/points.hpp"
#include "halocline/route/lists.hpp"

namespace halocline::coupling {
namespace {

using layout::Index;

layout::Box each_of(std::size_t fields) {
  return layout::Box{}.with(1, 0, static_cast<Index>(fields));
}

route::Route route_of(std::span<const Index> from, std::span<const Index> to, std::size_t fields,
                      const mpi::Communicator& ranks) {
  return route::redistribution(layout::Points(from, each_of(fields)),
                               layout::Points(to, each_of(fields)), ranks);
}

bundle::Blocks blocks_of(std::vector<double>& numbers, std::size_t fields) {
  const auto points = static_cast<Index>(numbers.size() / fields);
  return {{{.data = reinterpret_cast<std::byte*>(numbers.data()),
            .element_bytes = sizeof(double),
            .extent = layout::Box::line(points).with(1, 0, static_cast<Index>(fields))}}};
}

}  // namespace

Link::Link(std::span<const Index> from, std::span<const Index> to, std::size_t fields,
           const bundle::Way& way, const mpi::Communicator& ranks)
    : fields_(fields),
      outgoing_(from.size() * fields),
      incoming_(to.size() * fields),
      redistribution_(route_of(from, to, fields, ranks), blocks_of(outgoing_, fields),
                      blocks_of(incoming_, fields), way, ranks) {}

}  // namespace halocline::coupling
