#pragma once

#include <filesystem>
#include <string>

#include "halocline/base/netcdf.hpp"
#include "halocline/coupling/coupled_model.hpp"

namespace halocline::coupling {

/// The files of a coupled model, which rank 0 writes and reads for all. All members are collective
/// and throw the same Error on all ranks.
class ModelFiles {
 public:
  /// `grid` names the ocean's; a checkpoint is of the same grids and levels.
  ModelFiles(CoupledModel& model, std::string grid);

  /// All that the future depends on: on any ranks the model continues with the same bits.
  void save(const std::filesystem::path& path);
  void load(const std::filesystem::path& path);
  /// Maps of the surface.
  void write_history(const std::filesystem::path& path);

 private:
  NetcdfFile checkpoint() const;
  std::vector<layout::Index> first_rank(std::vector<layout::Index> points) const;
  void add_places(NetcdfFile& file);

  CoupledModel& model_;
  std::string grid_;
  bool is_first_;
};

}  // namespace halocline::coupling
