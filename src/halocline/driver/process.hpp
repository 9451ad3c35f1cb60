#pragma once

#include <string>
#include <vector>

namespace halocline::driver {

/// Files below /dev/shm that this process has mapped.
std::vector<std::string> mapped_shared_memory();

/// Leaves `rank-R.pid` in the folder named by HALOCLINE_JOB_DIR, if it is set, so that whatever
/// supervises the job can clean up after it: a line with the process id, the boot of its machine
/// and its pid namespace, then the files of mapped_shared_memory(), one a line.
void leave_trace(int rank);

/// Leaves the message of an error as `rank-R.error` in the same folder: launchers may end without
/// passing on what a rank printed just before MPI_Abort.
void leave_error(int rank, const std::string& message) noexcept;

/// Processors that this process may run on, as "0" or "0-3,8".
std::string allowed_processors();

/// The time of day in UTC, as "2026-11-21T11:00:00Z".
std::string time_of_day();

}  // namespace halocline::driver
