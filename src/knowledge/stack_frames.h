// What a process waits for when a function is on its stack (data/stack_frames.tsv).
#pragma once

#include <span>
#include <string_view>

#include "knowledge/constraints.h"

namespace sx {

enum class WaitKind {
  Collective,  // all ranks of a group must come
  Join,        // the same, while the group is made
  Receive,     // one other rank must send
  Device,      // its GPU must finish
  Work,        // somebody must give it something to do
  Compute,     // it multiplies matrices, or gives that to its GPU
  File,
  Compile,
  Capture,
  Lock,
  Sleep,
  Serve,  // a front end without requests
};

struct StackFrameRow {
  std::string_view name;
  std::string_view file;  // a part of where it stands; empty: anywhere
  WaitKind kind = WaitKind::Sleep;
  int weight = 0;  // the greatest of a stack says what it waits for
  Sentence said;   // "waits in a collective"
  std::string_view source;
};

std::span<const StackFrameRow> stack_frames();
// The row of a function; null: it tells nothing.
const StackFrameRow* find_stack_frame(std::string_view name, std::string_view where);

}  // namespace sx
