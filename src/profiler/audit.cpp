/// The dynamic linker's auditing interface, from the program's start to its end.

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "profiler/files.hpp"
#include "profiler/fortran.hpp"
#include "profiler/library.hpp"
#include "profiler/lock.hpp"
#include "profiler/python.hpp"
#include "profiler/references.hpp"
#include "profiler/regions.hpp"
#include "profiler/symbols.hpp"
#include "profiler/wrappers.hpp"

namespace halocline::profiler {
namespace {

/// What the linker stores for us with each object: its entry, with the role in the lowest bits.
constexpr std::uintptr_t role_bits = 7;

Role role_in(std::uintptr_t cookie) { return static_cast<Role>(cookie & role_bits); }

const link_map& object_in(std::uintptr_t cookie) {
  return *reinterpret_cast<const link_map*>(cookie & ~role_bits);
}

Lock lock;
const link_map* program = nullptr;
const link_map* mpi_library = nullptr;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view file_name(const link_map& object) {
  const std::string_view path = object.l_name;
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Whether the program itself is the Python interpreter: then it has no Python library.
bool runs_python() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  const std::string_view name(path, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return name.substr(name.rfind('/') + 1).starts_with("python");
}

/// libmpi.so.12, libmpich.so.12, libmpi_mpifh.so.40, libmpi_cray.so.12 …
Role role_of(const link_map& object) {
  const std::string_view name = file_name(object);
  if (name.starts_with("libpython") || (name.empty() && runs_python())) {
    return Role::python;
  }
  if (name == "libc.so.6") {
    return Role::c_library;
  }
  if (!name.starts_with("libmpi") && !name.starts_with("libpmpi")) {
    return Role::program;
  }
  const bool fortran = contains(name, "fort") || contains(name, "mpifh") ||
                       contains(name, "usempi") || contains(name, "f90") || contains(name, "f77") ||
                       contains(name, "f08");
  return fortran ? Role::fortran : Role::mpi;
}

void remember_code(const link_map& object, const ElfW(Phdr) * headers, std::size_t number) {
  for (std::size_t i = 0; i < number && fortran_codes < ranges_maximum; ++i) {
    if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X) != 0) {
      const Word begin = object.l_addr + headers[i].p_vaddr;
      fortran_code[fortran_codes++] = {begin, begin + headers[i].p_memsz};
    }
  }
}

/// An object's first page holds its headers; that of a library is mapped at its base.
void remember_fortran(const link_map& object) {
  const auto* file = reinterpret_cast<const ElfW(Ehdr)*>(object.l_addr);
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(object.l_addr + file->e_phoff);
  remember_code(object, headers, file->e_phnum);
}

/// A variable of the library may have been copied into the program: that copy is in use.
void* look_up(const char* symbol) {
  void* found = program == nullptr ? nullptr : symbol_of(*program, symbol);
  return found != nullptr ? found : symbol_of(*mpi_library, symbol);
}

Word bind_call(std::string_view symbol, Word target, Role from, const link_map* to) {
  const bool profiling = symbol.starts_with("PMPI_");
  if (!symbol.starts_with("MPI_") && !profiling) {
    return target;
  }
  if (profiling && from != Role::fortran) {
    return target;
  }
  const Guard guard(lock);
  if (mpi_library == nullptr) {
    mpi_library = to;
  }
  if (symbol == "MPI_Pcontrol") {
    return region_wrapper(target);
  }
  const int function = find(symbol.substr(profiling ? 5 : 4));
  if (function < 0) {
    return target;
  }
  void*& forward = real[static_cast<std::size_t>(function)];
  if (forward == nullptr) {
    forward = reinterpret_cast<void*>(target);
  }
  return reinterpret_cast<Word>(wrapper(function));
}

Word bind(const char* symbol, Word target, Role from, Role to, const link_map& library) {
  if (to == Role::mpi && from != Role::mpi) {
    return bind_call(symbol, target, from, &library);
  }
  if (to == Role::c_library && is_program(from)) {
    if (std::string_view(symbol) == "_exit" || std::string_view(symbol) == "_Exit") {
      return exit_wrapper(target);
    }
    return bind_file_function(symbol, target, library);
  }
  if (to == Role::fortran && is_program(from)) {
    return stub_of(symbol, target);
  }
  return target;
}

bool started = false;  // the program's initial objects have been relocated

}  // namespace

void learn_own_library() {
  if (mpi_library != nullptr) {
    learn_library(look_up, mpi_library->l_name);
  }
}

}  // namespace halocline::profiler

using namespace halocline::profiler;  // only the linker uses these names

extern "C" {

__attribute__((visibility("default"))) unsigned int la_version(unsigned int version) {
  return std::min(version, static_cast<unsigned int>(LAV_CURRENT));
}

__attribute__((visibility("default"))) unsigned int la_objopen(link_map* object, Lmid_t space,
                                                               std::uintptr_t* cookie) {
  if (space != LM_ID_BASE) {
    return 0;
  }
  if (program == nullptr) {
    program = object;
  }
  const Role role = role_of(*object);
  *cookie = reinterpret_cast<std::uintptr_t>(object) | static_cast<std::uintptr_t>(role);
  uses_mpi = uses_mpi || role == Role::mpi;
  remember_module(object->l_addr, object->l_name);
  remember_object(*object, role);
  if (role == Role::fortran) {
    remember_fortran(*object);
  }
  return role == Role::program ? LA_FLG_BINDFROM : LA_FLG_BINDFROM | LA_FLG_BINDTO;
}

__attribute__((visibility("default"))) std::uintptr_t la_symbind64(
    ElfW(Sym) * symbol, unsigned int /*index*/, std::uintptr_t* from, std::uintptr_t* to,
    unsigned int* flags, const char* name) {
  if (started && (*flags & LA_SYMB_DLSYM) != 0) {
    bind_references(bind);
  }
  if (role_in(*to) == Role::python && std::strcmp(name, "PyEval_SaveThread") == 0) {
    return bind_python(object_in(*from), object_in(*to), symbol->st_value);
  }
  return bind(name, symbol->st_value, role_in(*from), role_in(*to), object_in(*to));
}

__attribute__((visibility("default"))) void la_preinit(std::uintptr_t* /*cookie*/) {}

/// The initial objects are relocated once the list is consistent, before their constructors run.
/// Objects opened later are consistent first and relocated then: each is ready when the next object
/// is about to be added, or when a name is looked up in it.
__attribute__((visibility("default"))) void la_activity(std::uintptr_t* /*cookie*/,
                                                        unsigned int flag) {
  if (!started && flag == LA_ACT_CONSISTENT) {
    started = true;
    bind_references(bind);
  } else if (started && flag == LA_ACT_ADD) {
    bind_references(bind);
  }
}

__attribute__((visibility("default"))) unsigned int la_objclose(std::uintptr_t* cookie) {
  forget_object(object_in(*cookie));
  return 0;
}
}

namespace {
__attribute__((destructor)) void at_exit() { reached(Stage::exited); }
}  // namespace
