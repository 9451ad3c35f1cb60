!> Names parts of an MPI program for its profile, as halocline_regions.h does in C.
module halocline_regions
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: halocline_region_begin, halocline_region_end

  interface
    function control(level, name) bind(c, name="MPI_Pcontrol") result(code)
      import :: c_char, c_int
      integer(c_int), value :: level
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: code
    end function control
  end interface

contains

  subroutine halocline_region_begin(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: code
    code = control(1_c_int, trim(name) // c_null_char)
  end subroutine halocline_region_begin

  subroutine halocline_region_end(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: code
    code = control(-1_c_int, trim(name) // c_null_char)
  end subroutine halocline_region_end

end module halocline_regions
