#include "halocline/workload/micro/one_sided.hpp"

namespace halocline::workload {

extern const Workload get;

const Workload get = one_sided_workload<Direction::get>(
    "get",
    "unidirectional: one rank of each pair gets from the other's window, completion included");

}  // namespace halocline::workload
