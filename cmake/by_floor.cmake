# Compiles the sources of a target together with those of the same floor, `root`'s subfolder. The
# name of a file decides with which of them: a new one has only these compiled again, here and in
# the compiler's cache.
function(compile_by_floor target root)
  set(usual 18) # that are compiled together
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "^${root}/")
  list(SORT files)
  set(floors ${files})
  list(TRANSFORM floors REPLACE "^${root}/([^/]*).*" "\\1")
  set(count 0)
  foreach(floor IN LISTS floors) # sorted
    if(NOT floor STREQUAL before)
      set(count 0)
    endif()
    math(EXPR count "${count} + 1")
    math(EXPR batches_of_${floor} "(${count} + ${usual} - 1) / ${usual}")
    set(before ${floor})
  endforeach()
  foreach(file floor IN ZIP_LISTS files floors)
    string(REPLACE "${root}/" "" name ${file})
    string(MD5 hash ${name})
    string(SUBSTRING ${hash} 0 7 digits)
    math(EXPR batch "0x${digits} % ${batches_of_${floor}}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${floor}-${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
