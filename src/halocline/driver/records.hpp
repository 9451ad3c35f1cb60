#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/driver/case_list.hpp"
#include "halocline/driver/options.hpp"
#include "halocline/measure/path.hpp"
#include "halocline/measure/sampler.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::driver {

/// Environment line of a launch. Collective; the text is complete on rank 0, empty elsewhere.
std::string start_record(const Options& options, const mpi::Communicator& world);

/// One measured case; `picture_missing` says why its picture was not kept.
std::string samples_record(const Options& options, const Case& measured,
                           const measure::TimedLoop& loop, const measure::Samples& samples,
                           const measure::Path& path, std::string_view picture_missing);

/// One case without samples; `status` is "skipped", "failed" or "verified".
std::string no_samples_record(const Options& options, const Case& unmeasured,
                              std::string_view status, std::string_view reason);

/// Proof that the launch is complete.
std::string complete_record(const Options& options, int ranks, std::size_t cases,
                            std::size_t samples, std::uint32_t checksum);

}  // namespace halocline::driver
