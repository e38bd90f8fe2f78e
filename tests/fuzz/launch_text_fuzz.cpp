// Docker lines, JSON, process lists and processes: the first byte says which, the rest is the text.
// What comes out is text on one line that is read again as a launch of the same engine, and every
// edit lies inside the text it changes.
#include <array>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/utf8.h"
#include "facts/edit_command.h"
#include "gather/gather_case.h"
#include "read/shell_words.h"
#include "sys/files.h"

namespace {

constexpr std::size_t kMostLooked = 8;  // launches of one text; more of the same only cost time

void hold_edits(const sx::Case& c, const sx::Sources& sources) {
  const std::array changes{sx::set_flag("--tensor-parallel-size", "2"),
                           sx::set_environment("NCCL_DEBUG", "INFO"),
                           sx::add_option("--ipc", "host")};
  const auto edited = sx::edit_command(c.command, c.serve, changes);
  for (const auto& edit : edited.edits) {
    SX_ASSERT(edit.span.begin <= edit.span.end);
    SX_ASSERT(edit.span.end <= sources.at(edit.span.source).text.size());
  }
  const std::string line = sx::one_line(edited.command);
  SX_ASSERT(line.find('\n') == std::string::npos && sx::is_valid_utf8(line));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 65536) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  sx::MemoryFiles files;
  sx::CommandAsk ask;
  switch (data[0] % 4) {
    case 0:
      files.add("/srv/run.sh", "#!/bin/sh\n" + text);
      ask.file = "run.sh";
      break;
    case 1:
      files.add("/srv/launch.json", text);
      ask.file = "launch.json";
      break;
    case 2:
      files.add("/srv/ps.txt", "USER PID COMMAND\n" + text);
      ask.file = "ps.txt";
      break;
    default:
      files.add("/proc/7/cmdline", text);
      files.add("/proc/7/environ", text);
      files.add("/proc/7/limits", text);
      files.add("/proc/7/task/7/children", text);
      ask.pid = "7";
  }
  sx::Outside outside;
  outside.files = &files;
  outside.folder = "/srv";
  outside.nvml = [] {
    return sx::Result<sx::NvmlAnswer>(
        sx::fail(sx::Error::Kind::Absent, "NVML was not found", "没有找到 NVML"));
  };
  outside.standard_input = [] { return sx::Result<std::string>(std::string()); };
  const auto gathered = sx::gather_cases(ask, {.on = "4xL40S"}, outside);
  if (!gathered) {
    SX_ASSERT(!gathered.error().what.empty() && !gathered.error().chinese.empty());
    SX_ASSERT(sx::is_valid_utf8(gathered.error().what));
    return 0;
  }
  std::size_t looked = 0;
  for (const sx::Case& c : (*gathered)->cases) {
    if (++looked > kMostLooked) break;
    hold_edits(c, (*gathered)->sources);
  }
  return 0;
}
