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
  foreach(file floor IN ZIP_LISTS files floors)
    set(of_floor ${floors})
    list(FILTER of_floor INCLUDE REGEX "^${floor}$")
    list(LENGTH of_floor count)
    math(EXPR batches "(${count} + ${usual} - 1) / ${usual}")
    string(REPLACE "${root}/" "" name ${file})
    string(MD5 hash ${name})
    string(SUBSTRING ${hash} 0 7 digits)
    math(EXPR batch "0x${digits} % ${batches}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${floor}-${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
