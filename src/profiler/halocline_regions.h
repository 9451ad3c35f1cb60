/* Names parts of an MPI program for its profile: `halocline profile -- mpiexec -n 4 ./model`.

   Nothing needs to be linked, and without a profiler these do nothing. They are calls of
   MPI_Pcontrol, which other profilers understand as well. Regions may lie within one another; a
   thread's regions are its own. */
#ifndef HALOCLINE_REGIONS_H
#define HALOCLINE_REGIONS_H

#include <mpi.h>

static inline void halocline_region_begin(const char* name) { (void)MPI_Pcontrol(1, name); }

static inline void halocline_region_end(const char* name) { (void)MPI_Pcontrol(-1, name); }

#endif
