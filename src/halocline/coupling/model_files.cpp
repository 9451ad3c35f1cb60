#include "halocline/coupling/model_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
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

std::span<double> field_of(std::vector<double>& numbers, std::size_t field, std::size_t points) {
  return std::span(numbers).subspan(field * points, points);
}

}  // namespace

ModelFiles::ModelFiles(CoupledModel& model, std::string grid)
    : model_(model), grid_(std::move(grid)), is_first_(model.ranks().rank() == 0) {}

std::string ModelFiles::problem_on_first(const std::function<void()>& step) const {
  try {
    on_first(step);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void ModelFiles::on_first(const std::function<void()>& step) const {
  mpi::agreed(model_.ranks(), [&] {
    if (is_first_) {
      step();
    }
  });
}

std::vector<Index> ModelFiles::points_of_first(Index count) const {
  std::vector<Index> numbers(is_first_ ? static_cast<std::size_t>(count) : 0);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return numbers;
}

void ModelFiles::require_writable(const std::filesystem::path& folder) {
  on_first([&] { const NetcdfWriter tried(NetcdfContent{}, folder / "checkpoint.nc"); });
}

/// As written, with one number first: the intervals that have passed. A variable is one field of a
/// component: a fine ocean's levels together are too large for one.
NetcdfContent ModelFiles::checkpoint(const std::vector<Stored>& all) const {
  const CoupledShape& shape = model_.shape();
  NetcdfContent content;
  content.attribute("title", "checkpoint of Halocline's coupled model");
  content.attribute("truncation", std::to_string(shape.truncation));
  content.attribute("atmosphere_levels", std::to_string(shape.air_levels));
  content.attribute("ocean_grid", grid_);
  content.attribute("ocean_levels", std::to_string(shape.sea.levels));
  content.attribute("barotropic_iterations", std::to_string(shape.sea.until.iterations));
  content.attribute("barotropic_tolerance", number_text(shape.sea.until.tolerance));
  content.attribute("seconds_between_couplings", std::to_string(shape.sea.interval.count()));
  content.add("intervals", {});
  for (const Stored& stored : all) {
    const std::size_t points =
        content.dimension(stored.name + "_point", static_cast<std::size_t>(stored.count));
    for (std::size_t field = 0; field < stored.fields; ++field) {
      content.add(stored.name + "_" + std::to_string(field), {points});
    }
  }
  content.add_checksums();
  return content;
}

void ModelFiles::save(const std::filesystem::path& path) {
  const std::vector<Stored> all = model_.stored();
  std::unique_ptr<NetcdfWriter> file;
  on_first([&] {
    file = std::make_unique<NetcdfWriter>(checkpoint(all), path);
    const auto intervals = static_cast<double>(model_.intervals());
    file->write({&intervals, 1});
  });
  for (const Stored& stored : all) {
    Link link(stored.numbers, points_of_first(stored.count), 1, model_.shape().way, model_.ranks());
    std::vector<double> numbers = stored.save();
    for (std::size_t field = 0; field < stored.fields; ++field) {
      std::ranges::copy(field_of(numbers, field, stored.numbers.size()), link.outgoing().begin());
      link.carry();
      on_first([&] { file->write(link.incoming()); });
    }
  }
  on_first([&] { file->finish(); });
}

void ModelFiles::load(const std::filesystem::path& path) {
  const std::vector<Stored> all = model_.stored();
  std::unique_ptr<NetcdfReader> file;
  double intervals = 0;
  on_first([&] {
    file = std::make_unique<NetcdfReader>(
        checkpoint(all), path,
        "choose a checkpoint of a run with the same truncation, levels, grid, iterations and "
        "couplings_per_day");
    file->read({&intervals, 1});
    if (!(intervals >= 1 && intervals <= most_intervals && intervals == std::floor(intervals))) {
      throw Error(path.string() + " is damaged: it claims to end interval " +
                  number_text(intervals) + "; choose another checkpoint");
    }
  });
  for (const Stored& stored : all) {
    if (const std::string problem = load(stored, file.get()); !problem.empty()) {
      throw Error(problem);
    }
  }
  model_.resume(model_.ranks().broadcast(static_cast<std::int64_t>(intervals)));
}

std::string ModelFiles::load(const Stored& stored, NetcdfReader* file) {
  Link link(points_of_first(stored.count), stored.numbers, 1, model_.shape().way, model_.ranks());
  std::vector<double> numbers(stored.fields * stored.numbers.size());
  for (std::size_t field = 0; field < stored.fields; ++field) {
    if (std::string problem = problem_on_first([&] { file->read(link.outgoing()); });
        !problem.empty()) {
      return problem;
    }
    link.carry();
    std::ranges::copy(link.incoming(), field_of(numbers, field, stored.numbers.size()).begin());
  }
  stored.load(numbers);
  return "";
}

/// Coordinates and the day first, as in write_places().
NetcdfContent ModelFiles::history(const std::vector<SurfaceField>& fields) const {
  const numerics::ColumnGrid columns = numerics::columns_of(model_.air_grid());
  const numerics::DisplacedPoleGrid& sea = model_.shape().sea.grid;
  NetcdfContent content;
  content.attribute("Conventions", "CF-1.10");
  content.attribute("title", "surface of Halocline's coupled model");
  const std::size_t latitude =
      content.dimension("latitude", static_cast<std::size_t>(columns.latitudes));
  const std::size_t longitude =
      content.dimension("longitude", static_cast<std::size_t>(columns.longitudes));
  const std::size_t row = content.dimension("row", static_cast<std::size_t>(sea.rows()));
  const std::size_t column = content.dimension("column", static_cast<std::size_t>(sea.columns()));
  content.add("latitude", {latitude}, {{"units", "degrees_north"}});
  content.add("longitude", {longitude}, {{"units", "degrees_east"}});
  content.add("sea_latitude", {row, column}, {{"units", "degrees_north"}});
  content.add("sea_longitude", {row, column}, {{"units", "degrees_east"}});
  content.add("day", {}, {{"long_name", "days since the beginning of the model"}});
  for (const SurfaceField& field : fields) {
    std::vector<NetcdfContent::Attribute> attributes{{"units", field.unit},
                                                     {"long_name", field.long_name}};
    if (field.on_sea_grid) {
      attributes.push_back({"coordinates", "sea_latitude sea_longitude"});
      content.add(field.name, {row, column}, std::move(attributes));
    } else {
      content.add(field.name, {latitude, longitude}, std::move(attributes));
    }
  }
  return content;
}

void ModelFiles::write_places(NetcdfWriter& file) const {
  const numerics::SpectralGrid& air = model_.air_grid();
  const numerics::ColumnGrid columns = numerics::columns_of(air);
  const numerics::DisplacedPoleGrid& sea = model_.shape().sea.grid;
  std::vector<double> values;
  for (int place = 0; place < columns.latitudes; ++place) {
    values.push_back(numerics::place_of(air, columns.column(0, place)).latitude * degrees);
  }
  file.write(values);
  values.clear();
  for (int place = 0; place < columns.longitudes; ++place) {
    values.push_back(numerics::place_of(air, columns.column(place, 0)).longitude * degrees);
  }
  file.write(values);
  for (double numerics::Position::* const coordinate :
       {&numerics::Position::latitude, &numerics::Position::longitude}) {
    values.clear();
    for (Index cell = 0; cell < sea.rows() * sea.columns(); ++cell) {
      values.push_back(sea.position(cell).*coordinate * degrees);
    }
    file.write(values);
  }
  const double day = static_cast<double>(model_.intervals()) *
                     (model_.shape().sea.interval.count() / seconds_per_day);
  file.write({&day, 1});
}

void ModelFiles::write_history(const std::filesystem::path& path) {
  const std::vector<SurfaceField> fields = model_.surface();
  std::unique_ptr<NetcdfWriter> file;
  on_first([&] {
    file = std::make_unique<NetcdfWriter>(history(fields), path);
    write_places(*file);
  });
  const auto columns = static_cast<std::size_t>(numerics::columns_of(model_.air_grid()).count());
  const auto cells = model_.pieces().sea_numbers().size();
  for (const SurfaceField& field : fields) {
    const std::vector<Index> all = is_first_ ? field.all() : std::vector<Index>{};
    Link link(field.places, all, 1, model_.shape().way, model_.ranks());
    std::ranges::copy(field.values, link.outgoing().begin());
    link.carry();
    on_first([&] {
      std::vector<double> map(field.on_sea_grid ? cells : columns,
                              std::numeric_limits<double>::quiet_NaN());
      for (std::size_t place = 0; place < all.size(); ++place) {
        map[static_cast<std::size_t>(all[place])] = link.incoming()[place];
      }
      file->write(map);
    });
  }
  on_first([&] { file->finish(); });
}

}  // namespace halocline::coupling
