// A weight file by its front: header, pointer, web page, or cut off.
#include "gather/model_weight_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/strings.h"
#include "gather/model_places.h"

namespace sx {
namespace {

constexpr Bytes kFirstLook = kib(64);  // most headers fit, so that most files are opened once
constexpr Bytes kShortLook{1024};
// A GGUF header holds the vocabulary and does not say how long it is: most end within the first
// look, and none has been seen that is longer than the last.
constexpr Bytes kGgufLook = mib(4);
constexpr Bytes kLongestGgufHeader = mib(256);
constexpr int kMoreEachLook = 8;
constexpr int kMostShards = 10'000;

WeightFile with(WeightFile file, FileState state, Both detail) {
  file.state = state;
  file.detail = std::move(detail);
  return file;
}

// The length, following links: the caches link to blobs that may not be there.
WeightFile measured(const Files& files, const std::string& path, const std::string& name) {
  WeightFile file{.path = name};
  const auto info = files.info(path);
  if (!info && info.error().kind == Error::Kind::Absent) {
    const bool link = files.link_target(path).has_value();
    return with(file, FileState::Missing,
                link ? Both{"a link to a file that is not there: its download was not finished",
                            "符号链接指向的文件不存在：下载没有完成"}
                     : Both{});
  }
  if (!info) return with(file, FileState::Unreadable, info.error().words());
  file.bytes = info->bytes;
  return file;
}

// Something else in the place of weights, by the front of the file.
WeightFile judged_by_front(WeightFile file, std::string_view front) {
  switch (looks_like(front)) {
    case NotWeights::No:
      return file;
    case NotWeights::Empty:
      return with(file, FileState::Truncated, {"it is empty", "文件是空的"});
    case NotWeights::WebPage:
      return with(file, FileState::WebPage,
                  {"a web page was saved in its place", "保存下来的是一个网页"});
    case NotWeights::Text:
      return with(file, FileState::Text, {"it is a text, not weights", "它是文本，不是权重"});
    case NotWeights::LfsPointer:
      file.expected = lfs_pointer_size(front).value_or(Bytes{});
      return with(file, FileState::Pointer,
                  {"a git-lfs pointer: the weights themselves were not fetched",
                   "git-lfs 指针：权重本身没有拉取"});
  }
  SX_UNREACHABLE("a kind of file that nobody thought of");
}

// A GGUF file may be longer than its tensors, not shorter.
WeightFile judged_by_length(WeightFile file, const std::optional<Bytes>& end) {
  if (!end) return file;
  file.expected = *end;
  if (file.bytes >= *end) return file;
  return with(file, FileState::Truncated, {"it ends inside its tensors", "在张量数据中间结束"});
}

// The whole header, when the first look had not all of it.
Result<std::string> with_header(const Files& files, const std::string& path, std::string front,
                                Bytes needed) {
  if (needed <= Bytes{static_cast<std::int64_t>(front.size())}) return front;
  return files.read_front(path, needed);
}

}  // namespace

WeightFile read_safetensors(const Files& files, const std::string& folder, const std::string& name,
                            std::vector<TensorInfo>& tensors) {
  const std::string path = joined_path(folder, name);
  WeightFile file = measured(files, path, name);
  if (file.state != FileState::Ok) return file;
  auto front = files.read_front(path, kFirstLook);
  if (!front) return with(file, FileState::Unreadable, front.error().words());
  file = judged_by_front(std::move(file), *front);
  if (file.state != FileState::Ok) return file;
  const auto needed = safetensors_header_bytes(*front);
  if (!needed) return with(file, FileState::Damaged, needed.error().words());
  if (*needed > file.bytes) {
    file.expected = *needed;
    file.at_least = true;
    return with(file, FileState::Truncated, {"it ends inside its header", "在文件头中间结束"});
  }
  auto bytes = with_header(files, path, *std::move(front), *needed);
  if (!bytes) return with(file, FileState::Unreadable, bytes.error().words());
  auto header = parse_safetensors_header(*bytes);
  if (!header) return with(file, FileState::Damaged, header.error().words());
  file.expected = header->file_bytes;
  std::ranges::move(header->tensors, std::back_inserter(tensors));
  if (file.bytes < file.expected)
    return with(file, FileState::Truncated, {"it ends inside its tensors", "在张量数据中间结束"});
  if (file.bytes > file.expected)
    return with(file, FileState::Damaged,
                {"it is longer than its header tells", "比文件头声明的更长"});
  return file;
}

WeightFile read_gguf(const Files& files, const std::string& folder, const std::string& name,
                     std::optional<GgufHeader>& header) {
  const std::string path = joined_path(folder, name);
  WeightFile file = measured(files, path, name);
  if (file.state != FileState::Ok) return file;
  for (Bytes look = kGgufLook; look <= kLongestGgufHeader; look = look * kMoreEachLook) {
    const auto front = files.read_front(path, look);
    if (!front) return with(file, FileState::Unreadable, front.error().words());
    file = judged_by_front(std::move(file), *front);
    if (file.state != FileState::Ok) return file;
    auto parsed = parse_gguf_header(*front, file.bytes);
    if (!parsed && parsed.error().kind == GgufFault::Kind::NeedMore) continue;
    if (parsed) {
      header = std::move(*parsed);
      return judged_by_length(std::move(file), header->data_end);
    }
    const GgufFault& fault = parsed.error();
    if (fault.kind == GgufFault::Kind::Obsolete)
      return with(file, FileState::Obsolete, fault.words);
    if (fault.kind != GgufFault::Kind::EndsInside)
      return with(file, FileState::Damaged, fault.words);
    file.expected = fault.needed;
    file.at_least = true;
    return with(file, FileState::Truncated, fault.words);
  }
  return with(file, FileState::Unreadable,
              {"its header is longer than 256 MiB", "文件头超过 256 MiB"});
}

WeightFile look_at_weights(const Files& files, const std::string& folder, const std::string& name) {
  const std::string path = joined_path(folder, name);
  WeightFile file = measured(files, path, name);
  if (file.state != FileState::Ok) return file;
  const auto front = files.read_front(path, kShortLook);
  if (!front) return with(file, FileState::Unreadable, front.error().words());
  return judged_by_front(std::move(file), *front);
}

std::optional<ShardName> shard_name(std::string_view name) {
  const auto of = name.rfind("-of-");
  if (of == std::string_view::npos || of < 6) return {};
  const auto dash = name.rfind('-', of - 1);
  if (dash == std::string_view::npos) return {};
  const std::string_view count = name.substr(of + 4, name.find('.', of) - of - 4);
  const auto number = to_integer(name.substr(dash + 1, of - dash - 1));
  const auto total = to_integer(count);
  if (!number || !total || *number < 1 || *total < *number || *total > kMostShards) return {};
  return ShardName{.before = name.substr(0, dash),
                   .number = static_cast<int>(*number),
                   .of = static_cast<int>(*total),
                   .after = name.substr(of + 4 + count.size())};
}

std::string shard_file(const ShardName& shard, int number) {
  const auto five = [](int part) {
    const std::string digits = std::to_string(part);
    return std::string(5 - std::min<std::size_t>(digits.size(), 5), '0') + digits;
  };
  return std::string(shard.before) + "-" + five(number) + "-of-" + five(shard.of) +
         std::string(shard.after);
}

std::vector<std::string> shards_missing(const std::vector<std::string>& present) {
  std::map<std::pair<std::string, int>, std::set<int>> sets;
  std::map<std::pair<std::string, int>, std::string> endings;
  for (const std::string& name : present) {
    const auto shard = shard_name(name);
    if (!shard) continue;
    const std::pair key{std::string(shard->before), shard->of};
    sets[key].insert(shard->number);
    endings[key] = shard->after;
  }
  std::vector<std::string> missing;
  for (const auto& [key, numbers] : sets) {
    for (int number = 1; number <= key.second; ++number) {
      if (numbers.contains(number)) continue;
      const ShardName shard{
          .before = key.first, .number = number, .of = key.second, .after = endings[key]};
      missing.push_back(shard_file(shard, number));
    }
  }
  return missing;
}

}  // namespace sx
