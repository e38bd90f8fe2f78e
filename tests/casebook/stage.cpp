// Blocks of a scene → files, environment and arguments.
#include "casebook/stage.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "casebook/stage_gguf.h"
#include "read/shell_words.h"

namespace sx::casebook {
namespace {

constexpr std::string_view kHome = "/home/user/";

// A machine with so many cards of which nothing is known.
std::string nameless_machine(int count) {
  std::string gpus;
  for (int i = 0; i < count; ++i) gpus += fmt::format("{}{{\"index\": {}}}", i == 0 ? "" : ", ", i);
  return "{\"schema\": \"sextant.host/1\", \"gpus\": [" + gpus + "]}";
}

// "8000, 127.0.0.1:8001"
std::string machine_with_ports(std::string_view ports) {
  std::string list;
  for (const auto word : split(ports, ',')) {
    const std::string_view port = trimmed(word);
    const auto colon = port.rfind(':');
    const std::string_view address =
        colon == std::string_view::npos ? "0.0.0.0" : port.substr(0, colon);
    list += fmt::format("{}{{\"port\": {}, \"address\": \"{}\"}}", list.empty() ? "" : ", ",
                        port.substr(colon == std::string_view::npos ? 0 : colon + 1), address);
  }
  return "{\"schema\": \"sextant.host/1\", \"gpus\": [], \"ports\": [" + list + "]}";
}

void set_machine(Stage& stage, const std::string& text) {
  bool keys = true;
  for (const auto line : lines_of(text)) {
    const auto colon = line.find(": ");
    const bool key = colon != std::string_view::npos && line.find_first_of(" \t|") > colon;
    keys = keys && (trimmed(line).empty() || key);
  }
  if (!keys) {
    stage.files.add(std::string(kHome) + "machine.txt", text);
    stage.host.on = "machine.txt";
    return;
  }
  for (const auto line : lines_of(text)) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    const std::string value(trimmed(line.substr(colon + 2)));
    if (key == "on") stage.host.on = value;
    if (key == "shm") stage.host.shm = value;
    if (key == "free") stage.host.free = value;
    if (key == "driver") stage.host.driver = value;
    if (key == "cuda") stage.host.cuda = value;
    if (key != "gpus" && key != "ports") continue;
    stage.files.add(std::string(kHome) + "machine.json",
                    key == "gpus"
                        ? nameless_machine(static_cast<int>(to_integer(value).value_or(0)))
                        : machine_with_ports(value));
    stage.host.on = "machine.json";
  }
}

std::size_t dtype_bytes(std::string_view dtype) {
  if (dtype.ends_with("64")) return 8;
  if (dtype.ends_with("32")) return 4;
  return dtype.ends_with("16") ? 2 : 1;
}

// A weight file of which only the header is real.
void add_safetensors(Stage& stage, const std::string& path, const std::string& text) {
  std::string header;
  std::size_t offset = 0;
  long long cut = 0;
  for (const auto line : lines_of(text)) {
    const auto words = split(trimmed(line), ' ');
    if (words.size() == 2 && words[0] == "cut:") cut = to_integer(words[1]).value_or(0);
    if (words.size() != 3) continue;
    std::size_t count = 1;
    std::string shape;
    for (const auto size : split(words[2], 'x')) {
      count *= static_cast<std::size_t>(to_integer(size).value_or(1));
      shape += (shape.empty() ? "" : ",") + std::string(size);
    }
    const std::size_t end = offset + count * dtype_bytes(words[1]);
    header += fmt::format("{}\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.empty() ? "" : ",", words[0], words[1], shape, offset, end);
    offset = end;
  }
  header = "{" + header + "}";
  std::string front;
  for (unsigned i = 0; i < 8; ++i) front += static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
  front += header;
  const auto length = static_cast<long long>(front.size() + offset) - cut;
  stage.files.add_sparse(path, front, Bytes{length});
}

// Lines `640 /etc/vllm/keys.env`: permissions of files and folders.
void set_permissions(Stage& stage, const std::string& text) {
  for (const auto line : lines_of(text)) {
    const auto words = split(trimmed(line), ' ');
    if (words.size() != 2) continue;
    unsigned mode = 0;
    for (const char digit : words[0]) mode = mode * 8 + static_cast<unsigned>(digit - '0');
    stage.files.set_permissions(std::string(words[1]), mode);
  }
}

// Where files of the model go: the folder that the command names.
std::string model_folder(const Stage& stage) {
  Sources scratch;
  const auto commands = gather_commands(scratch, stage.command, stage.outside);
  if (!commands || commands->launches.empty() || !commands->launches.front().serve.model.known())
    return "model";
  return commands->launches.front().serve.model.value();
}

std::string absolute(std::string_view path) {
  return path.starts_with('/') ? std::string(path) : std::string(kHome) + std::string(path);
}

std::map<std::string, std::string, std::less<>> variables(const std::string& text) {
  std::map<std::string, std::string, std::less<>> values;
  for (const auto line : lines_of(text)) {
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      values.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return values;
}

void set_options(Stage& stage, const std::string& text) {
  const auto words = split(trimmed(text), ' ');
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--engine-version") stage.command.engine_version = std::string(words[i + 1]);
  }
}

}  // namespace

// A launch that is read with -f: serve.sh, compose.yaml, vllm.service. With a slash in its name it
// is a file that a launch names.
bool is_launch_file(std::string_view info) {
  if (info.find('/') != std::string_view::npos || info.find(' ') != std::string_view::npos)
    return false;
  for (const std::string_view ending : {".sh", ".yaml", ".yml", ".service", ".container"}) {
    if (info.ends_with(ending)) return true;
  }
  return false;
}

std::unique_ptr<Stage> set_stage(const Scene& scene) {
  auto stage = std::make_unique<Stage>();
  stage->outside.files = &stage->files;
  stage->outside.folder = "/home/user";
  stage->outside.nvml = [] {
    return Result<NvmlAnswer>(fail(Error::Kind::Absent, "NVML was not found", "没有找到 NVML"));
  };
  stage->outside.standard_input = [] { return Result<std::string>(std::string()); };
  for (const Block& block : scene.blocks) {
    if (block.info == "machine") set_machine(*stage, block.text);
    if (block.info == "permissions") set_permissions(*stage, block.text);
    if (block.info == "options") set_options(*stage, block.text);
    if (block.info == "environment")
      stage->outside.environment = Environment(variables(block.text));
    if (block.info == "command") stage->command.argv = {std::string(trimmed(block.text))};
    if (is_launch_file(block.info)) stage->command.file = block.info;
    if (block.info == "topology") stage->host.topology = "topology.txt";
    if (is_launch_file(block.info)) stage->files.add(absolute(block.info), block.text);
    if (block.info == "topology") stage->files.add(absolute("topology.txt"), block.text);
  }
  const std::string folder = model_folder(*stage);
  for (const Block& block : scene.blocks) {
    const std::string_view info = block.info;
    if (info.starts_with("gguf ")) {
      const std::string name(info.substr(5));
      const bool placed = name.find('/') != std::string::npos;
      add_gguf(stage->files, absolute(placed ? name : folder + '/' + name), block.text);
    } else if (info.starts_with("safetensors ")) {
      add_safetensors(*stage, absolute(folder + '/' + std::string(info.substr(12))), block.text);
    } else if (info.find('.') != std::string_view::npos && !is_launch_file(info)) {
      const bool placed = info.find('/') != std::string_view::npos;
      stage->files.add(absolute(placed ? std::string(info) : folder + '/' + std::string(info)),
                       block.text);
    }
  }
  return stage;
}

Result<std::unique_ptr<GatheredCases>> ask(const Stage& stage) {
  return gather_cases(stage.command, stage.host, stage.outside);
}

Result<std::unique_ptr<GatheredCases>> ask_instead(const Stage& stage,
                                                   const std::string& command_line) {
  CommandAsk command = stage.command;
  command.file = {};
  command.argv = {command_line};
  return gather_cases(command, stage.host, stage.outside);
}

}  // namespace sx::casebook
