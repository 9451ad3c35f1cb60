#include "halocline/driver/options.hpp"

#include <charconv>
#include <map>
#include <string_view>

#include "halocline/base/error.hpp"

namespace halocline::driver {
namespace {

constexpr std::string_view usage =
    "use --catalogue, or --cases FILE --output FILE --label NAME --launch N [--half-width X] "
    "[--case-seconds X] [--stall-seconds N] [--pages base|huge] [--path proven|recorded] "
    "[--verify-only] [--openblas FILE]";
