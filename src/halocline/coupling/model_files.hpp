#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "halocline/base/netcdf.hpp"
#include "halocline/coupling/coupled_model.hpp"

namespace halocline::coupling {

/// The files of a coupled model, which rank 0 writes and reads for all, one field at a time. All
/// members are collective and throw the same Error on all ranks.
class ModelFiles {
 public:
  /// `grid` names the ocean's; a checkpoint is for the same grids and levels.
  ModelFiles(CoupledModel& model, std::string grid);

  /// Creates a folder and checks that files can be written to it.
  void require_writable(const std::filesystem::path& folder);

  /// Everything that the future depends on: on any ranks the model continues with the same bits.
  void save(const std::filesystem::path& path);
  void load(const std::filesystem::path& path);
  /// Maps of the surface.
  void write_history(const std::filesystem::path& path);

 private:
  NetcdfContent checkpoint(const std::vector<Stored>& all) const;
  NetcdfContent history(const std::vector<SurfaceField>& fields) const;
  void write_places(NetcdfWriter& file) const;
  /// Empty on the others.
  std::vector<layout::Index> points_of_first(layout::Index count) const;
  void on_first(const std::function<void()>& step) const;
  /// The same, but returns what is wrong: a link that is left by an error frees no communicator.
  std::string problem_on_first(const std::function<void()>& step) const;
  std::string load(const Stored& stored, NetcdfReader* file);

  CoupledModel& model_;
  std::string grid_;
  bool is_first_;
};

}  // namespace halocline::coupling
