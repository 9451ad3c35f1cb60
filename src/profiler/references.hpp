#pragma once

#include <link.h>

#include <cstdint>

#include "profiler/process.hpp"

/// The linker asks an auditor of calls that go through a procedure linkage table, and of nothing
/// else: code built with -fno-plt and pointers to functions would go past it.
namespace halocline::profiler {

/// What an object of the process is to the profiler.
enum class Role : std::uintptr_t { program, mpi, fortran, c_library, python };

/// Whether its calls are the program's.
constexpr bool is_program(Role role) { return role == Role::program || role == Role::python; }

/// Where calls of this function of `library` shall go; `target` itself if they stay.
using Rebind = Word (*)(const char* symbol, Word target, Role from, Role to,
                        const link_map& library);

void remember_object(const link_map& object, Role role);
void forget_object(const link_map& object);

/// Rebinds such references in all objects that are new since the last time. The linker must have
/// relocated them.
void bind_references(Rebind rebind);

}  // namespace halocline::profiler
