// One pass over the lines of a page: a heading begins a scene, fences hold its blocks, the answer
// ends it.
#include "knowledge/scenes.h"

#include <algorithm>
#include <cstddef>

#include "base/strings.h"
#include "knowledge/embedded.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

constexpr std::string_view kFolder = "data/causes/scenes/";
constexpr std::string_view kEnding = ".md";
constexpr std::string_view kHeading = "## ";
constexpr std::string_view kFence = "```";
constexpr std::string_view kLog = "log";
constexpr std::string_view kCommand = "command";
constexpr std::string_view kAnswer = "answer";
constexpr std::string_view kNothing = "nothing";
constexpr std::string_view kBetween = " | ";  // the languages of a heading

bool is_han(std::string_view text) {
  // U+4E00 to U+9FFF begin with these bytes in UTF-8.
  return std::ranges::any_of(text, [](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value >= 0xE4 && value <= 0xE9;
  });
}

std::string_view front_word(std::string_view& rest) {
  rest = trimmed(rest);
  const auto end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

class PageReader {
 public:
  PageReader(std::string_view page, std::string_view bytes) : page_(page), bytes_(bytes) {}

  Result<std::vector<CauseScene>> read() {
    while (at_ < bytes_.size()) {
      if (auto taken = line(next_line()); !taken) return std::unexpected(taken.error());
    }
    if (auto ended = end_scene(); !ended) return std::unexpected(ended.error());
    return std::move(scenes_);
  }

 private:
  Result<void> line(std::string_view text) {
    if (text.starts_with(kHeading)) return heading(text.substr(kHeading.size()));
    if (text.starts_with(kFence)) return block(trimmed(text.substr(kFence.size())));
    if (trimmed(text).empty()) return {};
    return damaged(line_, {"stands outside of a block", "不在任何代码块里"});
  }

  Result<void> heading(std::string_view text) {
    if (auto ended = end_scene(); !ended) return ended;
    const auto between = text.find(kBetween);
    if (between == std::string_view::npos)
      return damaged(line_, {"the heading has no ` | ` between its languages",
                             "标题的两种语言之间没有 ` | `"});
    const Sentence both{trimmed(text.substr(0, between)),
                        trimmed(text.substr(between + kBetween.size()))};
    if (both.english.empty() || is_han(both.english) || !is_han(both.chinese))
      return damaged(line_, {"a heading is English, ` | `, Chinese", "标题应为英文、` | `、中文"});
    scenes_.push_back({.heading = both, .line = line_, .logs = {}, .command = {}, .answer = {}});
    answered_ = false;
    return {};
  }

  Result<void> block(std::string_view info) {
    const std::uint64_t opened = line_;
    const std::size_t begin = at_;
    std::size_t end = at_;
    bool closed = false;
    while (at_ < bytes_.size() && !closed) {
      end = at_;
      closed = next_line().starts_with(kFence);
    }
    if (!closed) return damaged(opened, {"the block is not closed", "代码块没有结束"});
    const std::string_view text = bytes_.substr(begin, end - begin);
    if (scenes_.empty())
      return damaged(opened, {"the block has no heading above it", "代码块上方没有标题"});
    if (answered_) return damaged(opened, {"stands behind the answer", "出现在答案之后"});
    if (info == kAnswer) return answer(opened, trimmed(text));
    if (info == kCommand) return command(opened, trimmed(text));
    if (front_word(info) == kLog) return log(opened, trimmed(info), text);
    return damaged(opened, {"a block is `log`, `log NAME`, `command` or `answer`",
                            "代码块只能是 `log`、`log 名称`、`command` 或 `answer`"});
  }

  Result<void> log(std::uint64_t opened, std::string_view name, std::string_view text) {
    auto& logs = scenes_.back().logs;
    if (name.empty()) name = kFirstLog;
    if (std::ranges::find(logs, name, &SceneLog::name) != logs.end())
      return damaged(opened, {"a second log of this name", "重名的日志"});
    if (trimmed(text).empty()) return damaged(opened, {"the log is empty", "日志为空"});
    logs.push_back({name, text});
    return {};
  }

  Result<void> command(std::uint64_t opened, std::string_view text) {
    if (text.empty() || text.contains('\n'))
      return damaged(opened, {"a command is one line", "命令应为一行"});
    scenes_.back().command = text;
    return {};
  }

  Result<void> answer(std::uint64_t opened, std::string_view text) {
    answered_ = true;
    CauseScene& scene = scenes_.back();
    if (scene.logs.empty()) return damaged(opened, {"no log stands above it", "上方没有日志"});
    if (text == kNothing) return {};
    const Both form{"an answer is `NAME CONFIDENCE LINE` (of several logs FILE:LINE), or `nothing`",
                    "答案应为 `名称 把握 行号`（多份日志写 文件:行号），或 `nothing`"};
    scene.answer.cause = front_word(text);
    scene.answer.confidence = front_word(text);
    std::string_view place = front_word(text);
    scene.answer.log = scene.logs.front().name;
    if (const auto colon = place.rfind(':'); colon != std::string_view::npos) {
      scene.answer.log = place.substr(0, colon);
      place.remove_prefix(colon + 1);
    } else if (scene.logs.size() > 1) {
      return damaged(opened, form);
    }
    const auto number = to_integer(place);
    const auto named = std::ranges::find(scene.logs, scene.answer.log, &SceneLog::name);
    if (!number || named == scene.logs.end() || !trimmed(text).empty())
      return damaged(opened, form);
    const auto lines = std::ranges::count(named->text, '\n');
    if (*number < 1 || *number > lines)
      return damaged(opened, {"the log has no such line", "日志里没有这一行"});
    scene.answer.line = static_cast<std::uint64_t>(*number);
    return {};
  }

  Result<void> end_scene() const {
    if (scenes_.empty() || answered_) return {};
    return damaged(scenes_.back().line, {"the scene has no answer", "场景没有答案"});
  }

  std::unexpected<Error> damaged(std::uint64_t at, const Both& what) const {
    const std::string place = std::string(page_) + ':' + std::to_string(at);
    return fail(Error::Kind::Damaged, place + ": " + what.english, place + "：" + what.chinese);
  }

  std::string_view next_line() {
    const auto end = std::min(bytes_.find('\n', at_), bytes_.size());
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = std::min(end + 1, bytes_.size());
    ++line_;
    return text;
  }

  std::string_view page_, bytes_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 0;
  std::vector<CauseScene> scenes_;
  bool answered_ = false;  // the last scene
};

}  // namespace

Result<std::vector<CauseScene>> read_scenes(std::string_view page, std::string_view bytes) {
  return PageReader(page, bytes).read();
}

std::string scene_page_name(const CauseRow& cause) {
  std::string name(kFolder);
  return name.append(cause.family).append("/").append(cause.name).append(kEnding);
}

std::vector<std::string_view> scene_pages() {
  std::vector<std::string_view> pages;
  for (const Embedded& file : embedded_files()) {
    if (file.name.starts_with(kFolder)) pages.push_back(file.name);
  }
  return pages;
}

std::vector<CauseScene> scenes_of_cause(const CauseRow& cause) {
  const std::string name = scene_page_name(cause);
  const auto bytes = find_table(name);
  if (!bytes) return {};
  return read_scenes(name, *bytes).value_or(std::vector<CauseScene>{});
}

}  // namespace sx
