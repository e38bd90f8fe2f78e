// The library's sentences are known by their beginning: some end in the bytes that they are about.
#include "read/yaml_faults.h"

#include <array>
#include <string>

namespace sx {
namespace {

struct Known {
  std::string_view found;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array kKnown{
    Known{"end of map flow not found", "a { is never closed with }", "有 { 没有以 } 结束"},
    Known{"end of sequence flow not found", "a [ is never closed with ]", "有 [ 没有以 ] 结束"},
    Known{"end of map not found", "a map ends in the middle (look at the indentation)",
          "映射没有写完（请看缩进）"},
    Known{"end of sequence not found", "a list ends in the middle (look at the indentation)",
          "列表没有写完（请看缩进）"},
    Known{"illegal map value", "a colon stands where no value can begin",
          "冒号所在的位置不能开始一个值"},
    Known{"illegal map key", "a key stands where none can be", "这个位置不能有键"},
    Known{"illegal block entry", "a list item (-) stands where none can begin",
          "列表项（-）所在的位置不能开始一项"},
    Known{"illegal flow end", "a ] or } closes nothing", "有 ] 或 } 没有对应的开头"},
    Known{"illegal tab", "a tab stands in the indentation, where YAML takes blanks only",
          "缩进里有制表符，YAML 只接受空格"},
    Known{"illegal EOF in scalar", "a quoted text is never closed", "带引号的文本没有结束"},
    Known{"illegal document indicator in scalar", "a new document begins inside a quoted text",
          "带引号的文本里开始了新的文档"},
    Known{"unknown escape character",
          "a backslash in double quotes is followed by an unknown letter",
          "双引号内的反斜杠后面是未知的字符"},
    Known{"bad character found while scanning hex", "an escape has a digit that is none",
          "转义序列里有不是十六进制数字的字符"},
    Known{"invalid unicode", "an escape names no character", "转义序列不表示任何字符"},
    Known{"the referenced anchor is not defined", "an alias names an anchor that is nowhere",
          "别名所指的锚点不存在"},
    Known{"alias not found after *", "there is no name behind a *", "* 后面没有名称"},
    Known{"anchor not found after &", "there is no name behind a &", "& 后面没有名称"},
    Known{"cannot assign multiple", "a value has two tags, anchors or aliases",
          "一个值有两个标签、锚点或别名"},
    Known{"unknown token", "a character begins nothing here", "有字符在这个位置不能开始任何内容"},
    Known{"bad file", "it is nested too deeply", "嵌套过深"},
};

}  // namespace

Both yaml_fault(std::string_view found) {
  for (const Known& known : kKnown) {
    if (found.starts_with(known.found))
      return {std::string(known.english), std::string(known.chinese)};
  }
  const std::string quoted(found);
  return {"the YAML reader says: " + quoted, "YAML 解析器报告：" + quoted};
}

bool ends_lines_alone(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != std::string_view::npos;
       at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') return true;
  }
  return false;
}

Both lone_return_fault() {
  return {
      "its lines end in a carriage return alone (old Mac text); convert it, such as with "
      "`tr '\\r' '\\n'`",
      "它的行以单独的回车符（CR，旧 Mac 格式）结尾；需要先转换，例如用 `tr '\\r' '\\n'`"};
}

}  // namespace sx
