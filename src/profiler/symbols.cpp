#include "profiler/symbols.hpp"

#include <cstdint>
#include <cstring>

namespace halocline::profiler {
namespace {

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint32_t* hash = nullptr;
};

Tables tables_of(const link_map& object) {
  Tables tables;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto* place = reinterpret_cast<const void*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) {
      tables.symbols = static_cast<const ElfW(Sym)*>(place);
    } else if (entry->d_tag == DT_STRTAB) {
      tables.names = static_cast<const char*>(place);
    } else if (entry->d_tag == DT_GNU_HASH) {
      tables.gnu_hash = static_cast<const std::uint32_t*>(place);
    } else if (entry->d_tag == DT_HASH) {
      tables.hash = static_cast<const std::uint32_t*>(place);
    }
  }
  return tables;
}

bool is(const Tables& tables, std::uint32_t index, const char* name) {
  const ElfW(Sym) & symbol = tables.symbols[index];
  return symbol.st_shndx != SHN_UNDEF && std::strcmp(tables.names + symbol.st_name, name) == 0;
}

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) {
    hash = hash * 33 + static_cast<unsigned char>(*name);
  }
  return hash;
}

/// The symbol's index; 0 if it does not exist.
std::uint32_t by_gnu_hash(const Tables& tables, const char* name) {
  const std::uint32_t* head = tables.gnu_hash;
  const std::uint32_t buckets = head[0];
  const std::uint32_t first = head[1];
  const std::uint32_t filter_words = head[2] * (sizeof(ElfW(Addr)) / 4);
  const std::uint32_t* bucket = head + 4 + filter_words;
  const std::uint32_t* chain = bucket + buckets;
  const std::uint32_t hash = gnu_hash(name);
  for (std::uint32_t index = bucket[hash % buckets]; index >= first && index != 0; ++index) {
    const std::uint32_t entry = chain[index - first];
    if ((entry | 1U) == (hash | 1U) && is(tables, index, name)) {
      return index;
    }
    if ((entry & 1U) != 0) {
      break;
    }
  }
  return 0;
}

std::uint32_t by_order(const Tables& tables, const char* name) {
  for (std::uint32_t index = 1; index < tables.hash[1]; ++index) {
    if (is(tables, index, name)) {
      return index;
    }
  }
  return 0;
}

}  // namespace

void* symbol_of(const link_map& object, const char* name) {
  const Tables tables = tables_of(object);
  std::uint32_t index = 0;
  if (tables.gnu_hash != nullptr) {
    index = by_gnu_hash(tables, name);
  } else if (tables.hash != nullptr) {
    index = by_order(tables, name);
  }
  return index == 0 ? nullptr
                    : reinterpret_cast<void*>(object.l_addr + tables.symbols[index].st_value);
}

}  // namespace halocline::profiler
