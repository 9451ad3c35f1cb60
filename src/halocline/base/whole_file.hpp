#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

namespace halocline {

/// Writes a file under another name first, then at once: who reads it meets a whole one. Makes its
/// folder. Throws Error, and leaves nothing, where it cannot be written.
void write_whole(const std::filesystem::path& path,
                 const std::function<void(std::ostream&)>& write);

}  // namespace halocline
