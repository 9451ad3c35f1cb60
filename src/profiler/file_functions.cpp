/// Wrappers of the C library's functions that read and write files. Its streams write by calls
/// within the library, which the linker does not bind: their bytes are counted when the program
/// passes or takes them, not when a buffer is full.

#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "profiler/files.hpp"
#include "profiler/symbols.hpp"

namespace halocline::profiler {
namespace {

template <std::size_t Length>
struct Name {
  char text[Length];
  constexpr Name(const char (&from)[Length]) {
    for (std::size_t i = 0; i < Length; ++i) {
      text[i] = from[i];
    }
  }
};

/// The address of the C library's own function.
template <Name N>
inline void* real = nullptr;

/// A call whose file only the wrapper knows.
class Noted {
 public:
  Noted(int descriptor, Operation operation) : file_(file_of(descriptor)), operation_(operation) {
    if (file_ != no_file) {
      enter_ = ticks();
    }
  }
  explicit operator bool() const { return file_ != no_file; }
  void done(std::uint64_t bytes) const {
    if (file_ != no_file) {
      note_file(file_, operation_, enter_, ticks(), bytes);
    }
  }

 private:
  FileNumber file_;
  Operation operation_;
  std::uint64_t enter_ = 0;
};

constexpr bool moves(Operation operation) {
  return operation == Operation::read || operation == Operation::write;
}

template <Name N, Operation O, class Result, class... Rest>
Result on_descriptor(int descriptor, Rest... rest) {
  const Noted noted(descriptor, O);
  const Result result = reinterpret_cast<Result (*)(int, Rest...)>(real<N>)(descriptor, rest...);
  if (result >= 0) {
    noted.done(moves(O) ? static_cast<std::uint64_t>(result) : 0);
  }
  return result;
}

void note_open(int descriptor, std::uint64_t enter) {
  const std::uint64_t leave = ticks();
  forget_descriptor(descriptor);
  if (const FileNumber file = file_of(descriptor); file != no_file) {
    note_file(file, Operation::open, enter, leave, 0);
  }
}

/// Passes a mode on whether or not the caller gave one: an unread extra word does no harm.
template <Name N, class... Arguments>
int opening(Arguments... arguments) {
  const std::uint64_t enter = ticks();
  const int made = reinterpret_cast<int (*)(Arguments...)>(real<N>)(arguments...);
  if (made >= 0) {
    note_open(made, enter);
  }
  return made;
}

template <Name N, class... Arguments>
FILE* opening_stream(Arguments... arguments) {
  const std::uint64_t enter = ticks();
  FILE* made = reinterpret_cast<FILE* (*)(Arguments...)>(real<N>)(arguments...);
  if (made != nullptr) {
    note_open(made->_fileno, enter);
  }
  return made;
}

/// Closes one file and opens another within the library, often with the same descriptor.
template <Name N>
FILE* reopening(const char* path, const char* mode, FILE* stream) {
  const Noted closed(stream->_fileno, Operation::close);
  forget_descriptor(stream->_fileno);
  const std::uint64_t enter = ticks();
  FILE* made =
      reinterpret_cast<FILE* (*)(const char*, const char*, FILE*)>(real<N>)(path, mode, stream);
  closed.done(0);
  if (made != nullptr) {
    note_open(made->_fileno, enter);
  }
  return made;
}

template <Name N>
int closing(int descriptor) {
  const Noted noted(descriptor, Operation::close);
  forget_descriptor(descriptor);
  const int result = reinterpret_cast<int (*)(int)>(real<N>)(descriptor);
  noted.done(0);
  return result;
}

template <Name N>
int closing_stream(FILE* stream) {
  const Noted noted(stream->_fileno, Operation::close);
  forget_descriptor(stream->_fileno);
  const int result = reinterpret_cast<int (*)(FILE*)>(real<N>)(stream);
  noted.done(0);
  return result;
}

/// Returns a descriptor with a new meaning.
template <Name N, class... Rest>
int doubling(int descriptor, Rest... rest) {
  const int made = reinterpret_cast<int (*)(int, Rest...)>(real<N>)(descriptor, rest...);
  forget_descriptor(made);
  return made;
}

template <Name N, Operation O, class... Rest>
std::size_t on_items(void* items, std::size_t size, std::size_t number, FILE* stream) {
  const Noted noted(stream->_fileno, O);
  using Real = std::size_t (*)(void*, std::size_t, std::size_t, FILE*);
  const std::size_t moved = reinterpret_cast<Real>(real<N>)(items, size, number, stream);
  noted.done(moved * size);
  return moved;
}

/// As on_items, for a caller that passes the buffer size.
template <Name N>
std::size_t on_items_checked(void* items, std::size_t room, std::size_t size, std::size_t number,
                             FILE* stream) {
  const Noted noted(stream->_fileno, Operation::read);
  using Real = std::size_t (*)(void*, std::size_t, std::size_t, std::size_t, FILE*);
  const std::size_t moved = reinterpret_cast<Real>(real<N>)(items, room, size, number, stream);
  noted.done(moved * size);
  return moved;
}

template <Name N>
int put_text(const char* text, FILE* stream) {
  const Noted noted(stream->_fileno, Operation::write);
  const int result = reinterpret_cast<int (*)(const char*, FILE*)>(real<N>)(text, stream);
  if (noted && result >= 0) {
    noted.done(std::strlen(text));
  }
  return result;
}

template <Name N>
int put_letter(int letter, FILE* stream) {
  const Noted noted(stream->_fileno, Operation::write);
  const int result = reinterpret_cast<int (*)(int, FILE*)>(real<N>)(letter, stream);
  if (result != EOF) {
    noted.done(1);
  }
  return result;
}

template <Name N>
int get_letter(FILE* stream) {
  const Noted noted(stream->_fileno, Operation::read);
  const int result = reinterpret_cast<int (*)(FILE*)>(real<N>)(stream);
  if (result != EOF) {
    noted.done(1);
  }
  return result;
}

template <Name N, class... Rooms>
char* get_text(char* text, Rooms... rooms, FILE* stream) {
  const Noted noted(stream->_fileno, Operation::read);
  char* result =
      reinterpret_cast<char* (*)(char*, Rooms..., FILE*)>(real<N>)(text, rooms..., stream);
  if (noted && result != nullptr) {
    noted.done(std::strlen(result));
  }
  return result;
}

template <Name N, class... Ends>
ssize_t get_line(char** text, std::size_t* room, Ends... ends, FILE* stream) {
  const Noted noted(stream->_fileno, Operation::read);
  using Real = ssize_t (*)(char**, std::size_t*, Ends..., FILE*);
  const ssize_t result = reinterpret_cast<Real>(real<N>)(text, room, ends..., stream);
  if (result >= 0) {
    noted.done(static_cast<std::uint64_t>(result));
  }
  return result;
}

template <Name N, Operation O, class... Rest>
int on_stream(FILE* stream, Rest... rest) {
  const Noted noted(stream == nullptr ? -1 : stream->_fileno, O);
  const int result = reinterpret_cast<int (*)(FILE*, Rest...)>(real<N>)(stream, rest...);
  if (result == 0) {
    noted.done(0);
  }
  return result;
}

template <Name N>
int print_list(FILE* stream, const char* format, std::va_list list) {
  const Noted noted(stream->_fileno, Operation::write);
  using Real = int (*)(FILE*, const char*, std::va_list);
  const int result = reinterpret_cast<Real>(real<N>)(stream, format, list);
  if (result >= 0) {
    noted.done(static_cast<std::uint64_t>(result));
  }
  return result;
}

template <Name N>
int print_list_checked(FILE* stream, int flag, const char* format, std::va_list list) {
  const Noted noted(stream->_fileno, Operation::write);
  using Real = int (*)(FILE*, int, const char*, std::va_list);
  const int result = reinterpret_cast<Real>(real<N>)(stream, flag, format, list);
  if (result >= 0) {
    noted.done(static_cast<std::uint64_t>(result));
  }
  return result;
}

int print(FILE* stream, const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  const int result = print_list<"vfprintf">(stream, format, list);
  va_end(list);
  return result;
}

int print_checked(FILE* stream, int flag, const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  const int result = print_list_checked<"__vfprintf_chk">(stream, flag, format, list);
  va_end(list);
  return result;
}

/// How far it reads is known only from the stream's positions before and after.
template <Name N>
int scan_list(FILE* stream, const char* format, std::va_list list) {
  const auto place = reinterpret_cast<off64_t (*)(FILE*)>(real<"ftello64">);
  const Noted noted(stream->_fileno, Operation::read);
  const off64_t before = noted ? place(stream) : 0;
  using Real = int (*)(FILE*, const char*, std::va_list);
  const int result = reinterpret_cast<Real>(real<N>)(stream, format, list);
  if (noted) {
    const off64_t after = place(stream);
    noted.done(after > before && before >= 0 ? static_cast<std::uint64_t>(after - before) : 0);
  }
  return result;
}

template <Name N>
int scan(FILE* stream, const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  const int result = scan_list<N>(stream, format, list);
  va_end(list);
  return result;
}

struct FileFunction {
  std::string_view name;
  void* wrapper;
  void** real;
  const char* forward;  // the function to call instead
};

template <Name N, class Wrapper>
FileFunction entry(Wrapper* wrapper) {
  return {N.text, reinterpret_cast<void*>(wrapper), &real<N>, N.text};
}

template <Name N, Name Forward, class Wrapper>
FileFunction entry_by(Wrapper* wrapper) {
  return {N.text, reinterpret_cast<void*>(wrapper), &real<Forward>, Forward.text};
}

constexpr auto in = Operation::read;
constexpr auto out = Operation::write;
constexpr auto seek = Operation::seek;
constexpr auto sync = Operation::sync;
using Size = std::size_t;
using Piece = const iovec*;

#define AT(name, operation, ...) entry<name>(on_descriptor<name, operation, ssize_t, __VA_ARGS__>)
const auto wrapped = std::to_array<FileFunction>({
    AT("read", in, void*, Size),
    AT("__read_chk", in, void*, Size, Size),
    AT("pread", in, void*, Size, off64_t),
    AT("pread64", in, void*, Size, off64_t),
    AT("__pread_chk", in, void*, Size, off64_t, Size),
    AT("__pread64_chk", in, void*, Size, off64_t, Size),
    AT("readv", in, Piece, int),
    AT("preadv", in, Piece, int, off64_t),
    AT("preadv64", in, Piece, int, off64_t),
    AT("preadv2", in, Piece, int, off64_t, int),
    AT("preadv64v2", in, Piece, int, off64_t, int),
    AT("write", out, const void*, Size),
    AT("pwrite", out, const void*, Size, off64_t),
    AT("pwrite64", out, const void*, Size, off64_t),
    AT("writev", out, Piece, int),
    AT("pwritev", out, Piece, int, off64_t),
    AT("pwritev64", out, Piece, int, off64_t),
    AT("pwritev2", out, Piece, int, off64_t, int),
    AT("pwritev64v2", out, Piece, int, off64_t, int),
    AT("lseek", seek, off64_t, int),
    AT("lseek64", seek, off64_t, int),
    entry<"fsync">(on_descriptor<"fsync", sync, int>),
    entry<"fdatasync">(on_descriptor<"fdatasync", sync, int>),
    entry<"open">(opening<"open", const char*, int, mode_t>),
    entry<"open64">(opening<"open64", const char*, int, mode_t>),
    entry<"__open_2">(opening<"__open_2", const char*, int>),
    entry<"__open64_2">(opening<"__open64_2", const char*, int>),
    entry<"openat">(opening<"openat", int, const char*, int, mode_t>),
    entry<"openat64">(opening<"openat64", int, const char*, int, mode_t>),
    entry<"__openat_2">(opening<"__openat_2", int, const char*, int>),
    entry<"__openat64_2">(opening<"__openat64_2", int, const char*, int>),
    entry<"creat">(opening<"creat", const char*, mode_t>),
    entry<"creat64">(opening<"creat64", const char*, mode_t>),
    entry<"mkstemp">(opening<"mkstemp", char*>),
    entry<"mkstemp64">(opening<"mkstemp64", char*>),
    entry<"close">(closing<"close">),
    entry<"dup">(doubling<"dup">),
    entry<"dup2">(doubling<"dup2", int>),
    entry<"dup3">(doubling<"dup3", int, int>),
    entry<"fopen">(opening_stream<"fopen", const char*, const char*>),
    entry<"fopen64">(opening_stream<"fopen64", const char*, const char*>),
    entry<"freopen">(reopening<"freopen">),
    entry<"freopen64">(reopening<"freopen64">),
    entry<"tmpfile">(opening_stream<"tmpfile">),
    entry<"tmpfile64">(opening_stream<"tmpfile64">),
    entry<"fclose">(closing_stream<"fclose">),
    entry<"fread">(on_items<"fread", in>),
    entry<"fread_unlocked">(on_items<"fread_unlocked", in>),
    entry<"__fread_chk">(on_items_checked<"__fread_chk">),
    entry<"__fread_unlocked_chk">(on_items_checked<"__fread_unlocked_chk">),
    entry<"fwrite">(on_items<"fwrite", out>),
    entry<"fwrite_unlocked">(on_items<"fwrite_unlocked", out>),
    entry<"fputs">(put_text<"fputs">),
    entry<"fputs_unlocked">(put_text<"fputs_unlocked">),
    entry<"fputc">(put_letter<"fputc">),
    entry<"putc">(put_letter<"putc">),
    entry<"_IO_putc">(put_letter<"_IO_putc">),
    entry<"fgetc">(get_letter<"fgetc">),
    entry<"getc">(get_letter<"getc">),
    entry<"_IO_getc">(get_letter<"_IO_getc">),
    entry<"fgets">(get_text<"fgets", int>),
    entry<"fgets_unlocked">(get_text<"fgets_unlocked", int>),
    entry<"__fgets_chk">(get_text<"__fgets_chk", Size, int>),
    entry<"__fgets_unlocked_chk">(get_text<"__fgets_unlocked_chk", Size, int>),
    entry<"getline">(get_line<"getline">),
    entry<"__getdelim">(get_line<"__getdelim", int>),
    entry<"getdelim">(get_line<"getdelim", int>),
    entry<"fflush">(on_stream<"fflush", sync>),
    entry<"fseek">(on_stream<"fseek", seek, long, int>),
    entry<"fseeko">(on_stream<"fseeko", seek, off64_t, int>),
    entry<"fseeko64">(on_stream<"fseeko64", seek, off64_t, int>),
    entry<"vfprintf">(print_list<"vfprintf">),
    entry<"__vfprintf_chk">(print_list_checked<"__vfprintf_chk">),
    entry_by<"fprintf", "vfprintf">(print),
    entry_by<"__fprintf_chk", "__vfprintf_chk">(print_checked),
    entry<"vfscanf">(scan_list<"vfscanf">),
    entry<"__isoc99_vfscanf">(scan_list<"__isoc99_vfscanf">),
    entry<"__isoc23_vfscanf">(scan_list<"__isoc23_vfscanf">),
    entry_by<"fscanf", "vfscanf">(scan<"vfscanf">),
    entry_by<"__isoc99_fscanf", "__isoc99_vfscanf">(scan<"__isoc99_vfscanf">),
    entry_by<"__isoc23_fscanf", "__isoc23_vfscanf">(scan<"__isoc23_vfscanf">),
});
#undef AT

}  // namespace

Word bind_file_function(std::string_view symbol, Word target, const link_map& library) {
  for (const FileFunction& function : wrapped) {
    if (function.name != symbol) {
      continue;
    }
    if (*function.real == nullptr) {
      *function.real = function.forward == symbol ? reinterpret_cast<void*>(target)
                                                  : symbol_of(library, function.forward);
    }
    if (real<"ftello64"> == nullptr) {
      real<"ftello64"> = symbol_of(library, "ftello64");
    }
    return *function.real == nullptr ? target : reinterpret_cast<Word>(function.wrapper);
  }
  return target;
}

}  // namespace halocline::profiler
