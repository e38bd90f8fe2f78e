# What makes the edit loop short: ccache, mold, one precompiled header.

find_program(SX_CCACHE ccache)
if(SX_CCACHE)
  # Without these two, ccache does not store anything that uses a precompiled header.
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros)
  if(NOT SEXTANT_PCH)
    # Two checkouts share results. Not with a precompiled header: that one names its own folder.
    list(APPEND launcher CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  endif()
  list(APPEND launcher ${SX_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(SX_MOLD mold)
if(SX_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# What is not reached is not shipped.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)

if(SEXTANT_PCH)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  else()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

# Precompiled headers hide missing includes; the release preset is built without them and so
# finds those.
function(sx_precompile target)
  if(NOT SEXTANT_PCH)
    return()
  endif()
  if(NOT TARGET sx_pch)
    add_library(sx_pch OBJECT "${CMAKE_SOURCE_DIR}/cmake/pch.cpp")
    target_precompile_headers(sx_pch PRIVATE "${CMAKE_SOURCE_DIR}/cmake/pch.h")
  endif()
  target_precompile_headers(${target} REUSE_FROM sx_pch)
endfunction()
