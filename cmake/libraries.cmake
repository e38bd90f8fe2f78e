# Libraries from the distribution. Nothing is downloaded here.
# sx_fmt, sx_boost_json, sx_yaml, sx_ssl, sx_pcre2, sx_zlib and sx_sqlite are what our own targets link.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(yaml-cpp REQUIRED)

# fmt 9 comes as a shared library only: its own part is compiled once here, so that the program
# does not load one more library at each start.
if(fmt_VERSION VERSION_LESS 10)
  add_library(sx_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt_impl.cpp")
  get_target_property(fmt_includes fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(sx_fmt SYSTEM PUBLIC ${fmt_includes})
else()
  add_library(sx_fmt INTERFACE)
  target_link_libraries(sx_fmt INTERFACE fmt::fmt)
endif()

# Boost.JSON is the only part of Boost here that is not headers alone.
add_library(sx_boost_json STATIC "${CMAKE_SOURCE_DIR}/cmake/boost_json_impl.cpp")
target_link_libraries(sx_boost_json PUBLIC Boost::headers)

add_library(sx_yaml INTERFACE)
find_library(SX_YAML_STATIC libyaml-cpp.a)
if(SEXTANT_STATIC AND SX_YAML_STATIC)
  target_link_libraries(sx_yaml INTERFACE "${SX_YAML_STATIC}")
else()
  target_link_libraries(sx_yaml INTERFACE yaml-cpp)
endif()

# OpenSSL: SHA-256 and the gateway's TLS. Static where it can be: shared ones are two libraries more
# to load at each start, and few starts need them.
find_path(SX_CRYPTO_HEADERS openssl/ssl.h REQUIRED)
find_library(SX_SSL NAMES libssl.a ssl REQUIRED)
find_library(SX_CRYPTO NAMES libcrypto.a crypto REQUIRED)
add_library(sx_ssl INTERFACE)
target_link_libraries(sx_ssl INTERFACE "${SX_SSL}" "${SX_CRYPTO}")

# Regular expressions over log lines, compiled to machine code. Static where it can be: one library
# less to load at each start.
find_path(SX_PCRE2_HEADERS pcre2.h REQUIRED)
find_library(SX_PCRE2 NAMES libpcre2-8.a pcre2-8 REQUIRED)
add_library(sx_pcre2 INTERFACE)
target_link_libraries(sx_pcre2 INTERFACE "${SX_PCRE2}")

# Logs are often kept as .gz.
find_path(SX_ZLIB_HEADERS zlib.h REQUIRED)
find_library(SX_ZLIB NAMES libz.a z REQUIRED)
add_library(sx_zlib INTERFACE)
target_link_libraries(sx_zlib INTERFACE "${SX_ZLIB}")

# The journal of what runs. Loaded by the daemon alone, so a shared one costs the other commands its
# place in the list of libraries: static where it can be.
find_path(SX_SQLITE_HEADERS sqlite3.h REQUIRED)
find_library(SX_SQLITE NAMES libsqlite3.a sqlite3 REQUIRED)
add_library(sx_sqlite INTERFACE)
target_link_libraries(sx_sqlite INTERFACE "${SX_SQLITE}" ${CMAKE_DL_LIBS} Threads::Threads m)

if(SEXTANT_STATIC)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
