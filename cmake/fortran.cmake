# halocline-fortran: the module, compiled by the Fortran wrapper that belongs to the C++ wrapper.
# Modules are the compiler's own: programs that use it take the same.
set(HALOCLINE_HAS_FORTRAN OFF)
set(HALOCLINE_NO_FORTRAN "it was not asked for")
if(NOT HALOCLINE_FORTRAN OR SKBUILD)
  return()
endif()
get_filename_component(wrapper_folder "${CMAKE_CXX_COMPILER}" DIRECTORY)
get_filename_component(wrapper_name "${CMAKE_CXX_COMPILER}" NAME)
string(REGEX REPLACE "^mpi(cxx|c\\+\\+|CC)" "mpifort" fortran_name "${wrapper_name}")
if(fortran_name STREQUAL wrapper_name)
  set(HALOCLINE_NO_FORTRAN "${wrapper_name} is no wrapper mpicxx, mpic++ or mpiCC")
  return()
endif()
find_program(HALOCLINE_MPIFORT "${fortran_name}" PATHS "${wrapper_folder}" NO_DEFAULT_PATH)
if(NOT HALOCLINE_MPIFORT)
  set(HALOCLINE_NO_FORTRAN "there is no ${fortran_name} next to ${CMAKE_CXX_COMPILER}; name the wrapper of another MPI library with -D CMAKE_CXX_COMPILER")
  message(STATUS "No Fortran module: ${HALOCLINE_NO_FORTRAN}")
  return()
endif()
set(CMAKE_Fortran_COMPILER "${HALOCLINE_MPIFORT}")
include(CheckLanguage)
check_language(Fortran)
if(NOT CMAKE_Fortran_COMPILER)
  set(HALOCLINE_NO_FORTRAN "${HALOCLINE_MPIFORT} does not compile")
  message(STATUS "No Fortran module: ${HALOCLINE_NO_FORTRAN}")
  return()
endif()
enable_language(Fortran)
include(CheckSourceCompiles)
check_source_compiles(Fortran "
use mpi_f08, only: MPI_Comm
type(MPI_Comm) :: world
print *, world%MPI_VAL
end" HALOCLINE_HAS_MPI_F08 SRC_EXT f90)
if(NOT HALOCLINE_HAS_MPI_F08)
  set(HALOCLINE_NO_FORTRAN "${HALOCLINE_MPIFORT} has no module mpi_f08")
  message(STATUS "No Fortran module: ${HALOCLINE_NO_FORTRAN}")
  return()
endif()
set(HALOCLINE_HAS_FORTRAN ON)

include(${CMAKE_CURRENT_LIST_DIR}/fortran_module.cmake)
set(module_folder ${CMAKE_CURRENT_BINARY_DIR}/modules)
set(module_source ${CMAKE_CURRENT_BINARY_DIR}/halocline.f90)
write_fortran_module(${PROJECT_SOURCE_DIR}/src/halocline/api/fortran ${module_source})
add_library(halocline-fortran SHARED ${module_source} src/halocline/api/fortran.cpp)
set_target_properties(
  halocline-fortran PROPERTIES EXPORT_NAME fortran OUTPUT_NAME halocline_fortran INSTALL_RPATH "$ORIGIN"
                               SOVERSION ${PROJECT_VERSION_MAJOR} VERSION ${PROJECT_VERSION}
                               Fortran_MODULE_DIRECTORY ${module_folder})
target_link_libraries(halocline-fortran PUBLIC halocline PRIVATE halocline-flags)
target_compile_options(halocline-fortran PRIVATE $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-std=f2018>)
target_include_directories(
  halocline-fortran INTERFACE $<INSTALL_INTERFACE:${folder_lib}/fortran/halocline>)
install(FILES ${module_folder}/halocline.mod DESTINATION ${installed}${folder_lib}/fortran/halocline)
install(FILES ${module_source} src/profiler/halocline_regions.f90
        DESTINATION ${installed}${folder_lib}/fortran/halocline)
list(APPEND library_targets halocline-fortran)
list(APPEND package_files halocline-fortran.pc)
