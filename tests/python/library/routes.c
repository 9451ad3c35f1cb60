/* Points that lie anywhere, routes from files, and relabelled layouts. */

#include <halocline.h>
#include <stdio.h>
#include <stdlib.h>

enum { nx = 12, ny = 9, nz = 2, points = nx * ny };

static int rank;
static int ranks;

static void check(int status) {
  if (status != halocline_ok) {
    fprintf(stderr, "%s\n", halocline_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void expect(int holds, const char* what) {
  if (!holds) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static int is_ocean(int64_t number) { return number % 5 != 3; }

/* The ocean's points, dealt to the ranks in turn. */
static halocline_layout ocean(int64_t* numbers, int64_t* count) {
  *count = 0;
  int64_t turn = 0;
  for (int64_t number = 0; number < points; ++number) {
    if (is_ocean(number) && turn++ % ranks == rank) {
      numbers[(*count)++] = number;
    }
  }
  const int64_t lower[2] = {0, 0};
  const int64_t upper[2] = {1, nz};
  halocline_layout layout;
  check(halocline_layout_create_points(*count, numbers, 2, lower, upper, &layout));
  return layout;
}

static halocline_layout stripes(int dimension, int first_rank) {
  halocline_dimension dimensions[3] = {
      {.upper = nx, .parts = 1}, {.upper = ny, .parts = 1}, {.upper = nz, .parts = 1}};
  dimensions[dimension].parts = ranks - first_rank;
  halocline_layout layout;
  check(halocline_layout_create(3, dimensions, first_rank, &layout));
  return layout;
}

static void run(halocline_route route, halocline_field* from, halocline_field* to) {
  halocline_redistribution redistribution;
  check(halocline_redistribution_create(route, MPI_COMM_WORLD, 1, 1, from, 1, to, NULL, NULL,
                                        &redistribution));
  check(halocline_redistribution_run(redistribution));
  check(halocline_redistribution_free(&redistribution));
}

/* Blocks to the ocean's points and back, by a route that was saved and loaded. */
static void ocean_and_back(void) {
  int64_t numbers[points];
  int64_t count;
  halocline_layout list = ocean(numbers, &count);
  halocline_layout blocks = stripes(0, 0);
  halocline_route made;
  expect(halocline_route_create_points(blocks, list, MPI_COMM_WORLD, 2, 0, &made) != halocline_ok,
         "land that no rank wants is refused");
  expect(halocline_route_create(blocks, list, MPI_COMM_WORLD, &made) != halocline_ok,
         "a list is refused where blocks are needed");
  check(halocline_route_create_points(blocks, list, MPI_COMM_WORLD, 2, 1, &made));
  check(halocline_route_save(made, MPI_COMM_WORLD, "ocean.route"));
  check(halocline_route_free(&made));
  halocline_route there;
  halocline_route back;
  check(halocline_route_load("ocean.route", MPI_COMM_WORLD, &there));
  check(halocline_route_reverse(there, &back));

  halocline_field field = {.type = halocline_integer4};
  check(halocline_layout_block(blocks, rank, 0, field.lower, field.upper));
  const int64_t width = field.upper[0] - field.lower[0];
  int32_t* values = calloc((size_t)(width * ny * nz), sizeof *values);
  int32_t* again = calloc((size_t)(width * ny * nz), sizeof *again);
  for (int64_t at = 0; at < width * ny * nz; ++at) {
    values[at] = (int32_t)(field.lower[0] + at % width + nx * (at / width));
  }
  field.data = values;
  halocline_field wet = {.type = halocline_integer4};
  check(halocline_layout_block(list, rank, 0, wet.lower, wet.upper));
  expect(wet.upper[0] == count && wet.upper[2] == nz, "the list's bounds");
  int32_t* wet_values = calloc((size_t)(count * nz + 1), sizeof *wet_values);
  wet.data = wet_values;
  run(there, &field, &wet);
  for (int64_t at = 0; at < count * nz; ++at) {
    expect(wet_values[at] == numbers[at % count] + points * (at / count), "a point of the ocean");
  }
  field.data = again;
  run(back, &wet, &field);
  for (int64_t at = 0; at < width * ny * nz; ++at) {
    expect(again[at] == (is_ocean(values[at] % points) ? values[at] : 0), "a point that came back");
  }

  halocline_description description;
  check(halocline_route_describe(there, MPI_COMM_WORLD, &description));
  int64_t wet_points = 0;
  for (int64_t number = 0; number < points; ++number) {
    wet_points += is_ocean(number);
  }
  expect(description.ranks == ranks && description.indices == wet_points * nz, "the description");
  expect((description.messages == 0) == (ranks == 1), "the description's messages");
  free(wet_values);
  free(again);
  free(values);
  check(halocline_route_free(&there));
  check(halocline_route_free(&back));
  check(halocline_layout_free(&list));
  check(halocline_layout_free(&blocks));
}

/* The same stripes on ranks in the opposite order: relabelled, nothing has to move. */
static void relabelled(void) {
  const halocline_dimension dimension = {.upper = 10 * ranks, .parts = ranks};
  int* opposite = malloc((size_t)ranks * sizeof *opposite);
  for (int part = 0; part < ranks; ++part) {
    opposite[part] = ranks - 1 - part;
  }
  halocline_layout source;
  halocline_layout destination;
  halocline_layout better;
  check(halocline_layout_create(1, &dimension, 0, &source));
  check(halocline_layout_create_owned(1, &dimension, ranks, opposite, &destination));
  int64_t before;
  int64_t after;
  check(halocline_layout_relabel(source, destination, &better, &before, &after));
  expect(before == 10 * (ranks - ranks % 2) && after == 0, "what relabelling saves");
  int* owners = malloc((size_t)ranks * sizeof *owners);
  check(halocline_layout_owners(better, ranks, owners));
  for (int part = 0; part < ranks; ++part) {
    expect(owners[part] == part, "who owns a relabelled block");
  }
  free(owners);
  expect(halocline_layout_owners(better, ranks + 1, opposite) != halocline_ok, "too many owners");
  halocline_route route;
  check(halocline_route_create(source, better, MPI_COMM_WORLD, &route));
  halocline_description description;
  check(halocline_route_describe(route, MPI_COMM_WORLD, &description));
  expect(description.indices_moved == 0, "what moves after relabelling");
  check(halocline_route_free(&route));
  check(halocline_layout_free(&better));
  check(halocline_layout_free(&destination));
  check(halocline_layout_free(&source));
  free(opposite);
}

static void wrong_files(void) {
  halocline_route route;
  expect(halocline_route_load("missing.route", MPI_COMM_WORLD, &route) != halocline_ok &&
             route == NULL,
         "a file that is not there");
  expect(halocline_route_load(rank == 0 ? "ocean.route" : NULL, MPI_COMM_WORLD, &route) ==
             (ranks == 1 ? halocline_ok : halocline_wrong),
         "a path that one rank has not");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ocean_and_back();
  relabelled();
  wrong_files();
  if (rank == 0) {
    printf("%d ranks: all is where it belongs\n", ranks);
  }
  MPI_Finalize();
  return 0;
}
