#pragma once

#include <link.h>

#include <cstdint>

#include "profiler/process.hpp"

/// The linker audits only calls that go through a procedure linkage table: code built with -fno-plt
/// and function pointers would bypass the profiler.
namespace halocline::profiler {

/// The role of an object of the process.
enum class Role : std::uintptr_t { program, mpi, fortran, c_library, python };

/// Whether its calls are the program's.
constexpr bool is_program(Role role) { return role == Role::program || role == Role::python; }

/// The new target of calls of this function of `library`; `target` itself if unchanged.
using Rebind = Word (*)(const char* symbol, Word target, Role from, Role to,
                        const link_map& library);

void remember_object(const link_map& object, Role role);
void forget_object(const link_map& object);

/// Rebinds such references in all objects that are new since the last call. The linker must have
/// relocated them.
void bind_references(Rebind rebind);

}  // namespace halocline::profiler
