# sx_layer(NAME LOWER...): the static library sx_NAME from src/NAME/**/*.cpp, linked to the layers
# below it. A folder without a .cpp file becomes an INTERFACE library, so that others can name it.

function(sx_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cpp")
  list(APPEND sources ${SX_GENERATED_${name}})
  set(scope INTERFACE)
  if(sources)
    set(scope PUBLIC)
    add_library(sx_${name} STATIC ${sources})
    sx_precompile(sx_${name})
  else()
    add_library(sx_${name} INTERFACE)
  endif()
  target_include_directories(sx_${name} ${scope} "${CMAKE_SOURCE_DIR}/src")
  list(TRANSFORM ARGN PREPEND sx_ OUTPUT_VARIABLE lower)
  target_link_libraries(sx_${name} ${scope} ${lower})
  set_property(GLOBAL APPEND PROPERTY SX_LAYERS ${name})
endfunction()

# Libraries from outside that a layer and everything above it may use.
function(sx_library_for name)
  get_target_property(type sx_${name} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(sx_${name} INTERFACE ${ARGN})
  else()
    target_link_libraries(sx_${name} PUBLIC ${ARGN})
  endif()
endfunction()

# Definitions for the files of one layer alone.
function(sx_define_for name)
  get_target_property(type sx_${name} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    target_compile_definitions(sx_${name} PRIVATE ${ARGN})
  endif()
endfunction()

# A folder of src/ that no line of the table names would silently not be built.
function(sx_every_folder_has_a_layer)
  get_property(layers GLOBAL PROPERTY SX_LAYERS)
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true "${CMAKE_SOURCE_DIR}/src/*")
  foreach(entry IN LISTS entries)
    get_filename_component(name "${entry}" NAME)
    if(IS_DIRECTORY "${entry}" AND NOT name IN_LIST layers)
      message(FATAL_ERROR "src/${name} is in no layer: add a line to the table in CMakeLists.txt")
    endif()
  endforeach()
endfunction()
