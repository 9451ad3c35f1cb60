#include "profiler/references.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "profiler/lock.hpp"

namespace halocline::profiler {
namespace {

constexpr int objects_maximum = 1 << 14;  // beyond this, only calls through the table are seen

struct Object {
  const link_map* map = nullptr;  // null: closed
  Role role = Role::program;
  bool bound = false;
  Word begin = 0;  // both 0 until bound
  Word end = 0;
};

Lock lock;
Object objects[objects_maximum];
int objects_known = 0;
bool all_bound = true;

#if defined(__x86_64__)
constexpr bool refers(std::uint64_t type) {
  return type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}
#elif defined(__aarch64__)
constexpr bool refers(std::uint64_t type) {
  return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}
#else
constexpr bool refers(std::uint64_t /*type*/) { return false; }
#endif

struct Headers {
  const ElfW(Phdr) * first = nullptr;
  std::size_t number = 0;
};

/// In the object's first page.
Headers headers_of(Word begin) {
  const auto* file = reinterpret_cast<const ElfW(Ehdr)*>(begin);
  if (begin == 0 || std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) {
    return {};
  }
  return {reinterpret_cast<const ElfW(Phdr)*>(begin + file->e_phoff), file->e_phnum};
}

/// Where an object is mapped; for a program that need not be where its addresses begin.
void locate(Object& object) {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  if (_dl_find_object(object.map->l_ld, &found) == 0) {
    object.begin = reinterpret_cast<Word>(found.dlfo_map_start);
    object.end = reinterpret_cast<Word>(found.dlfo_map_end);
  }
#endif  // with an older one nothing is profiled
}

/// Where the linker put writable data, and which part of it is read-only by now.
struct Writable {
  const link_map& object;
  Headers headers;

  bool holds(Word place) const {
    for (std::size_t i = 0; i < headers.number; ++i) {
      const auto& part = headers.first[i];
      const Word begin = object.l_addr + part.p_vaddr;
      if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0 && place >= begin &&
          place + sizeof(Word) <= begin + part.p_memsz) {
        return true;
      }
    }
    return false;
  }

  bool closed(Word page, Word page_bytes) const {
    for (std::size_t i = 0; i < headers.number; ++i) {
      const auto& part = headers.first[i];
      const Word begin = (object.l_addr + part.p_vaddr) & ~(page_bytes - 1);
      const Word end = (object.l_addr + part.p_vaddr + part.p_memsz) & ~(page_bytes - 1);
      if (part.p_type == PT_GNU_RELRO && page >= begin && page < end) {
        return true;
      }
    }
    return false;
  }

  void write(Word place, Word value) const {
    const auto page_bytes = static_cast<Word>(sysconf(_SC_PAGESIZE));
    const Word page = place & ~(page_bytes - 1);
    auto* const address = reinterpret_cast<void*>(page);
    const bool open = closed(page, page_bytes);
    if (open && mprotect(address, page_bytes, PROT_READ | PROT_WRITE) != 0) {
      return;
    }
    std::atomic_ref(*reinterpret_cast<Word*>(place)).store(value, std::memory_order_relaxed);
    if (open) {
      mprotect(address, page_bytes, PROT_READ);
    }
  }
};

const Object* owner_of(Word address) {
  for (int i = 0; i < objects_known; ++i) {
    const Object& object = objects[i];
    if (object.map != nullptr && !is_program(object.role) && address >= object.begin &&
        address < object.end) {
      return &object;
    }
  }
  return nullptr;
}

struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t number = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
};

Relocations relocations_of(const link_map& object) {
  Relocations found;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    // The kernel's own object and those of some machines have them as in the file.
    const Word stored = entry->d_un.d_ptr;
    const Word place = stored < object.l_addr ? stored + object.l_addr : stored;
    if (entry->d_tag == DT_RELA) {
      found.first = reinterpret_cast<const ElfW(Rela)*>(place);
    } else if (entry->d_tag == DT_RELASZ) {
      found.number = entry->d_un.d_val / sizeof(ElfW(Rela));
    } else if (entry->d_tag == DT_SYMTAB) {
      found.symbols = reinterpret_cast<const ElfW(Sym)*>(place);
    } else if (entry->d_tag == DT_STRTAB) {
      found.names = reinterpret_cast<const char*>(place);
    }
  }
  return found;
}

void bind_object(const Object& object, Rebind rebind) {
  const Writable writable{*object.map, headers_of(object.begin)};
  const Relocations all = relocations_of(*object.map);
  for (std::size_t i = 0; i < all.number; ++i) {
    const ElfW(Rela) & one = all.first[i];
    if (!refers(ELF64_R_TYPE(one.r_info)) || ELF64_R_SYM(one.r_info) == 0 || one.r_addend != 0) {
      continue;
    }
    const ElfW(Sym) & symbol = all.symbols[ELF64_R_SYM(one.r_info)];
    const Word place = object.map->l_addr + one.r_offset;
    if (symbol.st_shndx != SHN_UNDEF || !writable.holds(place)) {
      continue;
    }
    const Word target = *reinterpret_cast<const Word*>(place);
    const Object* library = owner_of(target);
    if (library == nullptr) {
      continue;
    }
    const Word bound =
        rebind(all.names + symbol.st_name, target, object.role, library->role, *library->map);
    if (bound != target) {
      writable.write(place, bound);
    }
  }
}

}  // namespace

void remember_object(const link_map& object, Role role) {
  const Guard guard(lock);
  int at = 0;
  while (at < objects_known && objects[at].map != nullptr) {
    ++at;
  }
  if (at == objects_maximum) {
    return;
  }
  objects[at] = {.map = &object, .role = role};
  all_bound = false;
  objects_known += at == objects_known ? 1 : 0;
}

void forget_object(const link_map& object) {
  const Guard guard(lock);
  for (int i = 0; i < objects_known; ++i) {
    if (objects[i].map == &object) {
      objects[i].map = nullptr;
    }
  }
}

void bind_references(Rebind rebind) {
  const Guard guard(lock);
  if (all_bound) {
    return;
  }
  all_bound = true;
  for (int i = 0; i < objects_known; ++i) {
    if (objects[i].map != nullptr && objects[i].end == 0) {
      locate(objects[i]);
    }
  }
  for (int i = 0; i < objects_known; ++i) {
    Object& object = objects[i];
    const bool calls = is_program(object.role) || object.role == Role::fortran;
    if (object.map != nullptr && !object.bound && calls) {
      bind_object(object, rebind);
    }
    object.bound = true;
  }
}

}  // namespace halocline::profiler
