# The redistribution library, installed: shared and static, its headers, the Fortran module, and what
# find_package and pkg-config read.
include(CMakePackageConfigHelpers)

if(SKBUILD)
  # The wheel's lies in the package and finds the MPI library of the environment.
  set(installed halocline/_library/)
  set(folder_lib lib)
  set(folder_include include)
  set(rpath "$ORIGIN/../../../../..")
else()
  include(GNUInstallDirs)
  set(folder_lib ${CMAKE_INSTALL_LIBDIR})
  set(folder_include ${CMAKE_INSTALL_INCLUDEDIR})
  set(rpath "")
endif()

set(library_targets halocline halocline-static)
set(package_files halocline.pc)
add_library(halocline SHARED $<TARGET_OBJECTS:halocline-objects>)
add_library(halocline-static STATIC $<TARGET_OBJECTS:halocline-objects>)
set_target_properties(halocline PROPERTIES INSTALL_RPATH "${rpath}")
if(NOT SKBUILD) # wheels have no symbolic links
  set_target_properties(halocline PROPERTIES SOVERSION ${PROJECT_VERSION_MAJOR} VERSION ${PROJECT_VERSION})
endif()
set_target_properties(halocline-static PROPERTIES OUTPUT_NAME halocline EXPORT_NAME static)

# The module, where the wrapper's library has one for Fortran: mpicxx.mpich -> mpifort.mpich.
include(${CMAKE_CURRENT_LIST_DIR}/fortran.cmake)

set(definitions)
set(libraries ${CMAKE_DL_LIBS})
if(CMAKE_THREAD_LIBS_INIT)
  list(APPEND libraries pthread)
endif()
if(HALOCLINE_HAS_OSHMEM)
  set(definitions HALOCLINE_OPENSHMEM)
  list(APPEND libraries oshmem)
endif()
foreach(target IN ITEMS halocline halocline-static)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${installed}${folder_include}>)
  target_compile_definitions(${target} INTERFACE ${definitions} $<$<COMPILE_LANGUAGE:CXX>:OMPI_SKIP_MPICXX>
                                                 $<$<COMPILE_LANGUAGE:CXX>:MPICH_SKIP_MPICXX>)
endforeach()
target_link_libraries(halocline PRIVATE halocline-flags)
target_link_libraries(halocline-static INTERFACE ${libraries})

add_custom_target(library DEPENDS ${library_targets})
install(TARGETS ${library_targets} EXPORT halocline
        LIBRARY DESTINATION ${installed}${folder_lib}
        ARCHIVE DESTINATION ${installed}${folder_lib})
install(FILES src/halocline/api/halocline.h src/profiler/halocline_regions.h
        DESTINATION ${installed}${folder_include})
foreach(floor IN ITEMS base mpi layout route protocol bundle)
  install(DIRECTORY src/halocline/${floor} DESTINATION ${installed}${folder_include}/halocline
          FILES_MATCHING PATTERN *.hpp)
endforeach()
set(folder_package ${folder_lib}/cmake/halocline)
install(EXPORT halocline NAMESPACE halocline:: DESTINATION ${installed}${folder_package}
        FILE halocline-targets.cmake)
configure_package_config_file(
  cmake/halocline-config.cmake.in halocline-config.cmake
  INSTALL_DESTINATION ${folder_package} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(halocline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/halocline-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/halocline-config-version.cmake
        DESTINATION ${installed}${folder_package})

list(TRANSFORM libraries PREPEND -l OUTPUT_VARIABLE private_libraries)
file(RELATIVE_PATH pc_to_prefix /${folder_lib}/pkgconfig /)
list(JOIN private_libraries " " private_libraries)
list(TRANSFORM definitions PREPEND -D OUTPUT_VARIABLE definition_flags)
foreach(name IN LISTS package_files)
  configure_file(cmake/${name}.in ${name} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name} DESTINATION ${installed}${folder_lib}/pkgconfig)
endforeach()
