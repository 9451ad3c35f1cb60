/* What a program may do wrong, on 2 ranks. Each rank writes its error messages into a file of its
 * own, for launchers mix lines: "NAME refused: MESSAGE". */

#include <halocline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static FILE* messages;

static void report(const char* name, int status) {
  fprintf(messages, "%s %s: %s\n", name, status == halocline_ok ? "done" : "refused",
          status == halocline_ok ? "" : halocline_error_message());
}

static halocline_layout line(int64_t extent, int parts, int first_rank) {
  const halocline_dimension dimension = {.upper = extent, .parts = parts};
  halocline_layout layout = NULL;
  if (halocline_layout_create(1, &dimension, first_rank, &layout) != halocline_ok) {
    report("setup", halocline_wrong);
  }
  return layout;
}

static void wrong_layouts(void) {
  halocline_layout layout = NULL;
  const int64_t backwards[3] = {0, 7, 5};
  const halocline_dimension cut_backwards = {.parts = 2, .points = backwards};
  report("cut points out of order", halocline_layout_create(1, &cut_backwards, 0, &layout));
  const halocline_dimension none = {.upper = 8, .parts = 0};
  report("no parts", halocline_layout_create(1, &none, 0, &layout));
  report("five dimensions", halocline_layout_create(5, &none, 0, &layout));
  report("no dimensions given", halocline_layout_create(1, NULL, 0, &layout));
  const halocline_dimension two = {.upper = 8, .parts = 2};
  report("nowhere to put it", halocline_layout_create(1, &two, 0, NULL));
  const int64_t far = 5000000000000000000;
  const halocline_dimension long_one = {.lower = -far, .upper = far, .parts = 2};
  report("bounds too far apart", halocline_layout_create(1, &long_one, 0, &layout));
  const int64_t far_points[3] = {-far, 0, far};
  const halocline_dimension cut_far = {.parts = 2, .points = far_points};
  report("points too far apart", halocline_layout_create(1, &cut_far, 0, &layout));
  const halocline_dimension large[2] = {{.upper = INT64_C(1) << 32, .parts = 2},
                                        {.upper = INT64_C(1) << 32, .parts = 1}};
  report("grid too large", halocline_layout_create(2, large, 0, &layout));
  const int owners[2] = {0, -2};
  const int nobody[2] = {HALOCLINE_NOBODY, HALOCLINE_NOBODY};
  report("negative owner", halocline_layout_create_owned(1, &two, 2, owners, &layout));
  report("nobody owns anything", halocline_layout_create_owned(1, &two, 2, nobody, &layout));
  report("an owner too few", halocline_layout_create_owned(1, &two, 1, owners, &layout));
  layout = line(8, 2, 0);
  int64_t bounds[HALOCLINE_DIMENSIONS];
  report("block that is not", halocline_layout_block(layout, 0, 1, bounds, bounds));
  const int twice[4] = {0, 0, 2, 3};
  halocline_layout permuted = NULL;
  report("order twice", halocline_layout_permute(layout, twice, &permuted));
  const int negative[4] = {0, -1, 2, 3};
  report("order negative", halocline_layout_permute(layout, negative, &permuted));
  halocline_layout copy = layout;
  halocline_layout_free(&layout);
  report("released layout", halocline_layout_block(copy, 0, 0, bounds, bounds));
  report("freed twice", halocline_layout_free(&copy));
}

static void wrong_routes(void) {
  halocline_layout halves = line(8, 2, 0);
  halocline_layout one = line(8, 1, 0);
  halocline_layout longer = line(9, 2, 0);
  halocline_layout beyond = line(8, 2, 1);
  halocline_layout released = line(8, 2, 0);
  halocline_layout copy = released;
  halocline_layout_free(&copy);
  halocline_route route = NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  report("other grid", halocline_route_create(halves, longer, world, &route));
  report("rank out of range", halocline_route_create(halves, beyond, world, &route));
  report("ranks disagree", halocline_route_create(halves, rank == 1 ? one : halves, world, &route));
  report("released on rank 1",
         halocline_route_create(halves, rank == 1 ? released : one, world, &route));
  report("null on rank 0", halocline_route_create(rank == 0 ? NULL : halves, one, world, &route));
  report("no communicator", halocline_route_create(halves, one, MPI_COMM_NULL, &route));
  const int64_t lower[4] = {0, 0, 0, 0};
  const int64_t upper[4] = {4, 1, 1, 1};
  const int64_t outside[4] = {12, 1, 1, 1};
  report("region of other extents",
         halocline_route_create_region(halves, one, world, lower, upper, lower, outside, &route));
  report("region outside",
         halocline_route_create_region(halves, one, world, lower, outside, lower, outside, &route));
  report("region disagrees", halocline_route_create_region(halves, one, world, lower, upper, lower,
                                                           rank == 1 ? outside : upper, &route));
  const int64_t far_lower[4] = {-5000000000000000000, 0, 0, 0};
  const int64_t far_upper[4] = {5000000000000000000, 1, 1, 1};
  report("region beyond all indices",
         halocline_route_create_region(halves, one, world, far_lower, far_upper, far_lower,
                                       far_upper, &route));
  const int64_t number = rank;
  halocline_layout points = NULL;
  halocline_layout_create_points(1, &number, 0, NULL, NULL, &points);
  report("unwanted on rank 1",
         halocline_route_create_points(points, points, world, 1, rank, &route));
  halocline_layout_free(&points);
  if (route != NULL) {
    report("setup", halocline_wrong);
  }
  halocline_layout_free(&halves);
  halocline_layout_free(&one);
  halocline_layout_free(&longer);
  halocline_layout_free(&beyond);
}

static void wrong_halos(void) {
  halocline_layout halves = line(8, 2, 0);
  halocline_layout beyond = line(8, 2, 1);
  const halocline_dimension turns = {.upper = 8, .parts = 2, .block = 1};
  halocline_layout dealt = NULL;
  halocline_layout_create(1, &turns, 0, &dealt);
  halocline_route route = NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  const halocline_halo negative = {.below = {-1}};
  const halocline_halo one = {.below = {1}, .above = {1}};
  const halocline_halo other = {.below = {1}, .above = {1 + rank}};
  const halocline_halo folded = {.above = {0, 1}, .folded = 1};
  report("negative halo", halocline_route_create_halo(halves, &negative, world, &route));
  report("no halo", halocline_route_create_halo(halves, NULL, world, &route));
  report("halo of nothing", halocline_route_create_halo(NULL, &one, world, &route));
  report("halos differ", halocline_route_create_halo(halves, &other, world, &route));
  report("halo on rank 2", halocline_route_create_halo(beyond, &one, world, &route));
  report("halo of a dealt layout", halocline_route_create_halo(dealt, &one, world, &route));
  report("fold of closed edges", halocline_route_create_halo(halves, &folded, world, &route));
  if (halocline_route_create_halo(halves, &one, world, &route) != halocline_ok) {
    report("setup", halocline_wrong);
  }
  double cells[8];
  halocline_field bare = {.data = cells, .type = halocline_real8};
  halocline_layout_block(halves, rank, 0, bare.lower, bare.upper);
  halocline_redistribution halo = NULL;
  report("field without ghost cells",
         halocline_redistribution_create(route, world, 1, 1, &bare, 1, &bare, NULL, NULL, &halo));
  bare.lower[0] -= 1;
  bare.upper[0] += 1;
  bare.upper[1] += rank;
  report("levels of rank 1",
         halocline_redistribution_create(route, world, 1, 1, &bare, 1, &bare, NULL, NULL, &halo));
  halocline_route_free(&route);
  halocline_layout_free(&halves);
  halocline_layout_free(&beyond);
  halocline_layout_free(&dealt);
}

static double values[64];
static halocline_field from = {.data = values, .type = halocline_real8};
static halocline_field to = {.data = values + 32, .type = halocline_real8};

static halocline_redistribution redistribution = NULL;

static void create(const char* name, halocline_route route, int fields, int blocks,
                   const halocline_way* way, halocline_memory memory) {
  report(name, halocline_redistribution_create(route, MPI_COMM_WORLD, fields, blocks, &from,
                                               rank == 0, &to, way, memory, &redistribution));
}

static void wrong_fields(halocline_route route) {
  const halocline_field good = from;
  from.type = rank == 1 ? halocline_integer8 : halocline_real8;
  create("type of rank 1", route, 1, 1, NULL, NULL);
  from = good;
  from.type = rank == 0 ? halocline_real4 : halocline_real8;
  create("type at the source", route, 1, 1, NULL, NULL);
  from.type = (halocline_type)77;
  create("no such type", route, 1, 1, NULL, NULL);
  from = good;
  from.data = rank == 1 ? NULL : values;
  create("data NULL on rank 1", route, 1, 1, NULL, NULL);
  from = good;
  from.upper[0] -= rank;
  create("field too small on rank 1", route, 1, 1, NULL, NULL);
  from = good;
  from.stride_bytes[0] = -8;
  create("negative stride", route, 1, 1, NULL, NULL);
  from = good;
  create("no fields", route, 0, 1, NULL, NULL);
  create("no block on rank 1", route, 1, rank == 0, NULL, NULL);
  create("negative blocks", route, 1, -1, NULL, NULL);
}

static void wrong_ways(halocline_route route) {
  const halocline_way unknown = {.protocol = "pigeon"};
  create("unknown protocol", route, 1, 1, &unknown, NULL);
  const halocline_way packed = {.packing = (halocline_packing)9};
  create("unknown packing", route, 1, 1, &packed, NULL);
  const halocline_way threads = {.threads = -3};
  create("negative threads", route, 1, 1, &threads, NULL);
  const halocline_way progress = {.progress_thread = 1};
  create("progress thread after MPI_Init", route, 1, 1, &progress, NULL);
  const halocline_way differ = {.field_by_field = rank};
  create("ways differ", route, 1, 1, &differ, NULL);
  halocline_memory memory = NULL;
  halocline_memory_create(MPI_COMM_WORLD, 4096, &memory);
  create("memory on rank 0 alone", route, 1, 1, NULL, rank == 0 ? memory : NULL);
  halocline_memory copy = memory;
  halocline_memory_free(&memory);
  create("released memory", route, 1, 1, NULL, copy);
  halocline_memory own = NULL;
  halocline_memory_create(MPI_COMM_SELF, 4096, &own);
  create("memory of other ranks", route, 1, 1, NULL, own);
  halocline_memory_free(&own);
}

static void wrong_memory(halocline_route route) {
  enum { bytes = 5 * 4096 };
  halocline_memory memory = NULL;
  void* array = malloc(bytes);
  memset(array, 1, bytes);
  const size_t size = bytes;
  report("negative arrays", halocline_memory_adopt(MPI_COMM_WORLD, -1, &array, &size, &memory));
  report("no addresses", halocline_memory_adopt(MPI_COMM_WORLD, 1, NULL, &size, &memory));
  void* nothing = NULL;
  report("array NULL on rank 1",
         halocline_memory_adopt(MPI_COMM_WORLD, 1, rank == 1 ? &nothing : &array, &size, &memory));
  halocline_memory none = NULL;
  report("memory of -1 bytes", halocline_memory_create(MPI_COMM_WORLD, (size_t)-1, &none));
  report("memory of -2 GiB on rank 1",
         halocline_memory_create(MPI_COMM_WORLD, rank == 1 ? (size_t)-(1L << 31) : 8, &none));
  report("nowhere to adopt to", halocline_memory_adopt(MPI_COMM_WORLD, 1, &array, &size, NULL));
  void* inside[2] = {array, (char*)array + size / 2};
  const size_t empty[2] = {size, 0};
  report("empty within another", halocline_memory_adopt(MPI_COMM_WORLD, 2, inside, empty, &memory));
  halocline_memory_free(&memory);
  void* twice[2] = {array, array};
  const size_t sizes[2] = {size, size};
  report("adopted twice", halocline_memory_adopt(MPI_COMM_WORLD, 2, twice, sizes, &memory));
  report("adopted", halocline_memory_adopt(MPI_COMM_WORLD, 1, &array, &size, &memory));
  void* address = NULL;
  report("address of adopted", halocline_memory_address(memory, &address));
  create("in adopted memory", route, 1, 1, NULL, memory);
  report("freed in use", halocline_memory_free(&memory));
  halocline_redistribution_free(&redistribution);
  report("given back", halocline_memory_free(&memory));
  free(array);
}

/* MPI lets a process attach one buffer. */
static void buffered_sends(halocline_route route) {
  const halocline_way buffered = {.protocol = "bsend_recv", .messages_only = 1};
  create("buffered", route, 1, 1, &buffered, NULL);
  halocline_redistribution first = redistribution;
  create("buffered again", route, 1, 1, &buffered, NULL);
  halocline_redistribution second = redistribution;
  report("run again", halocline_redistribution_run(second));
  report("start first", halocline_redistribution_start(first));
  create("buffered meanwhile", route, 1, 1, &buffered, NULL);
  report("finish first", halocline_redistribution_finish(first));
  halocline_redistribution_free(&first);
  halocline_redistribution_free(&second);
  create("another way", route, 1, 1, NULL, NULL);
  halocline_redistribution other = redistribution;
  static char own[4096];
  void* attached = own;
  int bytes = sizeof own;
  if (rank == 1) {
    MPI_Buffer_attach(own, bytes);
  }
  create("buffered beside rank 1's own", route, 1, 1, &buffered, NULL);
  if (rank == 1) {
    MPI_Buffer_detach(&attached, &bytes);
  }
  create("buffered after it", route, 1, 1, &buffered, NULL);
  report("freed at last", halocline_redistribution_free(&redistribution));
  halocline_redistribution_free(&other);
}

/* More than an MPI library has communicators. */
static void failed_often(halocline_route route) {
  enum { attempts = 5000 };
  halocline_route loaded = NULL;
  int status = halocline_ok;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    status = halocline_route_load("no-such-file", MPI_COMM_WORLD, &loaded);
  }
  report("file that is not, often", status);
  const halocline_field good = from;
  from.type = rank == 1 ? halocline_integer8 : halocline_real8;
  halocline_redistribution none = NULL;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    status = halocline_redistribution_create(route, MPI_COMM_WORLD, 1, 1, &from, rank == 0, &to,
                                             NULL, NULL, &none);
  }
  report("types that differ, often", status);
  from = good;
}

static void wrong_order(halocline_route route) {
  create("good", route, 1, 1, NULL, NULL);
  halocline_redistribution copy = redistribution;
  report("finished before started", halocline_redistribution_finish(redistribution));
  halocline_redistribution_start(redistribution);
  report("started twice", halocline_redistribution_start(redistribution));
  report("freed under way", halocline_redistribution_free(&redistribution));
  report("finished", halocline_redistribution_finish(redistribution));
  report("freed", halocline_redistribution_free(&redistribution));
  report("run after free", halocline_redistribution_run(copy));
  report("run NULL", halocline_redistribution_run(NULL));
  report("run a route", halocline_redistribution_run((halocline_redistribution)route));
  report("run an address", halocline_redistribution_run((halocline_redistribution)&copy));
}

static void wrong_redistributions(void) {
  halocline_layout source = line(8, 2, 0);
  halocline_layout destination = line(8, 1, 0);
  halocline_route route = NULL;
  if (halocline_route_create(source, destination, MPI_COMM_WORLD, &route) != halocline_ok) {
    report("setup", halocline_wrong);
  }
  halocline_layout_block(source, rank, 0, from.lower, from.upper);
  if (rank == 0) {
    halocline_layout_block(destination, 0, 0, to.lower, to.upper);
  }
  halocline_layout_free(&source);
  halocline_layout_free(&destination);
  wrong_fields(route);
  wrong_ways(route);
  wrong_memory(route);
  buffered_sends(route);
  failed_often(route);
  wrong_order(route);
  report("route of the world alone",
         halocline_redistribution_create(route, MPI_COMM_SELF, 1, 1, &from, 1, &to, NULL, NULL,
                                         &redistribution));
  halocline_route copy = route;
  halocline_route_free(&route);
  create("released route", copy, 1, 1, NULL, NULL);
}

/* Of messages only. */
static halocline_redistribution made_and_kept(void) {
  static double cells[8];
  halocline_layout halves = line(8, 2, 0);
  halocline_layout one = line(8, 1, 0);
  halocline_route route = NULL;
  halocline_redistribution kept = NULL;
  halocline_field from = {.data = cells, .type = halocline_real8};
  halocline_field to = from;
  halocline_layout_block(halves, rank, 0, from.lower, from.upper);
  if (rank == 0) {
    halocline_layout_block(one, rank, 0, to.lower, to.upper);
  }
  const halocline_way way = {.messages_only = 1};
  if (halocline_route_create(halves, one, MPI_COMM_WORLD, &route) != halocline_ok ||
      halocline_redistribution_create(route, MPI_COMM_WORLD, 1, 1, &from, rank == 0, &to, &way,
                                      NULL, &kept) != halocline_ok) {
    report("setup", halocline_wrong);
  }
  return kept;
}

int main(int argc, char** argv) {
  halocline_memory memory = NULL;
  const int before = halocline_memory_create(MPI_COMM_WORLD, 8, &memory);
  char words[2048];
  strcpy(words, halocline_error_message());
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  messages = fopen(rank == 0 ? "messages-0" : "messages-1", "w");
  fprintf(messages, "before MPI_Init %s: %s\n", before == halocline_ok ? "done" : "refused", words);
  wrong_layouts();
  wrong_routes();
  wrong_halos();
  wrong_redistributions();
  halocline_memory left = NULL;
  halocline_memory_create(MPI_COMM_WORLD, 8, &left);
  halocline_redistribution kept = made_and_kept();
  MPI_Finalize();
  report("after MPI_Finalize", halocline_memory_free(&left));
  report("run after MPI_Finalize", halocline_redistribution_run(kept));
  report("started after MPI_Finalize", halocline_redistribution_start(kept));
  report("finished after MPI_Finalize", halocline_redistribution_finish(kept));
  return fclose(messages);
}
