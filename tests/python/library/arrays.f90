! Arrays of every type, kind and rank, whole and in sections, over both kinds of communicators.
program arrays
  use mpi_f08
  use halocline
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int16, int32, int64, real32, real64
  implicit none
  integer, parameter :: n = 24, m = 6, levels = 3
  integer :: rank, ranks, level

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call lines_of_every_type()
  call sections()
  call four_dimensions_in_node_memory()
  call adopted_arrays()
  call several_blocks_a_rank()
  call points_by_a_saved_route()
  call ghost_cells_of_several_shapes()
  call what_is_refused()
  if (rank == 0) print '(i0, a)', ranks, ' ranks: all is where it belongs'
  call MPI_Finalize()

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(a, i0, 2a)') 'rank ', rank, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  ! From even parts to such that are dealt in blocks of 2, by the integer that mpi has.
  subroutine lines_of_every_type()
    type(halocline_layout) :: even, dealt
    type(halocline_route) :: there, back
    type(halocline_bundle) :: from, through, to
    type(halocline_redistribution) :: first, second
    type(halocline_way) :: way
    integer, dimension(1) :: lower, upper, far_lower, far_upper
    integer :: i
    real(real64), allocatable, target :: r8(:), far_r8(:), new_r8(:)
    real(real32), allocatable, target :: r4(:), far_r4(:), new_r4(:)
    integer(int64), allocatable, target :: i8(:), far_i8(:), new_i8(:)
    integer(int32), allocatable, target :: i4(:), far_i4(:), new_i4(:)
    integer(int16), allocatable, target :: i2(:), far_i2(:), new_i2(:)
    integer(int8), allocatable, target :: i1(:), far_i1(:), new_i1(:)
    complex(real64), allocatable, target :: z8(:), far_z8(:), new_z8(:)
    complex(real32), allocatable, target :: z4(:), far_z4(:), new_z4(:)

    call halocline_layout_create(even, [halocline_even(n, ranks)])
    call halocline_layout_create(dealt, [halocline_dealt(n, 2, ranks)])
    call halocline_route_create(there, even, dealt, MPI_COMM_WORLD%MPI_VAL)
    call halocline_route_reverse(there, back)
    call halocline_layout_block(even, rank, 1, lower, upper)
    call halocline_layout_block(dealt, rank, 1, far_lower, far_upper)
    r8 = [(0.5d0*i, i=lower(1), upper(1))]
    r4 = [(0.25*i, i=lower(1), upper(1))]
    i8 = [(10_int64**12 + i, i=lower(1), upper(1))]
    i4 = [(-i, i=lower(1), upper(1))]
    i2 = [(int(300 + i, int16), i=lower(1), upper(1))]
    i1 = [(int(i, int8), i=lower(1), upper(1))]
    z8 = cmplx(r8, -r8, real64)
    z4 = cmplx(r4, 2*r4, real32)
    i = far_upper(1) - far_lower(1) + 1
    allocate (far_r8(i), far_r4(i), far_i8(i), far_i4(i), far_i2(i), far_i1(i), far_z8(i), far_z4(i))
    allocate (new_r8, mold=r8)
    allocate (new_r4, mold=r4)
    allocate (new_i8, mold=i8)
    allocate (new_i4, mold=i4)
    allocate (new_i2, mold=i2)
    allocate (new_i1, mold=i1)
    allocate (new_z8, mold=z8)
    allocate (new_z4, mold=z4)
    new_r8 = 0
    new_i1 = 0

    call halocline_bundle_add(from, r8, lower)
    call halocline_bundle_add(from, r4, lower)
    call halocline_bundle_add(from, i8, lower)
    call halocline_bundle_add(from, i4, lower)
    call halocline_bundle_add(from, i2, lower)
    call halocline_bundle_add(from, i1, lower)
    call halocline_bundle_add(from, z8, lower)
    call halocline_bundle_add(from, z4, lower)
    call halocline_bundle_add(through, far_r8, far_lower)
    call halocline_bundle_add(through, far_r4, far_lower)
    call halocline_bundle_add(through, far_i8, far_lower)
    call halocline_bundle_add(through, far_i4, far_lower)
    call halocline_bundle_add(through, far_i2, far_lower)
    call halocline_bundle_add(through, far_i1, far_lower)
    call halocline_bundle_add(through, far_z8, far_lower)
    call halocline_bundle_add(through, far_z4, far_lower)
    call halocline_bundle_add(to, new_r8, lower)
    call halocline_bundle_add(to, new_r4, lower)
    call halocline_bundle_add(to, new_i8, lower)
    call halocline_bundle_add(to, new_i4, lower)
    call halocline_bundle_add(to, new_i2, lower)
    call halocline_bundle_add(to, new_i1, lower)
    call halocline_bundle_add(to, new_z8, lower)
    call halocline_bundle_add(to, new_z4, lower)

    way = halocline_way(packing=halocline_pack_box, messages_only=.true.)
    way%protocol = 'sendrecv'
    call halocline_redistribution_create(first, there, MPI_COMM_WORLD%MPI_VAL, from, through, way)
    way%protocol = 'isend_irecv_type'
    way%packing = halocline_pack_rank
    way%field_by_field = .true.
    way%progress_thread = .true.
    call halocline_redistribution_create(second, back, MPI_COMM_WORLD%MPI_VAL, through, to, way)
    call halocline_run(first)
    call halocline_run(second)
    call expect(all(new_r8 == r8) .and. all(new_r4 == r4), 'reals')
    call expect(all(new_i8 == i8) .and. all(new_i4 == i4), 'integers')
    call expect(all(new_i2 == i2) .and. all(new_i1 == i1), 'short integers')
    call expect(all(new_z8 == z8) .and. all(new_z4 == z4), 'complex numbers')
    ! Rank 0 has the first two indices, then those after two from each other rank.
    if (rank == 0) call expect(far_i4(3) == -(2*ranks + 1), 'an index dealt to rank 0')
    call halocline_free(first)
    call halocline_free(second)
    call halocline_free(there)
    call halocline_free(back)
    call halocline_free(even)
    call halocline_free(dealt)
  end subroutine

  ! Every second row of an array, to the middle of another with ghost cells: cut points on either side.
  subroutine sections()
    type(halocline_layout) :: rows, columns
    type(halocline_route) :: route
    type(halocline_bundle) :: from, to
    type(halocline_redistribution) :: redistribution
    integer, dimension(2) :: lower, upper
    integer :: i, j
    real(real64), allocatable, target :: wide(:, :), new(:, :)
    call halocline_layout_create(rows, [halocline_cut_at(cuts(n)), halocline_even(m, 1)])
    call halocline_layout_create(columns, [halocline_even(n, 1), halocline_cut_at(cuts(m))])
    call halocline_route_create(route, rows, columns, MPI_COMM_WORLD)
    call halocline_layout_block(rows, rank, 1, lower, upper)
    allocate (wide(2*(upper(1) - lower(1) + 1), 3:2 + m))
    wide = -1
    do j = 1, m
      wide(::2, 2 + j) = [(100*i + j, i=lower(1), upper(1))]
    end do
    call halocline_bundle_add(from, wide(::2, :), lower)
    call halocline_layout_block(columns, rank, 1, lower, upper)
    allocate (new(0:n + 1, lower(2) - 1:upper(2) + 1))
    new = -2
    call halocline_bundle_add(to, new, lbound(new))
    call halocline_redistribution_create(redistribution, route, MPI_COMM_WORLD, from, to)
    call halocline_run(redistribution)
    do j = lower(2), upper(2)
      call expect(all(new(1:n, j) == [(100*i + j, i=1, n)]), 'a section')
    end do
    call expect(all(new(0, :) == -2) .and. all(new(n + 1, :) == -2), 'ghost cells along x')
    call expect(all(new(:, lower(2) - 1) == -2) .and. all(new(:, upper(2) + 1) == -2), &
                'ghost cells along y')
    call halocline_free(redistribution)
    call halocline_free(route)
    call halocline_free(rows)
    call halocline_free(columns)
  end subroutine

  ! One index for each rank, the last with the rest.
  pure function cuts(extent) result(points)
    integer, intent(in) :: extent
    integer :: points(ranks + 1), part
    points = [(part, part=1, ranks), extent + 1]
  end function

  subroutine four_dimensions_in_node_memory()
    type(halocline_layout) :: source, destination
    type(halocline_memory) :: memory
    type(halocline_route) :: route
    type(halocline_bundle) :: from, to
    type(halocline_redistribution) :: redistribution
    integer, dimension(4) :: lower, upper, shape
    integer(int64) :: bytes
    type(c_ptr) :: address
    integer(int32), pointer :: old(:, :, :, :), new(:, :, :, :)
    call halocline_layout_create(source, [halocline_even(m, 1), halocline_even(n, ranks), &
                                          halocline_even(levels, 1), halocline_even(2, 1)])
    call halocline_layout_create(destination, [halocline_even(m, ranks), halocline_even(n, 1), &
                                               halocline_even(levels, 1), halocline_even(2, 1)])
    call halocline_route_create(route, source, destination, MPI_COMM_WORLD)
    call halocline_layout_block(source, rank, 1, lower, upper)
    shape = upper - lower + 1
    bytes = 4*product(shape)
    call halocline_memory_create(memory, MPI_COMM_WORLD, bytes + 4*m*n*levels*2)
    call halocline_memory_address(memory, address)
    call c_f_pointer(address, old, shape)
    call number(old, lower)
    call halocline_bundle_add(from, old, lower)
    call halocline_layout_block(destination, rank, 1, lower, upper)
    call halocline_memory_address(memory, address, bytes)
    call c_f_pointer(address, new, upper - lower + 1)
    call halocline_bundle_add(to, new, lower)
    call halocline_redistribution_create(redistribution, route, MPI_COMM_WORLD, from, to, &
                                         memory=memory)
    call halocline_run(redistribution)
    call expect(is_numbered(new, lower), 'four dimensions')
    call halocline_free(redistribution)
    call halocline_free(memory)
    call halocline_free(route)
    call halocline_free(source)
    call halocline_free(destination)
  end subroutine

  subroutine number(array, lower)
    integer(int32), intent(out) :: array(:, :, :, :)
    integer, intent(in) :: lower(4)
    integer :: i, j, k, l
    do concurrent(i=1:size(array, 1), j=1:size(array, 2), k=1:size(array, 3), l=1:size(array, 4))
      array(i, j, k, l) = (lower(1) + i) + 100*(lower(2) + j) + 10000*k + 1000000*l
    end do
  end subroutine

  logical function is_numbered(array, lower)
    integer(int32), intent(in) :: array(:, :, :, :)
    integer, intent(in) :: lower(4)
    integer(int32), allocatable :: expected(:, :, :, :)
    allocate (expected, mold=array)
    call number(expected, lower)
    is_numbered = all(array == expected)
  end function

  ! The program's own arrays, copied straight from where they are, and given back.
  subroutine adopted_arrays()
    integer, parameter :: long = 600
    type(halocline_layout) :: source, destination
    type(halocline_memory) :: memory
    type(halocline_route) :: route
    type(halocline_bundle) :: from, to, section
    type(halocline_redistribution) :: redistribution
    integer, dimension(2) :: lower, upper, far_lower, far_upper
    integer :: i, j, step, status
    real(real64), allocatable, target :: old(:, :), new(:, :)
    call halocline_layout_create(source, [halocline_even(long, ranks), halocline_even(n, 1)])
    call halocline_layout_create(destination, [halocline_even(long, 1), halocline_even(n, ranks)])
    call halocline_layout_block(source, rank, 1, lower, upper)
    call halocline_layout_block(destination, rank, 1, far_lower, far_upper)
    allocate (old(lower(1):upper(1), lower(2):upper(2)), source=-1d0)
    allocate (new(far_lower(1):far_upper(1), far_lower(2):far_upper(2)), source=0d0)
    call halocline_bundle_add(from, old, lower)
    call halocline_bundle_add(to, new, far_lower)
    call halocline_memory_adopt(memory, MPI_COMM_WORLD, from)
    call halocline_route_create(route, source, destination, MPI_COMM_WORLD)
    call halocline_redistribution_create(redistribution, route, MPI_COMM_WORLD, from, to, memory=memory)
    do step = 1, 3
      do j = lower(2), upper(2)
        do i = lower(1), upper(1)
          old(i, j) = step*1d6 + i + 1d3*j
        end do
      end do
      call halocline_run(redistribution)
      do j = far_lower(2), far_upper(2)
        do i = far_lower(1), far_upper(1)
          call expect(new(i, j) == step*1d6 + i + 1d3*j, 'a value out of adopted memory')
        end do
      end do
      call MPI_Barrier(MPI_COMM_WORLD)
    end do
    call halocline_free(memory, status)
    call expect(status /= 0, 'memory in use was freed')
    call halocline_free(redistribution)
    call halocline_free(memory)
    call expect(old(upper(1), upper(2)) == 3d6 + upper(1) + 1d3*upper(2), 'what was given back')
    call halocline_bundle_add(section, old(:, lower(2):upper(2):2), lower)
    call halocline_bundle_add(section, old(lower(1):upper(1):2, :), lower)
    call halocline_memory_adopt(memory, MPI_COMM_WORLD, section, status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'is a section') > 0, &
                'a section was adopted')
    call halocline_free(route)
    call halocline_free(source)
    call halocline_free(destination)
  end subroutine

  ! Rank 0 has all parts of the source, the last rank all of the destination's.
  subroutine several_blocks_a_rank()
    type(halocline_layout) :: source, destination
    type(halocline_route) :: route
    type(halocline_bundle) :: from, to
    type(halocline_redistribution) :: redistribution
    integer :: blocks, far_blocks, i
    real(real64), target :: first(n/2), second(n/2), whole(n)
    call halocline_layout_create(source, [halocline_even(n, 2)], owners=[0, 0])
    call halocline_layout_create(destination, [halocline_even(n, 1)], first_rank=ranks - 1)
    call halocline_route_create(route, source, destination, MPI_COMM_WORLD)
    call halocline_layout_blocks(source, rank, blocks)
    call halocline_layout_blocks(destination, rank, far_blocks)
    call expect(blocks == merge(2, 0, rank == 0), 'blocks at the source')
    call expect(far_blocks == merge(1, 0, rank == ranks - 1), 'blocks at the destination')
    first = [(i, i=1, n/2)]
    second = [(i, i=n/2 + 1, n)]
    if (rank == 0) then
      call halocline_bundle_add(from, first, [1])
      call halocline_bundle_add(from, second, [n/2 + 1])
    end if
    if (far_blocks == 1) call halocline_bundle_add(to, whole, [1])
    call halocline_redistribution_create(redistribution, route, MPI_COMM_WORLD, from, to, &
                                         source_blocks=blocks, destination_blocks=far_blocks)
    call halocline_run(redistribution)
    if (far_blocks == 1) call expect(all(whole == [(i, i=1, n)]), 'several blocks')
    call halocline_free(redistribution)
    call halocline_free(route)
    call halocline_free(source)
    call halocline_free(destination)
  end subroutine

  ! The grid's points to lists, each rank's descending.
  subroutine points_by_a_saved_route()
    type(halocline_layout) :: blocks, list
    type(halocline_route) :: made, route
    type(halocline_bundle) :: from, to
    type(halocline_redistribution) :: redistribution
    integer, dimension(2) :: lower, upper
    integer :: i, j
    integer, allocatable :: numbers(:)
    integer(int64), allocatable, target :: old(:, :), new(:)
    call halocline_layout_create(blocks, [halocline_even(n, 1), halocline_even(m, ranks)])
    numbers = [(i, i=n*m - rank, 1, -ranks)]
    call halocline_layout_create_points(list, numbers)
    call halocline_route_create_points(made, blocks, list, MPI_COMM_WORLD, numbered=2)
    call halocline_route_save(made, MPI_COMM_WORLD, 'arrays.route')
    call halocline_free(made)
    call halocline_route_load(route, 'arrays.route', MPI_COMM_WORLD)
    call halocline_layout_block(blocks, rank, 1, lower, upper)
    allocate (old(n, lower(2):upper(2)), new(size(numbers)))
    do j = lower(2), upper(2)
      old(:, j) = [(i + n*(j - 1), i=1, n)]
    end do
    call halocline_bundle_add(from, old, lower)
    call halocline_bundle_add(to, new, [0])
    call halocline_redistribution_create(redistribution, route, MPI_COMM_WORLD, from, to)
    call halocline_run(redistribution)
    call expect(all(new == numbers), 'points')
    call halocline_free(redistribution)
    call halocline_free(route)
    call halocline_free(blocks)
    call halocline_free(list)
  end subroutine

  ! A surface and levels of an ocean that is periodic along x and folded in the north.
  subroutine ghost_cells_of_several_shapes()
    integer, parameter :: width = 2
    type(halocline_layout) :: layout
    type(halocline_route) :: route
    type(halocline_bundle) :: bundle
    type(halocline_redistribution) :: halo
    integer, dimension(2) :: lower, upper
    integer :: i, j, k, there
    integer(int32), allocatable, target :: surface(:, :)
    real(real64), allocatable, target :: levelled(:, :, :)
    call halocline_layout_create(layout, [halocline_even(n, ranks), halocline_even(m, 1)])
    call halocline_route_create_halo(route, layout, MPI_COMM_WORLD, below=[width, 1], &
                                     above=[width, 1], periodic=[.true., .false.], folded=.true.)
    call halocline_layout_block(layout, rank, 1, lower, upper)
    allocate (surface(lower(1) - width:upper(1) + width, 0:m + 1), source=-1)
    allocate (levelled(lower(1) - width:upper(1) + width, 0:m + 1, levels), source=-1.d0)
    do concurrent(i=lower(1):upper(1), j=1:m)
      surface(i, j) = i + 100*j
      levelled(i, j, :) = [(surface(i, j) + 10000*k, k=1, levels)]
    end do
    call halocline_bundle_add(bundle, surface, lbound(surface))
    call halocline_bundle_add(bundle, levelled, lbound(levelled))
    call halocline_redistribution_create(halo, route, MPI_COMM_WORLD, bundle, bundle)
    call halocline_start(halo)
    call halocline_finish(halo)
    do j = 1, m + 1
      do i = lower(1) - width, upper(1) + width
        there = 1 + modulo(merge(n - i, i - 1, j > m), n) + 100*min(j, m)
        call expect(surface(i, j) == there, 'a ghost cell of the surface')
        call expect(all(levelled(i, j, :) == [(there + 10000*k, k=1, levels)]), 'of the levels')
      end do
    end do
    call expect(all(surface(:, 0) == -1), 'ghost cells beyond a closed edge')
    call halocline_free(halo)
    call halocline_free(route)
    call halocline_free(layout)
  end subroutine

  subroutine what_is_refused()
    type(halocline_layout) :: layout, other
    type(halocline_route) :: route
    type(halocline_bundle) :: bundle
    character(4), target :: text(n)
    real(real64), target :: line(n)
    integer :: status, block, lower(1), upper(1)
    integer(int64), parameter :: large = 3000000000_int64
    integer(int64) :: first(1), last(1)
    text = 'text'
    call halocline_layout_create(layout, [halocline_cut_at([1, 9, 5])], status=status)
    call expect(status /= 0 .and. index(halocline_error_message(), '9 before 5') > 0, 'cut points')
    call halocline_layout_create_points(layout, [1], lower=[1], status=status)
    call expect(status /= 0 .and. index(halocline_error_message(), '1 lower and 0 upper') > 0, 'points')
    call halocline_layout_create_points(layout, [1, 2])
    call halocline_layout_create_points(other, [1, 3])
    call halocline_route_create_points(route, layout, other, MPI_COMM_SELF, numbered=1, status=status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'asks for point 3, which') > 0, 'missing point')
    call halocline_free(other)
    call halocline_layout_create_points(other, [1, 0])
    call halocline_route_create_points(route, layout, other, MPI_COMM_SELF, numbered=1, status=status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'point 0 in the destination') > 0 .and. &
                index(halocline_error_message(), 'at position 2; allowed: 1 to') > 0, 'point 0')
    call halocline_free(layout)
    call halocline_free(other)
    call halocline_layout_create(layout, [halocline_even(huge(1), 1)])
    call halocline_route_create_region(route, layout, layout, MPI_COMM_SELF, [1], [huge(1)], [1], [huge(1)])
    call halocline_free(route)
    call halocline_free(layout)
    call halocline_layout_create(layout, [halocline_even(large, 1)])
    call halocline_route_create_region(route, layout, layout, MPI_COMM_SELF, [large], [large], [large], [large])
    call halocline_free(route)
    call halocline_free(layout)
    call halocline_layout_create(layout, [halocline_dealt(8, 0, 2)], status=status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'blocks of 0 indices; allowed') > 0, 'dealt')
    call halocline_bundle_add(bundle, text, [1], status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'allowed: reals') > 0, 'text')
    call halocline_bundle_add(bundle, line, [1, 1], status)
    call expect(status /= 0 .and. index(halocline_error_message(), '2 lower bounds') > 0, 'bounds')
    call halocline_layout_create(layout, [halocline_even(n, ranks)])
    call halocline_layout_create(other, [halocline_even(n + 1, ranks)])
    call halocline_route_create(route, layout, other, MPI_COMM_WORLD, status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'same indices') > 0, 'grids')
    call halocline_route_create_halo(route, layout, MPI_COMM_WORLD, [1], [1, 1], status=status)
    call expect(status /= 0 .and. index(halocline_error_message(), &
                'above has 2 elements for a layout of 1 dimensions') > 0, 'widths')
    call halocline_route_create_halo(route, layout, MPI_COMM_WORLD, [1], [1], &
                                     periodic=[.true., .true.], status=status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'periodic has 2') > 0, 'edges')
    do block = 0, 2, 2
      call halocline_layout_block(layout, rank, block, lower, upper, status)
      call expect(status /= 0 .and. index(halocline_error_message(), 'the rank has 1 blocks, numbered from 1') > 0, 'block')
    end do
    call halocline_free(layout)
    call halocline_layout_create(layout, [halocline_even(large, ranks)])
    call halocline_layout_block(layout, ranks - 1, 1, first, last)
    call expect(last(1) == large, 'large indices')
    call halocline_layout_block(layout, ranks - 1, 1, lower, upper, status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'pass integer(int64) bounds') > 0, 'small integers')
    call halocline_free(layout)
    call halocline_free(layout, status)
    call expect(status /= 0 .and. index(halocline_error_message(), 'NULL') > 0, 'freed twice')
    call halocline_free(other)
  end subroutine
end program
