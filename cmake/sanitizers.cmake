# SEXTANT_SANITIZE=address,undefined instruments every target; the first finding ends the program.

if(SEXTANT_SANITIZE)
  add_compile_options(
    -fsanitize=${SEXTANT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SEXTANT_SANITIZE})
endif()

if(SEXTANT_FUZZ)
  # Coverage for the fuzzer in all libraries; its main function only in the fuzz targets.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
