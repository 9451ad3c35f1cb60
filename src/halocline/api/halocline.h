#pragma once

/* Halocline's redistribution library: fields on index grids of one to four dimensions move from one
 * layout over the ranks of a communicator to another.
 *
 *   layout          which rank owns which indices of a grid
 *   route           what travels between this rank and the others, from one layout to another
 *   redistribution  a route for fields: runs again and again
 *   memory          for fields that the ranks of a node copy straight out of one another
 *
 * Every function returns halocline_ok (0), or another status and a line of text, which
 * halocline_error_message() gives until the thread's next failure: what failed, the value, what is
 * allowed, the remedy; it counts fields and dimensions from 1. What a failed function would
 * have returned through pointers is NULL or unchanged. Null, released and mistaken handles are
 * recognised, never followed.
 *
 * "Collective" functions are called by all ranks of the communicator, in the same order; when one
 * rank's arguments are wrong, all ranks get the same error, but for functions that free: a rank
 * with a wrong handle leaves the others waiting. MPI must be running; all handles are freed before
 * MPI_Finalize. Calls of different threads on the same handle must not overlap. A handle that is
 * freed while a C++ exception unwinds, in a destructor, gives back its own memory only: what ranks
 * share stays until the program ends, because a rank that throws alone must not wait for others.
 *
 * Indices count from whatever the layout's dimensions begin with, int64_t; upper bounds are not
 * part of an interval. Arrays of bounds and strides have HALOCLINE_DIMENSIONS entries, or as many
 * as the layout has dimensions where a count is given. The first dimension is contiguous in memory
 * where nothing else is said. All sizes are bytes. */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HALOCLINE_DIMENSIONS = 4 };
enum { HALOCLINE_NOBODY = -1 }; /* the owner of a block that no rank has */

enum halocline_status {
  halocline_ok = 0,
  halocline_wrong = 1,     /* something a person has to fix   */
  halocline_impossible = 2 /* this MPI library cannot do it, for the reason in the message */
};

/* The line about the last failure in this thread; empty before the first. Valid until the thread's
 * next call. */
const char* halocline_error_message(void);

/* "0.1.0" */
const char* halocline_version(void);

typedef struct halocline_layout_handle* halocline_layout;
typedef struct halocline_route_handle* halocline_route;
typedef struct halocline_memory_handle* halocline_memory;
typedef struct halocline_redistribution_handle* halocline_redistribution;

/* ---- layouts: local, without communication ---- */

/* How one dimension is cut. With `points` (parts + 1 of them, ascending) part p owns points[p] <=
 * index < points[p + 1], and lower, upper and block do not count. Else lower <= index < upper is
 * cut into even parts (block 0), or dealt to the parts in turn in blocks of `block` indices. */
typedef struct halocline_dimension {
  int64_t lower;
  int64_t upper;
  int parts;
  int64_t block;
  const int64_t* points;
} halocline_dimension;

/* A grid of 1 to 4 dimensions. The parts are counted along the first dimension first; part p
 * belongs to rank first_rank + p. */
int halocline_layout_create(int dimensions, const halocline_dimension* dimension, int first_rank,
                            halocline_layout* layout);
/* The same where part p belongs to rank owners[p], or to HALOCLINE_NOBODY: land in an ocean's grid,
 * say. count is the number of parts in all. A rank may own several, or none. What nobody owns is
 * left out of routes. */
int halocline_layout_create_owned(int dimensions, const halocline_dimension* dimension, int count,
                                  const int* owners, halocline_layout* layout);
/* The same layout with the dimensions in another order: dimension d of the new one is dimension
 * order[d], of HALOCLINE_DIMENSIONS, of the old. */
int halocline_layout_permute(halocline_layout layout, const int* order, halocline_layout* permuted);

/* Points that lie anywhere: this rank's, by their numbers in the grid, in the order in which it
 * keeps them. The first dimension of its fields counts them from 0 on; 0 to 3 further dimensions,
 * with these bounds, are what each point carries: levels, say. For halocline_route_create_points.
 */
int halocline_layout_create_points(int64_t count, const int64_t* numbers, int further,
                                   const int64_t* lower, const int64_t* upper,
                                   halocline_layout* layout);
/* The destination's layout with its ranks in other places, so that fewer indices change rank; how
 * many do with the layout as it was, and with the new one. */
int halocline_layout_relabel(halocline_layout source, halocline_layout destination,
                             halocline_layout* relabelled, int64_t* moved_before,
                             int64_t* moved_after);

/* The rank that owns each block, of so many, counted along the first dimension first: as for
 * halocline_layout_create_owned. */
int halocline_layout_owners(halocline_layout layout, int64_t blocks, int* owners);

/* How many blocks a rank owns, those without indices among them; 1 for a layout of points. */
int halocline_layout_blocks(halocline_layout layout, int rank, int* blocks);
/* The local indices of a rank's block, 0 <= block < blocks, in order of the parts. They are those
 * of the grid, but for dimensions dealt in blocks: there a part keeps its indices one after the
 * other, counted from its first on. */
int halocline_layout_block(halocline_layout layout, int rank, int block, int64_t* lower,
                           int64_t* upper);
int halocline_layout_free(halocline_layout* layout);

/* ---- routes ---- */

/* Collective, but cheap: what each rank sends and receives is computed from the layouts; routes
 * outlive the layouts. Both have the same grid. */
int halocline_route_create(halocline_layout source, halocline_layout destination,
                           MPI_Comm communicator, halocline_route* route);
/* Collective. The same for a region of the source's grid, which comes to a region of the
 * destination's with the same extents. The bounds have HALOCLINE_DIMENSIONS entries: 0 and 1 for
 * dimensions that are not used. */
int halocline_route_create_region(halocline_layout source, halocline_layout destination,
                                  MPI_Comm communicator, const int64_t* source_lower,
                                  const int64_t* source_upper, const int64_t* destination_lower,
                                  const int64_t* destination_upper, halocline_route* route);
/* Collective. The same where either layout, or both, is one of points. Those of a layout of blocks
 * are numbered from 0 on over its first `numbered` dimensions, the first one fastest, and carry the
 * others, which must not be cut; a list of points carries the same extents in the same dimensions,
 * with 0 and 1 for those that number the points. Each point lies on one rank of either side; such
 * that no rank wants are refused unless unwanted_allowed is not 0. Time and memory grow with the
 * rank's own points. */
int halocline_route_create_points(halocline_layout source, halocline_layout destination,
                                  MPI_Comm communicator, int numbered, int unwanted_allowed,
                                  halocline_route* route);
/* Ghost cells around each block; all 0 and the widths: closed edges, corners filled. */
typedef struct halocline_halo {
  int64_t below[HALOCLINE_DIMENSIONS]; /* ghost cells before a block's first index */
  int64_t above[HALOCLINE_DIMENSIONS]; /* and beyond its last; may exceed the block's extent */
  int periodic[HALOCLINE_DIMENSIONS];  /* not 0: the grid's edges are joined */
  int faces_only; /* not 0: without ghost cells that lie outside in several dimensions */
  /* not 0: the upper edge of the second dimension is joined to itself, as the north of a tripolar
   * grid: the cell n rows beyond it at x is the cell n + fold_skipped rows before it at lower +
   * upper - 1 + fold_shift - x. The first dimension must be periodic, the second not. */
  int folded;
  int64_t fold_shift;   /* 0 for centres of cells; -1 or 1 for points on their sides */
  int64_t fold_skipped; /* 1 for points that lie on the fold's line, else 0 */
} halocline_halo;

/* Collective, but cheap: fills the ghost cells of all blocks. Create the redistribution with the
 * same fields, ghost cells among their bounds, as source and destination. Ghost cells beyond closed
 * edges, and those of blocks that nobody owns, stay as they are. Fields may have more dimensions
 * than the layout: these travel whole, and may differ between fields (levels, tracers). */
int halocline_route_create_halo(halocline_layout layout, const halocline_halo* halo,
                                MPI_Comm communicator, halocline_route* route);
/* Collective: the routes of all ranks go to one file, and come from it again on as many ranks. */
int halocline_route_save(halocline_route route, MPI_Comm communicator, const char* path);
int halocline_route_load(const char* path, MPI_Comm communicator, halocline_route* route);

/* What the routes of all ranks move, counted in indices. */
typedef struct halocline_description {
  int ranks;
  int64_t peers_maximum;      /* other ranks that one rank exchanges with */
  int64_t messages;           /* from rank to another rank, all boxes in one */
  int64_t boxes;              /* also those that stay on their rank */
  int64_t indices;            /* that arrive somewhere */
  int64_t indices_moved;      /* the part that changes rank */
  int64_t rank_moved_maximum; /* sent or received by the busiest rank */
  double imbalance;           /* that, relative to the mean of all ranks */
} halocline_description;

/* Collective: the same on all ranks. */
int halocline_route_describe(halocline_route route, MPI_Comm communicator,
                             halocline_description* description);
/* Local: the same boxes, the other way. */
int halocline_route_reverse(halocline_route route, halocline_route* reversed);
/* Local: how many boxes this rank sends and receives, those for itself among them, and the elements
 * in them: those of the route, to be multiplied by what a field has in further dimensions. */
int halocline_route_size(halocline_route route, int64_t* boxes_sent, int64_t* boxes_received,
                         int64_t* elements_sent, int64_t* elements_received);
int halocline_route_free(halocline_route* route);

/* ---- memory ---- */

/* Collective. Memory that other ranks of the node can read, zero at first, aligned to 4 KiB; each
 * rank brings any amount. A redistribution copies fields that lie in it once. */
int halocline_memory_create(MPI_Comm communicator, size_t bytes, halocline_memory* memory);
/* Collective. The same for arrays that the program has: they stay where they are, with what they
 * hold, and the library has the ranks of the node see them. Costs some fifteen copies of the arrays
 * once, and as much again to free; a source's fields are worth it. Arrays must be private memory,
 * as malloc gives, that no network card knows: other memory is refused where that can be seen. No
 * thread may write to them during the call; they must neither be released nor resized before the
 * memory is freed. A rank may bring none. */
int halocline_memory_adopt(MPI_Comm communicator, int arrays, void* const* addresses,
                           const size_t* bytes, halocline_memory* memory);
/* Where this rank's bytes begin, of memory that was created; valid until the memory is freed, and
 * the redistributions that use it. */
int halocline_memory_address(halocline_memory memory, void** address);
/* Collective. Adopted arrays are ordinary memory again, where they are, with what they hold; the
 * redistributions that use them have to be freed first. */
int halocline_memory_free(halocline_memory* memory);

/* ---- redistributions ---- */

/* The digits are the bytes of an element: a complex16 is two 8-byte reals. */
typedef enum halocline_type {
  halocline_real8 = 1,
  halocline_real4 = 2,
  halocline_integer8 = 3,
  halocline_integer4 = 4,
  halocline_integer2 = 5,
  halocline_integer1 = 6,
  halocline_complex16 = 7,
  halocline_complex8 = 8
} halocline_type;

/* One block's part of a field. The array may have more indices than the block owns: ghost cells,
 * which stay as they are. */
typedef struct halocline_field {
  void* data; /* the element of the lowest indices */
  halocline_type type;
  int64_t lower[HALOCLINE_DIMENSIONS]; /* local indices that the array has; 0 and 1 for */
  int64_t upper[HALOCLINE_DIMENSIONS]; /* dimensions that are not used */
  /* From one index to the next; all 0: without gaps, the first dimension contiguous. Else 0 only
   * in dimensions of one index. */
  int64_t stride_bytes[HALOCLINE_DIMENSIONS];
} halocline_field;

typedef enum halocline_packing {
  halocline_pack_rank = 0, /* a message is all that goes to a rank */
  halocline_pack_box = 1,  /* a box of indices */
  halocline_pack_run = 2   /* a piece of memory without gaps */
} halocline_packing;

/* How copies within a node store. By size: cached below 2 MiB, for more whichever was faster in the
 * first runs; packing cached. Streaming: past the caches. Short rows are stored into the caches
 * in any case, where the others would leave cache lines partly written. */
typedef enum halocline_stores {
  halocline_stores_by_size = 0,
  halocline_stores_cached = 1,
  halocline_stores_streaming = 2
} halocline_stores;

/* How fields travel; the same on all ranks. With 0 in all but threads and progress_thread the
 * library chooses: what a file of ways has for this machine, MPI library, nodes, memory, ranks and
 * bytes, or else shared memory within a node and isend_irecv, packed by rank, between nodes. The
 * communicator's first rank reads the file, which HALOCLINE_WAYS in its environment names ("none":
 * no file), or which lies as halocline-ways.txt next to the library. `halocline tune
 * redistribution` writes it. Of a file it takes no protocol that asks more of programs, because its
 * start() waits for other ranks, or only one redistribution may be under way: name it here. */
typedef struct halocline_way {
  /* A name that `halocline list protocols` shows; NULL: isend_irecv. With bsend_recv one
   * redistribution at a time may be under way, and none be created meanwhile. */
  const char* protocol;
  halocline_packing packing;
  int field_by_field; /* not 0: each field in messages of its own */
  int messages_only;  /* not 0: by messages also within a node */
  int threads;        /* of each rank, that copy within a node; 0: one */
  /* not 0: between start() and finish() a thread drives messages to other nodes on, asleep most of
   * the time; MPI must have been started with MPI_THREAD_MULTIPLE */
  int progress_thread;
  halocline_stores stores;
} halocline_way;

/* Collective. Field f of block b is source[b * fields + f], blocks in the order of
 * halocline_layout_block(); the same for the destination. All blocks of all ranks have the same
 * fields, of the same types, in the same order. `way` may be NULL; `memory` is what fields may lie
 * in, or NULL. The fields' memory must outlive the redistribution and must not overlap, but that
 * a halo's source is its destination; route and memory handles may be freed. A message of more
 * than 2147483647 bytes is halocline_impossible: go field by field or pack by box or run, else
 * use more ranks, or shared memory within a node, which has no such limit. */
int halocline_redistribution_create(halocline_route route, MPI_Comm communicator, int fields,
                                    int source_blocks, const halocline_field* source,
                                    int destination_blocks, const halocline_field* destination,
                                    const halocline_way* way, halocline_memory memory,
                                    halocline_redistribution* redistribution);
/* start(), then finish(). */
int halocline_redistribution_run(halocline_redistribution redistribution);
/* From start() until finish() the destination may be overwritten and the source must not change;
 * computation between the two goes on while the data travel. Every rank starts and finishes as
 * often as the others, and several that are under way at once in the same order. */
int halocline_redistribution_start(halocline_redistribution redistribution);
int halocline_redistribution_finish(halocline_redistribution redistribution);
/* Payload that this rank sends to others each time. */
int halocline_redistribution_sent_bytes(halocline_redistribution redistribution, size_t* bytes);
/* The way that was taken, its protocol by name, and where it comes from, in one line, unless origin
 * is NULL: "the program", "the rule: ..." or the file and its line. Both texts are valid until the
 * redistribution is freed. */
int halocline_redistribution_way(halocline_redistribution redistribution, halocline_way* way,
                                 const char** origin);
/* Collective; not between start() and finish(). */
int halocline_redistribution_free(halocline_redistribution* redistribution);

#ifdef __cplusplus
}
#endif
