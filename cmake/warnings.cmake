# Every warning here is an error. Headers of the system are not judged.

add_compile_options(
  $<$<COMPILE_LANGUAGE:CXX>:-Wall>
  $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
  $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wsign-conversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnull-dereference>
  $<$<COMPILE_LANGUAGE:CXX>:-Wimplicit-fallthrough>
  $<$<COMPILE_LANGUAGE:CXX>:-Werror>
  # A designated initialiser names what differs from the default; the rest is meant.
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside std::string and std::optional at -O2 where nothing is wrong.
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12 silences its own deprecated calls by pragmas that a precompiled header loses.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
