#include "halocline/route/pairs.hpp"

namespace halocline::route {

Route one_way(int rank, int source, int destination, const layout::Box& box) {
  Route route;
  if (rank == source) {
    route.sends.push_back({.peer = destination, .box = box});
  }
  if (rank == destination) {
    route.receives.push_back({.peer = source, .box = box});
  }
  return route;
}

Route both_ways(int rank, int one, int other, const layout::Box& box) {
  Route route = one_way(rank, one, other, box);
  const Route back = one_way(rank, other, one, box);
  route.sends.insert(route.sends.end(), back.sends.begin(), back.sends.end());
  route.receives.insert(route.receives.end(), back.receives.begin(), back.receives.end());
  return route;
}

std::vector<Pair> across_halves(int ranks) { return along({{ranks, 1, 1, 1}}, 0, ranks / 2); }

std::vector<Pair> along(const layout::RankGrid& grid, std::size_t dimension, int stride) {
  std::vector<Pair> pairs;
  for (int place = 0; place + stride < grid.extent[dimension]; ++place) {
    const bool ends_a_pair = place / stride % 2 != 0;
    if (!ends_a_pair) {
      pairs.push_back({.first = grid.neighbour(0, dimension, place),
                       .second = grid.neighbour(0, dimension, place + stride)});
    }
  }
  return pairs;
}

}  // namespace halocline::route
