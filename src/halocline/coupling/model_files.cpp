#include "halocline/coupling/model_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/base/words.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/numerics/column_physics.hpp"

namespace halocline::coupling {
namespace {

using layout::Index;

constexpr double seconds_per_day = 86'400;
constexpr double degrees = 180 / std::numbers::pi;
constexpr double most_intervals = 1e9;

std::vector<Index> in_order(Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return numbers;
}

}  // namespace

ModelFiles::ModelFiles(CoupledModel& model, std::string grid)
    : model_(model), grid_(std::move(grid)), is_first_(model.ranks().rank() == 0) {}

std::vector<Index> ModelFiles::first_rank(std::vector<Index> points) const {
  return is_first_ ? std::move(points) : std::vector<Index>{};
}

/// As it is written, with one number first: the intervals that have passed.
NetcdfFile ModelFiles::checkpoint() const {
  const CoupledShape& shape = model_.shape();
  NetcdfFile file;
  file.attribute("title", "checkpoint of Halocline's coupled model");
  file.attribute("truncation", std::to_string(shape.truncation));
  file.attribute("ocean_grid", grid_);
  file.attribute("seconds_between_couplings", std::to_string(shape.sea.interval.count()));
  file.add("intervals", {}, {});
  for (const Stored& stored : model_.stored()) {
    const std::size_t fields = file.dimension(stored.name + "_field", stored.fields);
    const std::size_t points =
        file.dimension(stored.name + "_point", static_cast<std::size_t>(stored.count));
    file.add(stored.name, {fields, points}, {});
  }
  return file;
}

void ModelFiles::save(const std::filesystem::path& path) {
  NetcdfFile file = checkpoint();
  file.values(0) = {static_cast<double>(model_.intervals())};
  std::size_t variable = 1;
  for (const Stored& stored : model_.stored()) {
    Link link(stored.numbers, first_rank(in_order(stored.count)), stored.fields, model_.shape().way,
              model_.ranks());
    std::ranges::copy(stored.save(), link.outgoing().begin());
    link.carry();
    if (is_first_) {
      file.values(variable) = std::move(link.incoming());
    }
    ++variable;
  }
  mpi::agreed(model_.ranks(), [&] {
    if (is_first_) {
      file.write(path);
    }
  });
}

void ModelFiles::load(const std::filesystem::path& path) {
  NetcdfFile file = checkpoint();
  mpi::agreed(model_.ranks(), [&] {
    if (is_first_) {
      file.read(path,
                "choose a checkpoint of a run with the same truncation, levels, grid and "
                "couplings_per_day");
      const double intervals = file.values(0)[0];
      if (!(intervals >= 1 && intervals <= most_intervals && intervals == std::floor(intervals))) {
        throw Error(path.string() + " is damaged: it is of the end of interval " +
                    number_text(intervals) + "; choose another checkpoint");
      }
    }
  });
  std::size_t variable = 1;
  for (const Stored& stored : model_.stored()) {
    Link link(first_rank(in_order(stored.count)), stored.numbers, stored.fields, model_.shape().way,
              model_.ranks());
    if (is_first_) {
      std::ranges::copy(file.values(variable), link.outgoing().begin());
    }
    link.carry();
    stored.load(link.incoming());
    ++variable;
  }
  model_.resume(
      model_.ranks().broadcast(static_cast<std::int64_t>(is_first_ ? file.values(0)[0] : 0)));
}

void ModelFiles::add_places(NetcdfFile& file) {
  const numerics::ColumnGrid columns = numerics::columns_of(model_.air_grid());
  const numerics::DisplacedPoleGrid& sea = model_.shape().sea.grid;
  const std::size_t latitude =
      file.dimension("latitude", static_cast<std::size_t>(columns.latitudes));
  const std::size_t longitude =
      file.dimension("longitude", static_cast<std::size_t>(columns.longitudes));
  const std::size_t row = file.dimension("row", static_cast<std::size_t>(sea.rows()));
  const std::size_t column = file.dimension("column", static_cast<std::size_t>(sea.columns()));
  const std::size_t latitudes = file.add("latitude", {latitude}, {{"units", "degrees_north"}});
  const std::size_t longitudes = file.add("longitude", {longitude}, {{"units", "degrees_east"}});
  for (int place = 0; place < columns.latitudes; ++place) {
    file.values(latitudes)[static_cast<std::size_t>(place)] =
        numerics::place_of(model_.air_grid(), columns.column(0, place)).latitude * degrees;
  }
  for (int place = 0; place < columns.longitudes; ++place) {
    file.values(longitudes)[static_cast<std::size_t>(place)] =
        numerics::place_of(model_.air_grid(), columns.column(place, 0)).longitude * degrees;
  }
  const std::size_t sea_latitudes =
      file.add("sea_latitude", {row, column}, {{"units", "degrees_north"}});
  const std::size_t sea_longitudes =
      file.add("sea_longitude", {row, column}, {{"units", "degrees_east"}});
  for (Index cell = 0; cell < sea.rows() * sea.columns(); ++cell) {
    const numerics::Position place = sea.position(cell);
    file.values(sea_latitudes)[static_cast<std::size_t>(cell)] = place.latitude * degrees;
    file.values(sea_longitudes)[static_cast<std::size_t>(cell)] = place.longitude * degrees;
  }
}

void ModelFiles::write_history(const std::filesystem::path& path) {
  NetcdfFile file;
  file.attribute("Conventions", "CF-1.10");
  file.attribute("title", "surface of Halocline's coupled model");
  if (is_first_) {
    add_places(file);
    const std::size_t day =
        file.add("day", {}, {{"long_name", "days since the beginning of the model"}});
    file.values(day) = {static_cast<double>(model_.intervals()) *
                        (model_.shape().sea.interval.count() / seconds_per_day)};
  }
  for (const SurfaceField& field : model_.surface()) {
    Link link(field.places, first_rank(field.all), 1, model_.shape().way, model_.ranks());
    std::ranges::copy(field.values, link.outgoing().begin());
    link.carry();
    if (!is_first_) {
      continue;
    }
    // As add_places() has them: latitude and longitude, or row and column.
    const std::vector<std::size_t> dimensions =
        field.on_sea_grid ? std::vector<std::size_t>{2, 3} : std::vector<std::size_t>{0, 1};
    std::vector<NetcdfFile::Attribute> attributes{{"units", field.unit},
                                                  {"long_name", field.long_name}};
    if (field.on_sea_grid) {
      attributes.push_back({"coordinates", "sea_latitude sea_longitude"});
    }
    const std::size_t variable = file.add(field.name, dimensions, std::move(attributes));
    std::vector<double>& map = file.values(variable);
    std::ranges::fill(map, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t place = 0; place < field.all.size(); ++place) {
      map[static_cast<std::size_t>(field.all[place])] = link.incoming()[place];
    }
  }
  mpi::agreed(model_.ranks(), [&] {
    if (is_first_) {
      file.write(path);
    }
  });
}

}  // namespace halocline::coupling
