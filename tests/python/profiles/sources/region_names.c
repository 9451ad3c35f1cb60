/* Regions with names of all kinds, and one within itself 20 times: in 15 places, as an outer one
   has the first of 16. */
#include "halocline_regions.h"

enum { DEEP = 20, SKIPPED = 5 };

static void sum(void) {
  double value = 1, all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void region(const char* name) {
  halocline_region_begin(name);
  sum();
  halocline_region_end(name);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  region("W\xc3\xa4rme \xe6\xb5\xb7 \xf0\x9f\x8c\x8a"); /* UTF-8 of two, three and four bytes */
  region("W\xe4rme");                                   /* not UTF-8 */
  region("cut \xe6\xb5");
  region("sixty-three bytes are the longest name that a region may have..");
  region("sixty-four bytes are one more than a region's name may ever have");
  halocline_region_begin("outer");
  for (int i = 0; i < DEEP; ++i)
    halocline_region_begin("deep");
  for (int i = 0; i < SKIPPED; ++i)
    halocline_region_end("deep");
  sum();
  for (int i = SKIPPED; i < DEEP; ++i)
    halocline_region_end("deep");
  sum();
  halocline_region_end("outer");
  MPI_Finalize();
  return 0;
}
