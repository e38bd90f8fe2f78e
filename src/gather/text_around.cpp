// Words and lines alone: what a command that is named does with which file is not followed.
#include "gather/text_around.h"

#include <algorithm>
#include <string>

#include "base/shown_word.h"
#include "knowledge/words_around.h"

namespace sx {
namespace {

constexpr std::size_t kMostRead = 65536;  // scripts of people are shorter; asked for each path

constexpr Text kMade{"`{word}` stands in the same text and may bring it before the launch",
                     "同一文本中有 `{word}`，启动之前可能就会准备好它"};
constexpr Text kAsks{"the same text asks whether files are there: `{word}`",
                     "同一文本会先检查文件是否存在：`{word}`"};
constexpr Text kUnit{"the unit says {word}, so there may be something when it starts",
                     "单元里写了 {word}，启动时那里可能就有了"};
constexpr Text kCluster{"{word}: it runs on a node of a cluster, which may have other files",
                        "{word}：它在集群的节点上运行，那里的文件可能不同"};

constexpr std::string_view kBetween = " \t\r\n;&|()'\"\\`{}";  // of a shell's words

bool is_word(std::string_view text, std::size_t at, std::string_view word) {
  const bool begins = at == 0 || kBetween.find(text[at - 1]) != std::string_view::npos;
  const std::size_t end = at + word.size();
  return begins && (end >= text.size() || kBetween.find(text[end]) != std::string_view::npos);
}

bool says_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (is_word(text, at, word)) return true;
  }
  return false;
}

// A script beside the launch: what it does is not read.
std::string_view other_script(std::string_view text) {
  for (const std::string_view ending : words_around(AroundUse::Script)) {
    for (auto at = text.find(ending); at != std::string_view::npos;
         at = text.find(ending, at + 1)) {
      const std::size_t end = at + ending.size();
      if (end < text.size() && kBetween.find(text[end]) == std::string_view::npos) continue;
      const auto before = text.find_last_of(kBetween, at);
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      return text.substr(begin, end - begin);
    }
  }
  return {};
}

bool begins_line(std::string_view text, std::string_view word) {
  return text.starts_with(word) || text.find('\n' + std::string(word)) != std::string_view::npos;
}

// echo "$KEY" > /run/key
bool writes_into(std::string_view text, std::string_view path) {
  constexpr std::size_t kRead = 8;  // blanks and quotes: of a hostile text no more are read
  for (auto at = text.find(path); at != std::string_view::npos; at = text.find(path, at + 1)) {
    const std::string_view near = text.substr(at - std::min(at, kRead), std::min(at, kRead));
    const auto before = near.find_last_not_of(" \t'\"");
    if (before != std::string_view::npos && near[before] == '>') return true;
  }
  return false;
}

}  // namespace

bool changes_folder(std::string_view text) {
  return std::ranges::any_of(words_around(AroundUse::Moves),
                             [text](auto word) { return says_word(text, word); });
}

Message may_bring_files(std::string_view text, std::string_view path) {
  text = text.substr(0, kMostRead);
  for (const std::string_view word : words_around(AroundUse::Cluster)) {
    if (begins_line(text, word)) return {kCluster, {{"word", std::string(word)}}};
  }
  for (const std::string_view word : words_around(AroundUse::Unit)) {
    if (begins_line(text, word)) return {kUnit, {{"word", std::string(word)}}};
  }
  for (const std::string_view word : words_around(AroundUse::Brings)) {
    if (says_word(text, word)) return {kMade, {{"word", std::string(word)}}};
  }
  if (const std::string_view script = other_script(text); !script.empty())
    return {kMade, {{"word", shown_word(script)}}};
  for (const std::string_view word : words_around(AroundUse::Asks)) {
    if (text.contains(word)) return {kAsks, {{"word", std::string(word)}}};
  }
  return writes_into(text, path) ? Message{kMade, {{"word", "> " + std::string(path)}}} : Message{};
}

}  // namespace sx
