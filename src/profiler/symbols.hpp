#pragma once

#include <link.h>

namespace halocline::profiler {

/// The address of a symbol that this object defines; null if it defines none. Unlike dlsym it
/// neither needs the object's scope nor leaves its namespace.
void* symbol_of(const link_map& object, const char* name);

}  // namespace halocline::profiler
