#include "halocline/numerics/openblas.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

constexpr const char* system_library = "libopenblas.so.0";
// The Python package scipy-openblas32 prefixes all its functions; other builds do not.
constexpr std::array<std::string_view, 2> prefixes{"scipy_", ""};

// CBLAS constants.
constexpr int row_major = 101;
constexpr int not_transposed = 111;

void* function(void* library, std::string_view name) {
  for (const std::string_view prefix : prefixes) {
    const std::string full_name = std::string{prefix} + std::string{name};
    if (void* const found = dlsym(library, full_name.c_str())) {
      return found;
    }
  }
  throw Error("the OpenBLAS found has no function " + std::string{name} +
              "; install another: pip install scipy-openblas32");
}

/// Never unloads: the memory of its threads cannot be freed safely.
void* load(const std::string& file) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);  // before it starts one thread per core
  const char* const name = file.empty() ? system_library : file.c_str();
  if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    return library;
  }
  throw Error("no OpenBLAS: " + std::string{dlerror()} +
              "; install it: pip install scipy-openblas32");
}

}  // namespace

OpenBlas::OpenBlas(const std::string& file) {
  void* const library = load(file);
  product_ = reinterpret_cast<Product>(function(library, "cblas_dgemm"));
  using SetThreads = void (*)(int);
  reinterpret_cast<SetThreads>(function(library, "openblas_set_num_threads"))(1);
}

void OpenBlas::multiply(std::span<const double> left, std::span<const double> right,
                        std::span<double> product, int n) const {
  product_(row_major, not_transposed, not_transposed, n, n, n, 1.0, left.data(), n, right.data(), n,
           0.0, product.data(), n);
}

}  // namespace halocline::numerics
