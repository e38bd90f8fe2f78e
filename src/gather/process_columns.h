// How many columns `ps` prints in front of the command: by its header, or by the shape of a line,
// since `ps aux | grep vllm` and `pgrep -a` show none.
#pragma once

#include <cstddef>
#include <string_view>

namespace sx {

bool is_process_header(std::string_view line);

// 0 when the line is neither of `ps aux`, `ps -ef` nor a number before a command.
std::size_t columns_before_command(std::string_view line);

}  // namespace sx
