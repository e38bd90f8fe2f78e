// The compiled part of Boost.JSON, built once from its own header.
#include <boost/json/src.hpp>
