/* Ghost cells of an ocean: several blocks a rank, one of land, periodic along x, folded in the
 * north. */

#include <halocline.h>
#include <stdio.h>
#include <stdlib.h>

enum { nx = 12, ny = 9, nz = 2, width = 2, parts_x = 4, parts_y = 3, blocks = parts_x * parts_y };
enum { block_x = nx / parts_x, block_y = ny / parts_y, land = 5, untouched = -1 };
enum { full_x = block_x + 2 * width, full_y = block_y + 2 * width, full = full_x * full_y };

static int rank;
static int ranks;

static void check(int status) {
  if (status != halocline_ok) {
    fprintf(stderr, "%s\n", halocline_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* What a cell of a block's array holds after the update. */
static int expected(int i, int j, int k) {
  if (j < 0) {
    return untouched;
  }
  if (j >= ny) {
    j = 2 * ny - 1 - j;
    i = nx - 1 - i;
  }
  i = (i + nx) % nx;
  return i / block_x + parts_x * (j / block_y) == land ? untouched : i + 100 * j + 10000 * k;
}

static int owner(int block) { return block == land ? HALOCLINE_NOBODY : block % ranks; }

/* The surface and the levels of a block, side by side in memory. */
static halocline_field field(double* values, int block, int levels) {
  const int64_t i = block % parts_x * block_x;
  const int64_t j = block / parts_x * block_y;
  const halocline_field ghosted = {.data = values,
                                   .type = halocline_real8,
                                   .lower = {i - width, j - width, 0, 0},
                                   .upper = {i + block_x + width, j + block_y + width, levels, 1}};
  return ghosted;
}

static void visit(const halocline_field* ghosted, int fill) {
  double* value = ghosted->data;
  for (int k = 0; k < (int)ghosted->upper[2]; ++k) {
    for (int j = (int)ghosted->lower[1]; j < (int)ghosted->upper[1]; ++j) {
      for (int i = (int)ghosted->lower[0]; i < (int)ghosted->upper[0]; ++i, ++value) {
        const int inside =
            i >= (int)ghosted->lower[0] + width && i < (int)ghosted->upper[0] - width &&
            j >= (int)ghosted->lower[1] + width && j < (int)ghosted->upper[1] - width;
        if (fill) {
          *value = inside ? i + 100 * j + 10000 * k : untouched;
        } else if (*value != expected(i, j, k)) {
          fprintf(stderr, "rank %d: %g at %d, %d, %d\n", rank, *value, i, j, k);
          MPI_Abort(MPI_COMM_WORLD, 1);
        }
      }
    }
  }
}

static void update(halocline_route route, const halocline_way* way, int in_memory) {
  halocline_field fields[2 * blocks];
  int own = 0;
  for (int block = 0; block < blocks; ++block) {
    own += owner(block) == rank;
  }
  const size_t bytes = (size_t)(own * full * (1 + nz)) * sizeof(double);
  halocline_memory memory = NULL;
  double* const heap = in_memory ? NULL : malloc(bytes + 1);
  double* next = heap;
  if (in_memory) {
    void* address;
    check(halocline_memory_create(MPI_COMM_WORLD, bytes, &memory));
    check(halocline_memory_address(memory, &address));
    next = address;
  }
  halocline_field* each = fields;
  for (int block = 0; block < blocks; ++block) {
    if (owner(block) == rank) {
      *each++ = field(next, block, 1);
      *each++ = field(next + full, block, nz);
      next += full * (1 + nz);
    }
  }
  halocline_redistribution halo;
  check(halocline_redistribution_create(route, MPI_COMM_WORLD, 2, own, fields, own, fields, way,
                                        memory, &halo));
  for (int round = 0; round < 2; ++round) {
    for (int at = 0; at < 2 * own; ++at) {
      visit(&fields[at], 1);
    }
    check(halocline_redistribution_start(halo));
    check(halocline_redistribution_finish(halo));
    for (int at = 0; at < 2 * own; ++at) {
      visit(&fields[at], 0);
    }
  }
  check(halocline_redistribution_free(&halo));
  if (in_memory) {
    check(halocline_memory_free(&memory));
  }
  free(heap);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const halocline_dimension dimensions[2] = {{.upper = nx, .parts = parts_x},
                                             {.upper = ny, .parts = parts_y}};
  int owners[blocks];
  for (int block = 0; block < blocks; ++block) {
    owners[block] = owner(block);
  }
  halocline_layout layout;
  check(halocline_layout_create_owned(2, dimensions, blocks, owners, &layout));
  const halocline_halo ghosts = {
      .below = {width, width}, .above = {width, width}, .periodic = {1, 0}, .folded = 1};
  halocline_route made;
  halocline_route route;
  check(halocline_route_create_halo(layout, &ghosts, MPI_COMM_WORLD, &made));
  check(halocline_layout_free(&layout));
  check(halocline_route_save(made, MPI_COMM_WORLD, "halos.route"));
  check(halocline_route_load("halos.route", MPI_COMM_WORLD, &route));
  check(halocline_route_free(&made));
  const halocline_way typed = {.protocol = "isend_irecv_type", .messages_only = 1};
  const halocline_way persistent = {.protocol = "persistent", .messages_only = 1};
  update(route, NULL, 0);
  update(route, NULL, 1);
  update(route, &typed, 0);
  update(route, &persistent, 1);
  check(halocline_route_free(&route));
  if (rank == 0) {
    printf("%d ranks: all is where it belongs\n", ranks);
  }
  MPI_Finalize();
  return 0;
}
