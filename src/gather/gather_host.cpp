// Which machine is meant: a name, a file, a pasted text, standard input, or this one.
#include "gather/gather_host.h"

#include "base/strings.h"
#include "gather/gather_host_parts.h"
#include "gather/host_file.h"
#include "gather/live_host.h"
#include "read/machine_text.h"

namespace sx {
namespace {

constexpr Bytes kMostText = mib(64);

std::string absolute(const std::string& path, const Outside& outside) {
  if (path.starts_with('/') || outside.folder.empty()) return path;
  return outside.folder + '/' + path;
}

// The text of a file, or of standard input for "-", as a source.
Result<int> source_of(Sources& sources, const std::string& path, const Outside& outside) {
  if (path == "-") {
    if (!outside.standard_input)
      return fail(Error::Kind::Absent, "there is no standard input", "没有标准输入");
    SX_TRY(std::string text, outside.standard_input());
    return sources.add({.kind = SourceKind::StandardInput, .text = std::move(text)});
  }
  if (outside.files == nullptr)
    return fail(Error::Kind::Absent, "cannot read " + path + ": no files",
                "无法读取 " + path + "：没有文件");
  const std::string where = absolute(path, outside);
  SX_TRY(std::string text, outside.files->read(where, kMostText));
  return sources.add({.name = path, .uri = where, .text = std::move(text)});
}

Result<HostSpec> host_of_source(const Sources& sources, int source) {
  const Source& given = sources.at(source);
  const std::string name = given.kind == SourceKind::StandardInput ? "-" : given.name;
  std::string_view text = given.text;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') {
    SX_TRY(HostSpec host, host_from_json(sources, source));
    if (host.name.empty()) host.name = name;
    return host;
  }
  SX_TRY(const MachineText pasted, parse_machine_text(sources, source));
  return host_from_text(pasted, name);
}

bool is_file(const std::string& path, const Outside& outside) {
  return outside.files != nullptr && outside.files->info(absolute(path, outside)).has_value();
}

// A name of the catalogue wins over a file of the same name; "./4xL40S" is always the file.
Result<HostSpec> host_of(Sources& sources, const std::string& on, const Outside& outside) {
  const bool looks_like_path = on == "-" || on.find('/') != on.npos;
  if (!looks_like_path) {
    auto named = parse_machine_name(on);
    if (named || !is_file(on, outside)) {
      if (named) return named;
      const Error& error = named.error();
      return fail(error.kind, "--on: " + error.what + ", and there is no file of that name",
                  "--on：" + error.chinese + "，也没有同名文件");
    }
  }
  SX_TRY(const int source, source_of(sources, on, outside));
  return host_of_source(sources, source);
}

Result<int> read_topology(HostSpec& host, Sources& sources, const std::string& path,
                          const Outside& outside) {
  SX_TRY(const int source, source_of(sources, path, outside));
  SX_TRY(const MachineText text, parse_machine_text(sources, source));
  if (text.topology.names.empty()) {
    return fail(Error::Kind::Usage,
                "--topology: " + path + " has no matrix of `nvidia-smi topo -m` in it",
                "--topology：" + path + " 里没有 `nvidia-smi topo -m` 的矩阵");
  }
  return add_topology(host, text.topology);
}

}  // namespace

Result<HostSpec> gather_host(Sources& sources, const HostAsk& ask, const Outside& outside) {
  HostSpec host;
  if (ask.on) {
    SX_TRY(host, host_of(sources, *ask.on, outside));
  } else {
    host = live_host(outside);
  }
  if (ask.topology) {
    SX_TRY([[maybe_unused]] const int count, read_topology(host, sources, *ask.topology, outside));
  }
  SX_TRY([[maybe_unused]] const int applied, apply_overrides(host, ask));
  list_unknown(host);
  return host;
}

}  // namespace sx
