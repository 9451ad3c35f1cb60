#include "halocline/numerics/sphere_transform.hpp"

#include <cmath>
#include <utility>

#include "halocline/mpi/collectives.hpp"
#include "halocline/numerics/array.hpp"
#include "halocline/numerics/distributed_fourier.hpp"
#include "halocline/numerics/sphere_transposes.hpp"

namespace halocline::numerics {
namespace {

template <class Real>
constexpr int batch_width = 2 * lanes_of<Real>;  // a complex number for each level of a group

template <class... Numbers>
std::size_t product(Numbers... numbers) {
  return (std::size_t{1} * ... * static_cast<std::size_t>(numbers));
}

std::vector<int> taken(const std::vector<int>& orders, Block block) {
  return {orders.begin() + block.begin, orders.begin() + block.begin + block.count};
}

}  // namespace

template <class Real>
struct SphereTransform<Real>::Direction {
  Direction(const SpherePlace& place, int fields_of, int order_count, bool to_grid,
            const mpi::Communicator& communicator, Pages pages)
      : fields(fields_of),
        columns(place.sharing.groups(place.p).count * fields_of * batch_width<Real>),
        rows(product(place.sharing.pairs(place.q).count,
                     place.sharing.fourier_orders(place.p).size(), 2, columns),
             pages),
        points(product(fields_of, place.all_longitudes, batch_width<Real>)) {
    const auto& protocol = place.way.protocol;
    if (place.way.legendre == LegendreWay::transpose && place.way.along_latitude > 1) {
      orders.emplace(product(place.all_pairs, order_count, 2, columns), pages);
      const std::size_t bytes = product(2, columns, sizeof(Real));
      const route::Route route = orders_to_rows(place);
      const bundle::Bundle some{order_field(place, orders->bytes(), bytes)};
      const bundle::Bundle all{row_field(place, rows.bytes(), bytes)};
      between_orders = std::make_unique<bundle::Exchange>(
          to_grid ? route : route.reversed(), to_grid ? some : all, to_grid ? all : some, *protocol,
          communicator);
    }
    const int lines = fields_of * place.sharing.pairs(place.q).count;
    if (place.sharing.distributed()) {
      distributed = std::make_unique<DistributedFourier<Real>>(place, place.all_groups * lines,
                                                               to_grid, communicator, pages);
    } else if (place.way.along_longitude > 1) {
      const std::size_t bytes = product(batch_width<Real>, sizeof(Real));
      levels = std::make_unique<Array<Real>>(product(place.sharing.groups(place.p).count, lines,
                                                     place.all_longitudes, batch_width<Real>),
                                             pages);
      longitudes = std::make_unique<Array<Real>>(
          product(place.all_groups, lines, place.sharing.longitudes(place.p).count,
                  batch_width<Real>),
          pages);
      const route::Route route = levels_to_longitudes(place, fields_of);
      const bundle::Bundle some{level_field(place, fields_of, levels->bytes(), bytes)};
      const bundle::Bundle all{longitude_field(place, fields_of, longitudes->bytes(), bytes)};
      between_longitudes = std::make_unique<bundle::Exchange>(
          to_grid ? route : route.reversed(), to_grid ? some : all, to_grid ? all : some, *protocol,
          communicator);
    }
  }

  int fields;
  int columns;
  Array<Real> rows;                   // [own pair][Fourier order][parity][column]
  Array<Real> points;                 // of one pair and group
  std::optional<Array<Real>> orders;  // [pair][own order][parity][column]
  std::unique_ptr<Array<Real>> levels;
  std::unique_ptr<Array<Real>> longitudes;
  std::unique_ptr<bundle::Exchange> between_orders;
  std::unique_ptr<bundle::Exchange> between_longitudes;
  std::unique_ptr<DistributedFourier<Real>> distributed;  // replaces these transposes

  /// Points of this rank's own longitudes: [group][field][pair][longitude].
  Real* own_points() { return distributed ? distributed->line(0) : longitudes->data(); }
};

template <class Real>
SphereTransform<Real>::SphereTransform(const SpectralGrid& grid, const SphereBatch& batch,
                                       const SphereWay& way, const mpi::Communicator& communicator,
                                       Pages pages)
    : grid_(grid),
      batch_(batch),
      way_(way),
      sharing_(grid, batch.groups, way),
      communicator_(communicator),
      p_(way.along_latitude == 1 && way.along_longitude == 1
             ? 0
             : communicator.rank() % way.along_longitude),
      q_(way.along_latitude == 1 && way.along_longitude == 1
             ? 0
             : communicator.rank() / way.along_longitude),
      pairs_(sharing_.pairs(q_)),
      longitudes_(sharing_.longitudes(p_)),
      groups_(sharing_.groups(p_)),
      rows_(grid.truncation, taken(sharing_.fourier_orders(p_), sharing_.spectral_orders(p_, q_))),
      plan_(grid.longitudes),
      places_(OrderPlaces::of(
          plan_, sharing_.distributed() ? std::vector<int>{} : sharing_.fourier_orders(p_))),
      legendre_(grid, rows_, way.legendre == LegendreWay::transpose ? 0 : pairs_.begin,
                way.legendre == LegendreWay::transpose ? grid.latitude_pairs : pairs_.count,
                pages) {
  const SpherePlace place{.sharing = sharing_,
                          .way = way_,
                          .p = p_,
                          .q = q_,
                          .all_pairs = grid.latitude_pairs,
                          .all_longitudes = grid.longitudes,
                          .all_groups = batch.groups};
  const auto order_count = static_cast<int>(rows_.orders().size());
  in_ = std::make_unique<Direction>(place, batch.fields_in, order_count, true, communicator, pages);
  out_ =
      std::make_unique<Direction>(place, batch.fields_out, order_count, false, communicator, pages);
  const bool some_orders = way.legendre == LegendreWay::transpose && way.along_latitude > 1;
  for (int pair = 0; pair < pairs_.count; ++pair) {
    orders_at_.push_back(some_orders ? static_cast<int>(places_.orders.size())
                                     : legendre_.orders_that_count(pair));
  }
  packed_ = std::make_unique<Array<Real>>(legendre_.packed_length(out_->columns));
  if (way.legendre != LegendreWay::transpose && way.along_latitude > 1) {
    same_orders_.emplace(communicator.part(p_));
    sum_.emplace(way.legendre, *same_orders_, product(rows_.count(), out_->columns));
  }
}

template <class Real>
SphereTransform<Real>::~SphereTransform() = default;

template <class Real>
bool SphereTransform<Real>::repeats_coefficients() const {
  return sum_.has_value() && q_ != 0;
}

template <class Real>
void SphereTransform<Real>::run(std::span<const Real> spectral_in, const GridWork& work,
                                std::span<Real> spectral_out) {
  if (!spectral_in.empty()) {
    sum_degrees(spectral_in);
  }
  if (shares_longitudes()) {
    work_on_columns(work, !spectral_in.empty(), !spectral_out.empty());
  } else {
    work_on_rows(work, !spectral_in.empty(), !spectral_out.empty());
  }
  if (!spectral_out.empty()) {
    sum_latitudes(spectral_out);
  }
  begin(SpherePhase::none);
}

template <class Real>
void SphereTransform<Real>::sum_degrees(std::span<const Real> spectral) {
  begin(SpherePhase::legendre);
  legendre_.synthesise(spectral, in_->orders ? in_->orders->numbers() : in_->rows.numbers(),
                       in_->columns);
  if (in_->between_orders) {
    begin(SpherePhase::transpose);
    carry(*in_->between_orders);
  }
}

template <class Real>
void SphereTransform<Real>::sum_latitudes(std::span<Real> spectral) {
  if (out_->between_orders) {
    begin(SpherePhase::transpose);
    carry(*out_->between_orders);
  }
  begin(SpherePhase::legendre);
  const Array<Real>& fourier = out_->orders ? *out_->orders : out_->rows;
  // The tree has its lower levels on one rank and its upper ones between ranks.
  const int pairs_in_block =
      way_.reproducible ? grid_.latitude_pairs / sharing_.sum_blocks() : legendre_.pairs();
  legendre_.analyse(fourier.numbers(), spectral, out_->columns, pairs_in_block, packed_->numbers());
  if (sum_) {
    begin(SpherePhase::sums);
    sum_->sum(spectral);
  }
}

template <class Real>
std::ptrdiff_t SphereTransform<Real>::points_length() const {
  return std::ptrdiff_t{longitudes_.count} * batch_width<Real>;
}

template <class Real>
std::ptrdiff_t SphereTransform<Real>::all_points_length() const {
  return std::ptrdiff_t{grid_.longitudes} * batch_width<Real>;
}

template <class Real>
template <class Item>
FourierRow<Item> SphereTransform<Real>::row_of(const Direction& direction, Item* rows,
                                               const GridLine& line) const {
  const std::ptrdiff_t columns = direction.columns;
  const auto orders = static_cast<std::ptrdiff_t>(sharing_.fourier_orders(p_).size());
  return {.coefficients =
              rows + (line.pair - pairs_.begin) * orders * 2 * columns +
              std::ptrdiff_t{line.group * direction.fields + line.field} * batch_width<Real>,
          .order_step = 2 * columns,
          .parity_step = columns};
}

template <class Real>
void SphereTransform<Real>::to_points(const GridLine& line, Real* points) const {
  const auto& kernels = vector_kernels<Real>();
  kernels.spread(places_at(line.pair), row_of<const Real>(*in_, in_->rows.data(), line), points,
                 points);
  kernels.inverse(plan_, points);
}

template <class Real>
void SphereTransform<Real>::from_points(const GridLine& line, Real* points) {
  const auto& kernels = vector_kernels<Real>();
  kernels.forward(plan_, points);
  kernels.gather(places_at(line.pair), weight_of(line.pair), points, points,
                 row_of<Real>(*out_, out_->rows.data(), line));
}

template <class Real>
FrequencyPlaces SphereTransform<Real>::places_at(int pair) const {
  FrequencyPlaces places = places_.places();
  places.count = orders_at_[static_cast<std::size_t>(pair - pairs_.begin)];
  return places;
}

/// Weight of the quadrature over latitudes and of the mean over longitudes.
template <class Real>
Real SphereTransform<Real>::weight_of(int pair) const {
  return static_cast<Real>(grid_.rows.weight[static_cast<std::size_t>(pair)] / grid_.longitudes);
}

/// All longitudes of a latitude are here: batches run one after another, each within the cache.
template <class Real>
void SphereTransform<Real>::work_on_rows(const GridWork& work, bool synthesise, bool analyse) {
  const std::ptrdiff_t step = points_length();
  for (int pair = pairs_.begin; pair < pairs_.begin + pairs_.count; ++pair) {
    for (int group = 0; group < groups_.count; ++group) {
      if (synthesise) {
        begin(SpherePhase::fft);
        for (int field = 0; field < in_->fields; ++field) {
          to_points({pair, group, field}, in_->points.data() + field * step);
        }
      }
      begin(SpherePhase::grid);
      work({.pair = pair,
            .first_longitude = 0,
            .longitudes = longitudes_.count,
            .group = group,
            .in = synthesise ? in_->points.data() : nullptr,
            .in_step = step,
            .out = analyse ? out_->points.data() : nullptr,
            .out_step = step});
      if (analyse) {
        begin(SpherePhase::fft);
        for (int field = 0; field < out_->fields; ++field) {
          from_points({pair, group, field}, out_->points.data() + field * step);
        }
      }
    }
  }
}

/// All lines of this rank's level groups, in memory order.
template <class Real>
template <class Visit>
void SphereTransform<Real>::for_each_line(const Direction& direction, Visit visit) const {
  int index = 0;
  for (int group = 0; group < groups_.count; ++group) {
    for (int field = 0; field < direction.fields; ++field) {
      for (int pair = pairs_.begin; pair < pairs_.begin + pairs_.count; ++pair) {
        visit(index, GridLine{pair, group, field});
        ++index;
      }
    }
  }
}

template <class Real>
void SphereTransform<Real>::columns_to_points() {
  begin(SpherePhase::fft);
  if (auto* const distributed = in_->distributed.get()) {
    for_each_line(*in_, [&](int index, const GridLine& line) {
      distributed->spread(index, row_of<const Real>(*in_, in_->rows.data(), line));
    });
    distributed->to_points([this](SpherePhase phase) { begin(phase); });
    return;
  }
  for_each_line(*in_, [&](int index, const GridLine& line) {
    to_points(line, in_->levels->data() + index * all_points_length());
  });
  begin(SpherePhase::transpose);
  carry(*in_->between_longitudes);
}

template <class Real>
void SphereTransform<Real>::columns_from_points() {
  if (auto* const distributed = out_->distributed.get()) {
    distributed->from_points([this](SpherePhase phase) { begin(phase); });
    for_each_line(*out_, [&](int index, const GridLine& line) {
      distributed->gather(index, weight_of(line.pair),
                          row_of<Real>(*out_, out_->rows.data(), line));
    });
    return;
  }
  begin(SpherePhase::transpose);
  carry(*out_->between_longitudes);
  begin(SpherePhase::fft);
  for_each_line(*out_, [&](int index, const GridLine& line) {
    from_points(line, out_->levels->data() + index * all_points_length());
  });
}

/// Ranks along longitude each hold some longitudes while they compute. While they transform, each
/// holds some levels, or the same longitudes.
template <class Real>
void SphereTransform<Real>::work_on_columns(const GridWork& work, bool synthesise, bool analyse) {
  if (synthesise) {
    columns_to_points();
  }
  begin(SpherePhase::grid);
  const std::ptrdiff_t step = points_length() * pairs_.count;
  for (int group = 0; group < batch_.groups; ++group) {
    for (int pair = 0; pair < pairs_.count; ++pair) {
      const std::ptrdiff_t place = pair * points_length();
      work({.pair = pairs_.begin + pair,
            .first_longitude = longitudes_.begin,
            .longitudes = longitudes_.count,
            .group = group,
            .in = synthesise ? in_->own_points() + group * in_->fields * step + place : nullptr,
            .in_step = step,
            .out = analyse ? out_->own_points() + group * out_->fields * step + place : nullptr,
            .out_step = step});
    }
  }
  if (analyse) {
    columns_from_points();
  }
}

template <class Real>
SphereWork SphereTransform<Real>::work_of(SpherePhase phase) const {
  SphereWork work;
  for (const auto* const direction : {in_.get(), out_.get()}) {
    const std::size_t coefficients = product(rows_.count(), direction->columns, sizeof(Real));
    const std::size_t fourier = product(pairs_.count, sharing_.fourier_orders(p_).size(), 2,
                                        direction->columns, sizeof(Real));
    const double length = grid_.longitudes;
    switch (phase) {
      case SpherePhase::legendre:
        work.operations += legendre_.operations() * direction->columns;
        work.memory_bytes += coefficients + fourier;
        break;
      case SpherePhase::fft:
        // Counted as FFTW does for real numbers.
        work.operations += static_cast<std::int64_t>(
            2.5 * length * std::log2(length) * pairs_.count * direction->columns /
            (direction->distributed ? way_.along_longitude : 1));
        work.memory_bytes += fourier;
        break;
      case SpherePhase::transpose:
        for (const auto* const exchange :
             {direction->between_orders.get(), direction->between_longitudes.get()}) {
          work.sent_bytes += exchange == nullptr ? 0 : exchange->sent_bytes();
        }
        work.sent_bytes += direction->distributed ? direction->distributed->sent_bytes() : 0;
        break;
      default:
        break;
    }
  }
  if (phase == SpherePhase::sums && sum_) {
    work.operations = static_cast<std::int64_t>(product(rows_.count(), out_->columns));
    work.sent_bytes = sum_->sent_bytes();
  }
  return work;
}

/// Of the transposes only; sums go to the ranks of one row, wherever these are.
template <class Real>
std::size_t SphereTransform<Real>::off_node_bytes(std::span<const int> node_of_rank) const {
  std::size_t bytes = 0;
  for (const auto* const direction : {in_.get(), out_.get()}) {
    for (const auto* const exchange :
         {direction->between_orders.get(), direction->between_longitudes.get()}) {
      bytes += exchange == nullptr ? 0 : exchange->off_node_bytes(node_of_rank);
    }
    bytes += direction->distributed ? direction->distributed->off_node_bytes(node_of_rank) : 0;
  }
  return bytes;
}

template <class Real>
void SphereTransform<Real>::add_up(std::span<double> numbers) const {
  if (way_.along_longitude * way_.along_latitude > 1) {
    const std::vector<double> own(numbers.begin(), numbers.end());
    mpi::Collectives(communicator_).all_reduce(std::span<const double>(own), numbers);
  }
}

template class SphereTransform<float>;
template class SphereTransform<double>;

}  // namespace halocline::numerics
