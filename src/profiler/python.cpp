#include "profiler/python.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

#include "profiler/lock.hpp"
#include "profiler/symbols.hpp"

namespace halocline::profiler {

PythonCode python_code{};

namespace {

constexpr std::uint32_t places = 1U << 14U;
constexpr std::uint32_t most_places = places / 2;

/// The part of Python's C interface that all versions since 3.9 have.
struct {
  void* (*save_thread)();
  void* (*state_of_thread)();  // null for a thread that Python does not know
  void* (*state)();            // of the thread that may access objects
  void* (*frame)();
  void* (*code)(void* frame);
  void* (*back)(void* frame);
  int (*instruction)(void* frame);  // since 3.11; a line before that
  int (*line)(void* frame);
  void* (*attribute)(void* object, const char* name);
  const char* (*text)(void* object);
  void (*keep)(void* object);
  void (*release)(void* object);
  void (*clear_error)();
} python;

/// Of this process: cleared in a forked child.
struct Known {
  std::uint32_t used;
  std::atomic<Word> sites[places];
};
Known* known;
Lock lock;

constinit thread_local Word pending __attribute__((tls_model("initial-exec"))) = 0;

/// Whether this thread may access Python objects.
bool attached() {
  void* const own = python.state_of_thread();
  return own != nullptr && own == python.state();
}

Word key_of(void* code, int instruction) {
  const Word mixed =
      (reinterpret_cast<Word>(code) + static_cast<Word>(instruction)) * 0x9E3779B97F4A7C15U;
  return mixed | Word{1} << 63U;  // no address of a program has that bit
}

std::atomic<Word>& place_of(Word site) {
  auto at = static_cast<std::uint32_t>(site >> 40U) % places;
  while (true) {
    const Word there = known->sites[at].load(std::memory_order_acquire);
    if (there == site || there == 0) {
      return known->sites[at];
    }
    at = (at + 1) % places;
  }
}

/// A text attribute; empty if missing.
template <std::size_t Room>
std::string_view read(void* object, const char* name, char (&into)[Room]) {
  void* const value = python.attribute(object, name);
  const char* const text = value == nullptr ? nullptr : python.text(value);
  std::size_t length = 0;
  if (text == nullptr) {
    python.clear_error();
  } else {
    length = std::min(std::strlen(text), Room);
    std::memcpy(into, text, length);
  }
  if (value != nullptr) {
    python.release(value);
  }
  return {into, length};
}

/// Code that imports a module is no place in the program: its caller is. Takes ownership of the
/// references.
void record(Word site, void* frame, void* code) {
  char file[2048];
  char function[256];
  std::string_view path = read(code, "co_filename", file);
  while (path.starts_with("<frozen importlib")) {
    void* const before = python.back(frame);
    if (before == nullptr) {
      break;
    }
    python.release(frame);
    python.release(code);
    frame = before;
    code = python.code(frame);
    path = read(code, "co_filename", file);
  }
  const std::string_view name = read(code, "co_name", function);
  const auto bytes = static_cast<std::uint32_t>(path.size() + 1 + name.size());
  const Record made{RecordKind::python, bytes, site, static_cast<std::uint32_t>(python.line(frame)),
                    0};
  if (char* place = append_record(made)) {
    place = std::copy(path.begin(), path.end(), place);
    *place++ = '\0';
    std::copy(name.begin(), name.end(), place);
    close_record(made);
  }
  python.release(frame);
  python.release(code);
}

/// For a thread that may access objects; 0 if there is no frame, or no room.
Word look() {
  void* const frame = python.frame();
  if (frame == nullptr || thread() == nullptr) {
    return 0;
  }
  if (known == nullptr) {
    const Guard guard(lock);
    if (known == nullptr) {
      known = static_cast<Known*>(map_private(sizeof(Known), true));
    }
    if (known == nullptr) {
      return 0;
    }
  }
  void* const code = python.code(frame);
  const Word site = key_of(code, python.instruction(frame));
  if (place_of(site).load(std::memory_order_acquire) != site) {
    const Guard guard(lock);
    std::atomic<Word>& place = place_of(site);
    if (place.load(std::memory_order_relaxed) != site && known->used < most_places) {
      python.keep(frame);
      python.keep(code);
      record(site, frame, code);
      place.store(site, std::memory_order_release);
      ++known->used;
    }
  }
  python.release(code);
  return known->used < most_places || place_of(site).load(std::memory_order_acquire) == site ? site
                                                                                             : 0;
}

void* save_thread() {
  pending = attached() ? look() : 0;
  return python.save_thread();
}

template <class Signature>
bool look_up(const link_map& library, Signature*& function, const char* name) {
  function = reinterpret_cast<Signature*>(symbol_of(library, name));
  return function != nullptr;
}

bool learn(const link_map& library) {
  if (!look_up(library, python.state, "PyThreadState_GetUnchecked") &&
      !look_up(library, python.state, "_PyThreadState_UncheckedGet")) {
    return false;
  }
  if (!look_up(library, python.instruction, "PyFrame_GetLasti")) {
    look_up(library, python.instruction, "PyFrame_GetLineNumber");
  }
  return look_up(library, python.state_of_thread, "PyGILState_GetThisThreadState") &&
         look_up(library, python.frame, "PyEval_GetFrame") &&
         look_up(library, python.code, "PyFrame_GetCode") &&
         look_up(library, python.back, "PyFrame_GetBack") &&
         look_up(library, python.line, "PyFrame_GetLineNumber") &&
         look_up(library, python.attribute, "PyObject_GetAttrString") &&
         look_up(library, python.text, "PyUnicode_AsUTF8") &&
         look_up(library, python.keep, "Py_IncRef") &&
         look_up(library, python.release, "Py_DecRef") &&
         look_up(library, python.clear_error, "PyErr_Clear");
}

/// From its first loaded part to the end of its last one.
PythonCode code_of(const link_map& object) {
  const auto* file = reinterpret_cast<const ElfW(Ehdr)*>(object.l_addr);
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(object.l_addr + file->e_phoff);
  PythonCode code{object.l_addr, object.l_addr};
  for (std::size_t i = 0; i < file->e_phnum; ++i) {
    if (headers[i].p_type == PT_LOAD) {
      code.end = std::max(code.end, object.l_addr + headers[i].p_vaddr + headers[i].p_memsz);
    }
  }
  return code;
}

}  // namespace

Word python_site(Word site) {
  const Word found = attached() ? look() : pending;
  return found == 0 ? site : found;
}

Word bind_python(const link_map& from, const link_map& python_library, Word target) {
  if (std::strstr(from.l_name, "/mpi4py/MPI") == nullptr || !learn(python_library)) {
    return target;
  }
  python.save_thread = reinterpret_cast<void* (*)()>(target);
  python_code = code_of(from);
  return reinterpret_cast<Word>(&save_thread);
}

}  // namespace halocline::profiler
