#pragma once

#include <filesystem>
#include <string_view>

namespace halocline {

/// Writes a file under another name first, then at once: who reads it meets a whole one. Makes its
/// folder. Throws Error, and leaves nothing, where it cannot be written.
void write_whole(const std::filesystem::path& path, std::string_view text);

}  // namespace halocline
