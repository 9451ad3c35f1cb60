#pragma once

#include <string>
#include <vector>

namespace halocline::driver {

/// Files below /dev/shm that this process has mapped.
std::vector<std::string> mapped_shared_memory();

/// Leaves `rank-R.pid` in the folder named by HALOCLINE_JOB_DIR, if set, so that the job's
/// supervisor can clean up: a line with the process id, the boot of its machine and its pid
/// namespace, then the files of mapped_shared_memory(), one per line.
void leave_trace(int rank);

/// Leaves an error's message as `rank-R.error` in the same folder: launchers may exit without
/// passing on what a rank printed just before MPI_Abort.
void leave_error(int rank, const std::string& message);

/// Processors that this process may run on, as "0" or "0-3,8".
std::string allowed_processors();

/// The time of day in UTC, as "2026-11-21T11:00:00Z".
std::string time_of_day();

}  // namespace halocline::driver
