// SX1137. The long explanation and the scenes are in windows_line_ends.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/command/script_text.h"

namespace sx::rules {
namespace {

constexpr Text kContinued{"Windows line ends break the command off behind each backslash",
                          "Windows 换行符使命令在每个反斜杠之后断开"};
constexpr Text kLast{"a Windows line end becomes a part of the last word",
                     "Windows 换行符成为最后一个词的一部分"};
constexpr Text kLabel{"a carriage return stands behind it", "后面有一个回车符（CR）"};
constexpr Text kBecause{
    "a shell ends lines at the line feed alone; the carriage return in front of it is a letter "
    "like any other, and a backslash escapes it",
    "shell 只以换行符（LF）结束一行；它前面的回车符（CR）和普通字符一样，反斜杠会转义它"};
constexpr Text kRefused{
    "the launch gets a word of one carriage return and is refused; each line below runs by itself: "
    "\"command not found\"",
    "启动命令会多出一个只含回车符的词而被拒绝；下面每一行各自执行：“command not found”"};
constexpr Text kTaken{
    "the last value ends in a carriage return: a path or a name is not found then",
    "最后一个值以回车符结尾：路径或名字会因此找不到"};
constexpr Text kConvert{"convert the line ends: sed -i 's/\\r$//' {file}",
                        "转换换行符：sed -i 's/\\r$//' {file}"};

std::vector<Complaint> check(const Case& c) {
  const auto script = whole_script(c);
  if (!script || c.sources->at(script->source).kind != SourceKind::File) return {};
  const std::string_view inside = script->text.substr(script->begin, script->end - script->begin);
  const auto continued = inside.find("\\\r\n");
  const bool last = script->text.substr(script->end).starts_with("\r\n");
  if (continued == std::string_view::npos && !last) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  if (continued != std::string_view::npos) {
    d.title = kContinued;
    const std::size_t at = script->begin + continued;
    mark(d, script->span(at, at + 1), kLabel);
    d.otherwise = kRefused;
  } else {
    complaint.severity = Severity::Warning;
    d.title = kLast;
    mark(d, c.command.words.back().span, kLabel);
    d.otherwise = kTaken;
  }
  d.because = kBecause;
  d.subject = "line end";
  d.no_fix = {kConvert, {{"file", c.sources->at(script->source).name}}};
  return {complaint};
}

}  // namespace

extern const Rule windows_line_ends{
    .code = "SX1137",
    .name = "windows-line-ends",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
