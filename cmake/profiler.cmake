# The profiler: one shared object for every MPI library, so it is linked with none, and it brings
# its own of whatever it needs into the programs that it is loaded into.
file(GLOB profiler_sources CONFIGURE_DEPENDS src/profiler/*.cpp)
add_library(halocline-profiler MODULE ${profiler_sources})
set_target_properties(halocline-profiler PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
target_include_directories(halocline-profiler PRIVATE src)
target_compile_options(
  halocline-profiler
  PRIVATE -O2 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-stack-protector
          -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
# Most of its time is that of one file: many at a time would gain nothing.
set_target_properties(halocline-profiler PROPERTIES UNITY_BUILD OFF)
# --as-needed drops the MPI library that the compiler wrapper adds.
target_link_options(halocline-profiler PRIVATE -Wl,--as-needed -Wl,-z,now -Wl,-z,defs
                    -static-libstdc++ -static-libgcc)
