// What the text in which a launch stands says besides it: where it may run, and which files it may
// find there that are not there now.
#pragma once

#include <string_view>

#include "diag/message.h"

namespace sx {

// It goes into another folder somewhere: cd, pushd, popd.
bool changes_folder(std::string_view text);

// Why a launch of this text may find `path` though it is not there now: the text fetches or makes
// files or asks for them first, a unit brings some, a cluster runs it on another machine. Empty: it
// says nothing of that.
Message may_bring_files(std::string_view text, std::string_view path);

}  // namespace sx
