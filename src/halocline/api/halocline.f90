!> Halocline's redistribution library for Fortran: fields on grids of one to four dimensions move from
!> one layout over the ranks of a communicator to another. The C header halocline.h says what each
!> part means; here
!>
!> * grids count from 1, upper bounds are part of an interval, blocks count from 1; ranks are MPI's;
!> * arrays have any rank from 1 to 4, kinds of 4 and 8 bytes (integers also 1 and 2), and may be
!>   sections: nothing is copied to pass them. They must have the attribute target and live as long
!>   as the redistribution;
!> * communicators are type(MPI_Comm) of mpi_f08 or the integers of mpi;
!> * every procedure takes an optional status, 0 or what went wrong, for which
!>   halocline_error_message() has the words. Without it an error ends the program with them.
module halocline
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64
  use mpi_f08, only: MPI_Comm
  implicit none
  private

  public :: halocline_layout, halocline_route, halocline_memory, halocline_redistribution
  public :: halocline_dimension, halocline_bundle, halocline_way
  public :: halocline_even, halocline_cut_at, halocline_dealt
  public :: halocline_layout_create, halocline_layout_permute, halocline_layout_blocks
  public :: halocline_layout_block, halocline_layout_create_points, halocline_layout_relabel
  public :: halocline_route_create, halocline_route_create_region, halocline_route_reverse
  public :: halocline_route_create_points, halocline_route_save, halocline_route_load
  public :: halocline_memory_create, halocline_memory_address
  public :: halocline_bundle_add
  public :: halocline_redistribution_create, halocline_run, halocline_start, halocline_finish
  public :: halocline_free, halocline_error_message
  public :: halocline_pack_rank, halocline_pack_box, halocline_pack_run

  integer, parameter :: dimensions_maximum = 4

  type :: halocline_layout
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: halocline_route
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: halocline_memory
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: halocline_redistribution
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  !> How one dimension is cut: made by halocline_even, halocline_cut_at or halocline_dealt.
  type :: halocline_dimension
    private
    integer(int64) :: extent = 0
    integer :: parts = 1
    integer(int64) :: block = 0
    integer(int64), allocatable :: points(:)
  end type

  type, bind(C) :: field
    type(c_ptr) :: data
    integer(c_int) :: type
    integer(c_int64_t) :: lower(dimensions_maximum)
    integer(c_int64_t) :: upper(dimensions_maximum)
    integer(c_int64_t) :: stride_bytes(dimensions_maximum)
  end type

  !> The fields of this rank at one side: all of its first block, then all of its second, ...
  type :: halocline_bundle
    private
    type(field), allocatable :: fields(:)
  end type

  enum, bind(C)
    enumerator :: halocline_pack_rank = 0 !< a message is all that goes to a rank
    enumerator :: halocline_pack_box = 1  !< a box of indices
    enumerator :: halocline_pack_run = 2  !< a piece of memory without gaps
  end enum

  !> How fields travel; the same on all ranks.
  type :: halocline_way
    character(:), allocatable :: protocol !< not allocated: isend_irecv
    integer :: packing = halocline_pack_rank
    logical :: field_by_field = .false.
    logical :: messages_only = .false.    !< also within a node
    integer :: threads = 1                !< of each rank, that copy within a node
    logical :: progress_thread = .false.  !< drives messages on while the program computes; needs
                                          !< MPI_THREAD_MULTIPLE
  end type

  type, bind(C) :: c_dimension
    integer(c_int64_t) :: lower
    integer(c_int64_t) :: upper
    integer(c_int) :: parts
    integer(c_int64_t) :: block
    type(c_ptr) :: points
  end type

  type, bind(C) :: c_way
    type(c_ptr) :: protocol
    integer(c_int) :: packing
    integer(c_int) :: field_by_field
    integer(c_int) :: messages_only
    integer(c_int) :: threads
    integer(c_int) :: progress_thread
  end type

  interface halocline_even
    module procedure even_4, even_8
  end interface
  interface halocline_cut_at
    module procedure cut_at_4, cut_at_8
  end interface
  interface halocline_dealt
    module procedure dealt_4, dealt_8
  end interface
  interface halocline_route_create
    module procedure route_create, route_create_f08
  end interface
  interface halocline_route_create_region
    module procedure route_create_region, route_create_region_f08
  end interface
  interface halocline_layout_create_points
    module procedure layout_create_points_4, layout_create_points_8
  end interface
  interface halocline_route_create_points
    module procedure route_create_points, route_create_points_f08
  end interface
  interface halocline_route_save
    module procedure route_save, route_save_f08
  end interface
  interface halocline_route_load
    module procedure route_load, route_load_f08
  end interface
  interface halocline_memory_create
    module procedure memory_create, memory_create_f08
  end interface
  interface halocline_bundle_add
    module procedure bundle_add_4, bundle_add_8
  end interface
  interface halocline_redistribution_create
    module procedure redistribution_create, redistribution_create_f08
  end interface
  interface halocline_free
    module procedure layout_free, route_free, memory_free, redistribution_free
  end interface

  interface
    function c_error_message() result(text) bind(C, name="halocline_error_message")
      import
      type(c_ptr) :: text
    end function
    function c_strlen(text) result(length) bind(C, name="strlen")
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function c_layout_create(dimensions, dimension, first_rank, layout) result(status) &
        bind(C, name="halocline_layout_create")
      import
      integer(c_int), value :: dimensions, first_rank
      type(c_dimension), intent(in) :: dimension(*)
      type(c_ptr), intent(out) :: layout
      integer(c_int) :: status
    end function
    function c_layout_create_owned(dimensions, dimension, count, owners, layout) result(status) &
        bind(C, name="halocline_layout_create_owned")
      import
      integer(c_int), value :: dimensions, count
      type(c_dimension), intent(in) :: dimension(*)
      integer(c_int), intent(in) :: owners(*)
      type(c_ptr), intent(out) :: layout
      integer(c_int) :: status
    end function
    function c_layout_permute(layout, order, permuted) result(status) &
        bind(C, name="halocline_layout_permute")
      import
      type(c_ptr), value :: layout
      integer(c_int), intent(in) :: order(*)
      type(c_ptr), intent(out) :: permuted
      integer(c_int) :: status
    end function
    function c_layout_blocks(layout, rank, blocks) result(status) &
        bind(C, name="halocline_layout_blocks")
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      integer(c_int), intent(inout) :: blocks
      integer(c_int) :: status
    end function
    function c_layout_block(layout, rank, block, lower, upper) result(status) &
        bind(C, name="halocline_layout_block")
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank, block
      integer(c_int64_t), intent(inout) :: lower(*), upper(*)
      integer(c_int) :: status
    end function
    function c_layout_free(layout) result(status) bind(C, name="halocline_layout_free")
      import
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: status
    end function
    function c_route_create(source, destination, communicator, route) result(status) &
        bind(C, name="halocline_fortran_route_create")
      import
      type(c_ptr), value :: source, destination
      integer(c_int), value :: communicator
      type(c_ptr), intent(out) :: route
      integer(c_int) :: status
    end function
    function c_route_create_region(source, destination, communicator, source_lower, source_upper, &
        destination_lower, destination_upper, route) result(status) &
        bind(C, name="halocline_fortran_route_create_region")
      import
      type(c_ptr), value :: source, destination
      integer(c_int), value :: communicator
      integer(c_int64_t), intent(in) :: source_lower(*), source_upper(*)
      integer(c_int64_t), intent(in) :: destination_lower(*), destination_upper(*)
      type(c_ptr), intent(out) :: route
      integer(c_int) :: status
    end function
    function c_layout_create_points(count, numbers, further, lower, upper, layout) &
        result(status) bind(C, name="halocline_layout_create_points")
      import
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: numbers(*), lower(*), upper(*)
      integer(c_int), value :: further
      type(c_ptr), intent(out) :: layout
      integer(c_int) :: status
    end function
    function c_layout_relabel(source, destination, relabelled, moved_before, moved_after) &
        result(status) bind(C, name="halocline_layout_relabel")
      import
      type(c_ptr), value :: source, destination
      type(c_ptr), intent(out) :: relabelled
      integer(c_int64_t), intent(inout) :: moved_before, moved_after
      integer(c_int) :: status
    end function
    function c_route_create_points(source, destination, communicator, numbered, &
        unwanted_allowed, route) result(status) &
        bind(C, name="halocline_fortran_route_create_points")
      import
      type(c_ptr), value :: source, destination
      integer(c_int), value :: communicator, numbered, unwanted_allowed
      type(c_ptr), intent(out) :: route
      integer(c_int) :: status
    end function
    function c_route_save(route, communicator, path) result(status) &
        bind(C, name="halocline_fortran_route_save")
      import
      type(c_ptr), value :: route
      integer(c_int), value :: communicator
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function
    function c_route_load(path, communicator, route) result(status) &
        bind(C, name="halocline_fortran_route_load")
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: communicator
      type(c_ptr), intent(out) :: route
      integer(c_int) :: status
    end function
    function c_route_reverse(route, reversed) result(status) &
        bind(C, name="halocline_route_reverse")
      import
      type(c_ptr), value :: route
      type(c_ptr), intent(out) :: reversed
      integer(c_int) :: status
    end function
    function c_route_free(route) result(status) bind(C, name="halocline_route_free")
      import
      type(c_ptr), intent(inout) :: route
      integer(c_int) :: status
    end function
    function c_memory_create(communicator, bytes, memory) result(status) &
        bind(C, name="halocline_fortran_memory_create")
      import
      integer(c_int), value :: communicator
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: memory
      integer(c_int) :: status
    end function
    function c_memory_address(memory, address) result(status) &
        bind(C, name="halocline_memory_address")
      import
      type(c_ptr), value :: memory
      type(c_ptr), intent(inout) :: address
      integer(c_int) :: status
    end function
    function c_memory_free(memory) result(status) bind(C, name="halocline_memory_free")
      import
      type(c_ptr), intent(inout) :: memory
      integer(c_int) :: status
    end function
    function c_field_of(array, lower, bounds, to) result(status) &
        bind(C, name="halocline_fortran_field")
      import
      type(*), dimension(..), intent(in) :: array
      integer(c_int64_t), intent(in) :: lower(*)
      integer(c_int), value :: bounds
      type(field), intent(inout) :: to
      integer(c_int) :: status
    end function
    function c_redistribution_create(route, communicator, fields, source_blocks, source, &
        destination_blocks, destination, way, memory, redistribution) result(status) &
        bind(C, name="halocline_fortran_redistribution_create")
      import
      type(c_ptr), value :: route, memory
      integer(c_int), value :: communicator, fields, source_blocks, destination_blocks
      type(field), intent(in) :: source(*), destination(*)
      type(c_way), intent(in) :: way
      type(c_ptr), intent(out) :: redistribution
      integer(c_int) :: status
    end function
    function c_run(redistribution) result(status) bind(C, name="halocline_redistribution_run")
      import
      type(c_ptr), value :: redistribution
      integer(c_int) :: status
    end function
    function c_start(redistribution) result(status) bind(C, name="halocline_redistribution_start")
      import
      type(c_ptr), value :: redistribution
      integer(c_int) :: status
    end function
    function c_finish(redistribution) result(status) &
        bind(C, name="halocline_redistribution_finish")
      import
      type(c_ptr), value :: redistribution
      integer(c_int) :: status
    end function
    function c_redistribution_free(redistribution) result(status) &
        bind(C, name="halocline_redistribution_free")
      import
      type(c_ptr), intent(inout) :: redistribution
      integer(c_int) :: status
    end function
  end interface

contains

  !> The line about the last failure.
  function halocline_error_message() result(message)
    character(:), allocatable :: message
    type(c_ptr) :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: length, at
    text = c_error_message()
    length = int(c_strlen(text))
    call c_f_pointer(text, characters, [length])
    allocate (character(length) :: message)
    do at = 1, length
      message(at:at) = characters(at)
    end do
  end function

  subroutine tell(code, status)
    integer(c_int), intent(in) :: code
    integer, optional, intent(out) :: status
    if (present(status)) then
      status = code
    else if (code /= 0) then
      write (error_unit, '(2a)') 'halocline: ', halocline_error_message()
      error stop 1
    end if
  end subroutine

  !> The indices 1 to extent, in parts that differ by one index at most.
  pure function even_8(extent, parts) result(dimension)
    integer(int64), intent(in) :: extent
    integer, intent(in) :: parts
    type(halocline_dimension) :: dimension
    dimension%extent = extent
    dimension%parts = parts
  end function

  pure function even_4(extent, parts) result(dimension)
    integer(int32), intent(in) :: extent
    integer, intent(in) :: parts
    type(halocline_dimension) :: dimension
    dimension = even_8(int(extent, int64), parts)
  end function

  !> Part p has the indices points(p) to points(p + 1) - 1: one more point than parts.
  pure function cut_at_8(points) result(dimension)
    integer(int64), intent(in) :: points(:)
    type(halocline_dimension) :: dimension
    dimension%parts = size(points) - 1
    allocate (dimension%points, source=points)
  end function

  pure function cut_at_4(points) result(dimension)
    integer(int32), intent(in) :: points(:)
    type(halocline_dimension) :: dimension
    dimension = cut_at_8(int(points, int64))
  end function

  !> The indices 1 to extent, dealt to the parts in turn in blocks of so many.
  pure function dealt_8(extent, block, parts) result(dimension)
    integer(int64), intent(in) :: extent, block
    integer, intent(in) :: parts
    type(halocline_dimension) :: dimension
    dimension%extent = extent
    dimension%block = block
    dimension%parts = parts
  end function

  pure function dealt_4(extent, block, parts) result(dimension)
    integer(int32), intent(in) :: extent, block
    integer, intent(in) :: parts
    type(halocline_dimension) :: dimension
    dimension = dealt_8(int(extent, int64), int(block, int64), parts)
  end function

  !> A grid of as many dimensions; parts count along the first dimension first. Part p belongs to
  !> rank owners(p), or else to rank first_rank + p - 1, where first_rank is 0 if not given.
  subroutine halocline_layout_create(layout, dimensions, first_rank, owners, status)
    type(halocline_layout), intent(out) :: layout
    type(halocline_dimension), intent(in), target :: dimensions(:)
    integer, optional, intent(in) :: first_rank
    integer, optional, intent(in) :: owners(:)
    integer, optional, intent(out) :: status
    type(c_dimension) :: cut(size(dimensions))
    integer(c_int) :: first, code
    integer :: at
    do at = 1, size(dimensions)
      cut(at) = c_dimension(1, dimensions(at)%extent + 1, dimensions(at)%parts, &
                            dimensions(at)%block, c_null_ptr)
      if (allocated(dimensions(at)%points)) cut(at)%points = c_loc(dimensions(at)%points)
    end do
    if (present(owners)) then
      code = c_layout_create_owned(size(cut), cut, size(owners), owners, layout%handle)
    else
      first = 0
      if (present(first_rank)) first = first_rank
      code = c_layout_create(size(cut), cut, first, layout%handle)
    end if
    call tell(code, status)
  end subroutine

  !> The same layout with the dimensions in another order: dimension d is the old order(d).
  subroutine halocline_layout_permute(layout, order, permuted, status)
    type(halocline_layout), intent(in) :: layout
    integer, intent(in) :: order(:)
    type(halocline_layout), intent(out) :: permuted
    integer, optional, intent(out) :: status
    integer(c_int) :: all(dimensions_maximum)
    integer :: at
    all = [(at - 1, at=1, dimensions_maximum)]
    do at = 1, min(size(order), dimensions_maximum)
      all(at) = order(at) - 1
    end do
    call tell(c_layout_permute(layout%handle, all, permuted%handle), status)
  end subroutine

  !> How many blocks a rank owns.
  subroutine halocline_layout_blocks(layout, rank, blocks, status)
    type(halocline_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer, intent(inout) :: blocks
    integer, optional, intent(out) :: status
    call tell(c_layout_blocks(layout%handle, rank, blocks), status)
  end subroutine

  !> The first and the last local indices of a rank's block, as many as the arrays have elements.
  subroutine halocline_layout_block(layout, rank, block, lower, upper, status)
    type(halocline_layout), intent(in) :: layout
    integer, intent(in) :: rank, block
    integer, intent(inout) :: lower(:), upper(:)
    integer, optional, intent(out) :: status
    integer(c_int64_t) :: first(dimensions_maximum), after(dimensions_maximum)
    integer(c_int) :: code
    integer :: used
    code = c_layout_block(layout%handle, rank, block - 1, first, after)
    if (code == 0) then
      used = min(size(lower), size(upper), dimensions_maximum)
      lower(:used) = int(first(:used))
      upper(:used) = int(after(:used)) - 1
    end if
    call tell(code, status)
  end subroutine

  subroutine layout_free(layout, status)
    type(halocline_layout), intent(inout) :: layout
    integer, optional, intent(out) :: status
    call tell(c_layout_free(layout%handle), status)
  end subroutine

  !> Collective: what travels between this rank and the others.
  subroutine route_create(route, source, destination, communicator, status)
    type(halocline_route), intent(out) :: route
    type(halocline_layout), intent(in) :: source, destination
    integer, intent(in) :: communicator
    integer, optional, intent(out) :: status
    call tell(c_route_create(source%handle, destination%handle, communicator, route%handle), status)
  end subroutine

  subroutine route_create_f08(route, source, destination, communicator, status)
    type(halocline_route), intent(out) :: route
    type(halocline_layout), intent(in) :: source, destination
    type(MPI_Comm), intent(in) :: communicator
    integer, optional, intent(out) :: status
    call route_create(route, source, destination, communicator%MPI_VAL, status)
  end subroutine

  !> Collective: the same for a region, from its first to its last indices on either side.
  subroutine route_create_region(route, source, destination, communicator, source_lower, &
                                 source_upper, destination_lower, destination_upper, status)
    type(halocline_route), intent(out) :: route
    type(halocline_layout), intent(in) :: source, destination
    integer, intent(in) :: communicator
    integer, intent(in) :: source_lower(:), source_upper(:)
    integer, intent(in) :: destination_lower(:), destination_upper(:)
    integer, optional, intent(out) :: status
    call tell(c_route_create_region( &
              source%handle, destination%handle, communicator, all_of(source_lower, 0), &
              all_of(source_upper + 1, 1), all_of(destination_lower, 0), &
              all_of(destination_upper + 1, 1), route%handle), status)
  end subroutine

  subroutine route_create_region_f08(route, source, destination, communicator, source_lower, &
                                     source_upper, destination_lower, destination_upper, status)
    type(halocline_route), intent(out) :: route
    type(halocline_layout), intent(in) :: source, destination
    type(MPI_Comm), intent(in) :: communicator
    integer, intent(in) :: source_lower(:), source_upper(:)
    integer, intent(in) :: destination_lower(:), destination_upper(:)
    integer, optional, intent(out) :: status
    call route_create_region(route, source, destination, communicator%MPI_VAL, source_lower, &
                             source_upper, destination_lower, destination_upper, status)
  end subroutine

  !> As many bounds as C wants.
  pure function all_of(bounds, unused) result(all)
    integer, intent(in) :: bounds(:), unused
    integer(c_int64_t) :: all(dimensions_maximum)
    integer :: used
    all = unused
    used = min(size(bounds), dimensions_maximum)
    all(:used) = bounds(:used)
  end function

  !> This rank's points, by their numbers in the grid, from 1 on; the first local index of its fields
  !> is 0, as halocline_layout_block tells. Further dimensions, with these first and last indices, are what each carries.
  subroutine layout_create_points_8(layout, numbers, lower, upper, status)
    type(halocline_layout), intent(out) :: layout
    integer(int64), intent(in) :: numbers(:)
    integer, optional, intent(in) :: lower(:), upper(:)
    integer, optional, intent(out) :: status
    integer(c_int64_t) :: first(dimensions_maximum), after(dimensions_maximum)
    integer(c_int) :: further
    further = 0
    first = 0
    after = 1
    if (present(lower) .and. present(upper)) then
      further = min(size(lower), size(upper))
      first = all_of(lower, 0)
      after = all_of(upper + 1, 1)
    end if
    call tell(c_layout_create_points(size(numbers, kind=c_int64_t), numbers - 1, further, first, &
                                     after, layout%handle), status)
  end subroutine

  subroutine layout_create_points_4(layout, numbers, lower, upper, status)
    type(halocline_layout), intent(out) :: layout
    integer(int32), intent(in) :: numbers(:)
    integer, optional, intent(in) :: lower(:), upper(:)
    integer, optional, intent(out) :: status
    call layout_create_points_8(layout, int(numbers, int64), lower, upper, status)
  end subroutine

  !> The destination's layout with its ranks in other places, so that fewer indices change rank.
  subroutine halocline_layout_relabel(source, destination, relabelled, moved_before, moved_after, &
                                      status)
    type(halocline_layout), intent(in) :: source, destination
    type(halocline_layout), intent(out) :: relabelled
    integer(int64), intent(inout) :: moved_before, moved_after
    integer, optional, intent(out) :: status
    call tell(c_layout_relabel(source%handle, destination%handle, relabelled%handle, &
                               moved_before, moved_after), status)
  end subroutine

  !> Collective: where either layout is one of points. Those of blocks are numbered over the first
  !> `numbered` dimensions of the grid. Points that no rank wants are refused unless allowed.
  subroutine route_create_points(route, source, destination, communicator, numbered, &
                                 unwanted_allowed, status)
    type(halocline_route), intent(out) :: route
    type(halocline_layout), intent(in) :: source, destination
    integer, intent(in) :: communicator, numbered
    logical, optional, intent(in) :: unwanted_allowed
    integer, optional, intent(out) :: status
    integer(c_int) :: allowed
    allowed = 0
    if (present(unwanted_allowed)) allowed = merge(1, 0, unwanted_allowed)
    call tell(c_route_create_points(source%handle, destination%handle, communicator, numbered, &
                                    allowed, route%handle), status)
  end subroutine

  subroutine route_create_points_f08(route, source, destination, communicator, numbered, &
                                     unwanted_allowed, status)
    type(halocline_route), intent(out) :: route
    type(halocline_layout), intent(in) :: source, destination
    type(MPI_Comm), intent(in) :: communicator
    integer, intent(in) :: numbered
    logical, optional, intent(in) :: unwanted_allowed
    integer, optional, intent(out) :: status
    call route_create_points(route, source, destination, communicator%MPI_VAL, numbered, &
                             unwanted_allowed, status)
  end subroutine

  !> Collective: the routes of all ranks go to one file, and come from it on as many ranks.
  subroutine route_save(route, communicator, path, status)
    type(halocline_route), intent(in) :: route
    integer, intent(in) :: communicator
    character(*), intent(in) :: path
    integer, optional, intent(out) :: status
    call tell(c_route_save(route%handle, communicator, characters_of(path)), status)
  end subroutine

  subroutine route_save_f08(route, communicator, path, status)
    type(halocline_route), intent(in) :: route
    type(MPI_Comm), intent(in) :: communicator
    character(*), intent(in) :: path
    integer, optional, intent(out) :: status
    call route_save(route, communicator%MPI_VAL, path, status)
  end subroutine

  subroutine route_load(route, path, communicator, status)
    type(halocline_route), intent(out) :: route
    character(*), intent(in) :: path
    integer, intent(in) :: communicator
    integer, optional, intent(out) :: status
    call tell(c_route_load(characters_of(path), communicator, route%handle), status)
  end subroutine

  subroutine route_load_f08(route, path, communicator, status)
    type(halocline_route), intent(out) :: route
    character(*), intent(in) :: path
    type(MPI_Comm), intent(in) :: communicator
    integer, optional, intent(out) :: status
    call route_load(route, path, communicator%MPI_VAL, status)
  end subroutine

  !> The same boxes, the other way.
  subroutine halocline_route_reverse(route, reversed, status)
    type(halocline_route), intent(in) :: route
    type(halocline_route), intent(out) :: reversed
    integer, optional, intent(out) :: status
    call tell(c_route_reverse(route%handle, reversed%handle), status)
  end subroutine

  subroutine route_free(route, status)
    type(halocline_route), intent(inout) :: route
    integer, optional, intent(out) :: status
    call tell(c_route_free(route%handle), status)
  end subroutine

  !> Collective: memory that ranks of the node copy straight out of one another.
  subroutine memory_create(memory, communicator, bytes, status)
    type(halocline_memory), intent(out) :: memory
    integer, intent(in) :: communicator
    integer(int64), intent(in) :: bytes
    integer, optional, intent(out) :: status
    call tell(c_memory_create(communicator, int(bytes, c_size_t), memory%handle), status)
  end subroutine

  subroutine memory_create_f08(memory, communicator, bytes, status)
    type(halocline_memory), intent(out) :: memory
    type(MPI_Comm), intent(in) :: communicator
    integer(int64), intent(in) :: bytes
    integer, optional, intent(out) :: status
    call memory_create(memory, communicator%MPI_VAL, bytes, status)
  end subroutine

  !> So many bytes after the beginning of this rank's memory, for c_f_pointer.
  subroutine halocline_memory_address(memory, address, offset_bytes, status)
    type(halocline_memory), intent(in) :: memory
    type(c_ptr), intent(inout) :: address
    integer(int64), optional, intent(in) :: offset_bytes
    integer, optional, intent(out) :: status
    integer(c_int) :: code
    code = c_memory_address(memory%handle, address)
    if (code == 0 .and. present(offset_bytes)) then
      address = transfer(transfer(address, 0_c_intptr_t) + offset_bytes, address)
    end if
    call tell(code, status)
  end subroutine

  !> Collective.
  subroutine memory_free(memory, status)
    type(halocline_memory), intent(inout) :: memory
    integer, optional, intent(out) :: status
    call tell(c_memory_free(memory%handle), status)
  end subroutine

  !> One more field of the bundle: an array, and the local indices of its first element.
  subroutine bundle_add_8(bundle, array, lower, status)
    type(halocline_bundle), intent(inout) :: bundle
    type(*), dimension(..), intent(in), target :: array
    integer(int64), intent(in) :: lower(:)
    integer, optional, intent(out) :: status
    type(field) :: added
    integer(c_int) :: code
    code = c_field_of(array, lower, size(lower), added)
    if (code == 0) then
      if (.not. allocated(bundle%fields)) allocate (bundle%fields(0))
      bundle%fields = [bundle%fields, added]
    end if
    call tell(code, status)
  end subroutine

  subroutine bundle_add_4(bundle, array, lower, status)
    type(halocline_bundle), intent(inout) :: bundle
    type(*), dimension(..), intent(in), target :: array
    integer(int32), intent(in) :: lower(:)
    integer, optional, intent(out) :: status
    call bundle_add_8(bundle, array, int(lower, int64), status)
  end subroutine

  !> Collective: a route for the fields of two bundles, ready to run again and again. The blocks are
  !> how many this rank owns at either side: 1 if not given, 0 for a bundle without fields.
  subroutine redistribution_create(redistribution, route, communicator, source, destination, way, &
                                   memory, source_blocks, destination_blocks, status)
    type(halocline_redistribution), intent(out) :: redistribution
    type(halocline_route), intent(in) :: route
    integer, intent(in) :: communicator
    type(halocline_bundle), intent(in) :: source, destination
    type(halocline_way), optional, intent(in) :: way
    type(halocline_memory), optional, intent(in) :: memory
    integer, optional, intent(in) :: source_blocks, destination_blocks
    integer, optional, intent(out) :: status
    character(kind=c_char), allocatable, target :: protocol(:)
    type(c_way) :: chosen
    type(c_ptr) :: memory_handle
    type(field), allocatable :: from(:), to(:)
    integer(c_int) :: from_blocks, to_blocks, fields, code
    from_blocks = blocks_of(source, source_blocks)
    to_blocks = blocks_of(destination, destination_blocks)
    fields = max(1, fields_a_block(source, from_blocks), fields_a_block(destination, to_blocks))
    from = fields_of(source, fields*max(0, from_blocks))
    to = fields_of(destination, fields*max(0, to_blocks))
    memory_handle = c_null_ptr
    if (present(memory)) memory_handle = memory%handle
    chosen = c_way(c_null_ptr, halocline_pack_rank, 0, 0, 1, 0)
    if (present(way)) then
      chosen = c_way(c_null_ptr, way%packing, merge(1, 0, way%field_by_field), &
                     merge(1, 0, way%messages_only), way%threads, &
                     merge(1, 0, way%progress_thread))
      if (allocated(way%protocol)) then
        protocol = characters_of(way%protocol)
        chosen%protocol = c_loc(protocol)
      end if
    end if
    code = c_redistribution_create(route%handle, communicator, fields, from_blocks, from, &
                                   to_blocks, to, chosen, memory_handle, redistribution%handle)
    call tell(code, status)
  end subroutine

  subroutine redistribution_create_f08(redistribution, route, communicator, source, destination, &
                                       way, memory, source_blocks, destination_blocks, status)
    type(halocline_redistribution), intent(out) :: redistribution
    type(halocline_route), intent(in) :: route
    type(MPI_Comm), intent(in) :: communicator
    type(halocline_bundle), intent(in) :: source, destination
    type(halocline_way), optional, intent(in) :: way
    type(halocline_memory), optional, intent(in) :: memory
    integer, optional, intent(in) :: source_blocks, destination_blocks
    integer, optional, intent(out) :: status
    call redistribution_create(redistribution, route, communicator%MPI_VAL, source, destination, &
                               way, memory, source_blocks, destination_blocks, status)
  end subroutine

  pure function blocks_of(bundle, given) result(blocks)
    type(halocline_bundle), intent(in) :: bundle
    integer, optional, intent(in) :: given
    integer(c_int) :: blocks
    blocks = merge(1, 0, allocated(bundle%fields))
    if (present(given)) blocks = given
  end function

  !> Rounded up: where the fields are not enough for all blocks, C finds one without a type.
  pure function fields_a_block(bundle, blocks) result(fields)
    type(halocline_bundle), intent(in) :: bundle
    integer(c_int), intent(in) :: blocks
    integer(c_int) :: fields
    fields = 0
    if (allocated(bundle%fields)) fields = (size(bundle%fields) + blocks - 1)/max(1, blocks)
  end function

  !> So many fields: those of the bundle, then such without a type.
  pure function fields_of(bundle, wanted) result(fields)
    type(halocline_bundle), intent(in) :: bundle
    integer(c_int), intent(in) :: wanted
    type(field), allocatable :: fields(:)
    integer :: at
    allocate (fields(wanted))
    do at = 1, wanted
      fields(at) = field(c_null_ptr, 0, 0, 1, 0)
    end do
    if (.not. allocated(bundle%fields)) return
    at = min(wanted, size(bundle%fields))
    fields(:at) = bundle%fields(:at)
  end function

  pure function characters_of(text) result(characters)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable :: characters(:)
    integer :: at
    allocate (characters(len_trim(text) + 1))
    do at = 1, len_trim(text)
      characters(at) = text(at:at)
    end do
    characters(len_trim(text) + 1) = c_null_char
  end function

  subroutine halocline_run(redistribution, status)
    type(halocline_redistribution), intent(in) :: redistribution
    integer, optional, intent(out) :: status
    call tell(c_run(redistribution%handle), status)
  end subroutine

  !> From here to halocline_finish the destination may be overwritten and the source must not change.
  subroutine halocline_start(redistribution, status)
    type(halocline_redistribution), intent(in) :: redistribution
    integer, optional, intent(out) :: status
    call tell(c_start(redistribution%handle), status)
  end subroutine

  subroutine halocline_finish(redistribution, status)
    type(halocline_redistribution), intent(in) :: redistribution
    integer, optional, intent(out) :: status
    call tell(c_finish(redistribution%handle), status)
  end subroutine

  !> Collective.
  subroutine redistribution_free(redistribution, status)
    type(halocline_redistribution), intent(inout) :: redistribution
    integer, optional, intent(out) :: status
    call tell(c_redistribution_free(redistribution%handle), status)
  end subroutine
end module
