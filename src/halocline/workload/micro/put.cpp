#include "halocline/workload/micro/one_sided.hpp"

namespace halocline::workload {

extern const Workload put;

const Workload put = one_sided_workload<Direction::put>(
    "put",
    "unidirectional: one rank of each pair puts into the other's window, completion included");

}  // namespace halocline::workload
