#include "profiler/fortran.hpp"

#include "profiler/function.hpp"
#include "profiler/lock.hpp"

namespace halocline::profiler {

Range fortran_code[ranges_maximum] = {};
int fortran_codes = 0;
thread_local Pending halocline_profiler_pending{};

namespace {
constexpr std::uint32_t stubs_maximum = 4096;
}

#if defined(__x86_64__)

extern "C" {
__attribute__((visibility("hidden"))) Word halocline_profiler_targets[stubs_maximum] = {};
__attribute__((visibility("hidden"))) extern const char halocline_profiler_stubs[];
}

// Each stub is 16 bytes long. r10, r11 and rax carry no argument of a Fortran procedure.
asm(R"(
  .text
  .hidden halocline_profiler_stubs
  .globl halocline_profiler_stubs
  .p2align 4
halocline_profiler_stubs:
  .set number, 0
  .rept 4096
  .p2align 4
  movl $number, %r11d
  jmp halocline_profiler_remember
  .set number, number + 1
  .endr
halocline_profiler_remember:
  movq halocline_profiler_pending@gottpoff(%rip), %rax
  movq (%rsp), %r10
  movq %r10, %fs:(%rax)
  movq %r11, %fs:8(%rax)
  leaq halocline_profiler_targets(%rip), %r10
  jmp *(%r10,%r11,8)
)");

namespace {

Lock lock;
std::uint32_t stubs_used = 1;  // 0 means none
int stub_functions[stubs_maximum];
constexpr Word stub_bytes = 16;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

bool same(std::string_view symbol, std::string_view name) {
  if (symbol.size() != name.size()) {
    return false;
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (lower(symbol[i]) != lower(name[i])) {
      return false;
    }
  }
  return true;
}

/// mpi_send_, MPI_SEND, mpi_send_f08ts_, mpi_send_f08ts_large_ …: the number of MPI_Send or of
/// MPI_Send_c.
int function_of(std::string_view symbol) {
  if (symbol.size() < 5 || !same(symbol.substr(0, 4), "mpi_")) {
    return -1;
  }
  symbol.remove_prefix(4);
  bool large = false;
  const auto drop = [&](std::string_view end) {
    const bool found = symbol.ends_with(end);
    symbol.remove_suffix(found ? end.size() : 0);
    return found;
  };
  while (drop("_")) {
  }
  large = drop("_large");
  if (!drop("_f08ts")) {
    drop("_f08");
  }
  large = drop("_c") || large;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::string_view name = functions[i].name;
    const std::string_view small = name.substr(0, name.size() - (large ? 2 : 0));
    if (name.ends_with("_c") == large && same(symbol, small)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

bool take_fortran_site(std::uint32_t function, Word& site) {
  Pending& pending = halocline_profiler_pending;
  const int called = pending.stub == 0 ? -1 : stub_functions[pending.stub];
  if (called < 0) {
    return false;
  }
  const std::string_view wanted = functions[static_cast<std::size_t>(called)].name;
  const std::string_view now = functions[function].name;
  // Old interfaces may be implemented by the large-count function, and vice versa.
  if (now != wanted && !(now.ends_with("_c") && now.substr(0, now.size() - 2) == wanted) &&
      !(wanted.ends_with("_c") && wanted.substr(0, wanted.size() - 2) == now)) {
    return false;
  }
  site = pending.site;
  pending.stub = 0;
  return true;
}

Word stub_of(std::string_view symbol, Word target) {
  const int function = function_of(symbol);
  const Guard guard(lock);
  for (std::uint32_t i = 1; i < stubs_used; ++i) {
    if (halocline_profiler_targets[i] == target) {
      return reinterpret_cast<Word>(halocline_profiler_stubs) + i * stub_bytes;
    }
  }
  if (function < 0 || stubs_used == stubs_maximum) {
    return target;
  }
  const std::uint32_t stub = stubs_used++;
  stub_functions[stub] = function;
  halocline_profiler_targets[stub] = target;
  return reinterpret_cast<Word>(halocline_profiler_stubs) + stub * stub_bytes;
}

#else  // counts every call of the library, at its place in the Fortran library

bool take_fortran_site(std::uint32_t /*function*/, Word& /*site*/) { return true; }
Word stub_of(std::string_view /*symbol*/, Word target) { return target; }

#endif

}  // namespace halocline::profiler
