// The entrance to the shell reader: what is no text is refused here, limits that are errors get
// their words.
#include "read/shell_words.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "read/shell_context.h"
#include "read/shell_reader.h"

namespace sx {
namespace {

constexpr std::size_t kLongestText = std::size_t{16} << 20U;
constexpr std::size_t kFront = 4096;  // a NUL here says that it is no script

Both shown_name(const Source& source) {
  switch (source.kind) {
    case SourceKind::CommandLine:
      return {"the command line", "命令行"};
    case SourceKind::StandardInput:
      return {"standard input", "标准输入"};
    case SourceKind::Process:
      return {"the process's command line", "进程的命令行"};
    case SourceKind::File:
      break;
  }
  if (source.name.empty()) return {"the file", "文件"};
  return {source.name, source.name + ' '};
}

// What a text that is none seems to be; empty: it may be a script.
Both what_else(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return {"UTF-16 text; it has to be saved as UTF-8", "是 UTF-16 文本；需要保存为 UTF-8"};
  if (text.starts_with("\x7F"
                       "ELF"))
    return {"a program, not a script", "是程序，不是脚本"};
  if (text.starts_with("\x1F\x8B") || text.starts_with("PK\x03\x04"))
    return {"a compressed file, not a script", "是压缩文件，不是脚本"};
  if (text.substr(0, kFront).contains('\0'))
    return {"no text: there are NUL bytes in it", "不是文本：其中有 NUL 字节"};
  return {};
}

std::optional<std::size_t> first_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte != 0 && byte < 0x80U) {
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text.substr(at));
    if (!point.valid || point.value == 0) return at;
    at += point.length;
  }
  return {};
}

std::unexpected<Error> too_long(const Source& from) {
  const Both name = shown_name(from);
  return fail(Error::Kind::TooLarge, name.english + " is longer than 16 MiB",
              name.chinese + "超过 16 MiB");
}

// What was read, or the limit that is an error.
Result<ShellText> finished(ShellContext& context, const Source& from, const Span& place) {
  if (context.too_many) {
    const Both name = shown_name(from);
    return fail(Error::Kind::TooLarge,
                name.english + " is too large to read: " + context.too_many_what.english,
                name.chinese + "太大，无法读取：" + context.too_many_what.chinese);
  }
  if (context.budget.spent()) context.note(ShellNote::Kind::TooDeep, place);
  return std::move(context.out);
}

}  // namespace

Result<ShellText> parse_shell(const Sources& sources, int source) {
  const Source& from = sources.at(source);
  const std::string_view text = from.text;
  if (text.size() > kLongestText) return too_long(from);
  if (const auto other = what_else(text); !other.empty()) {
    const Both name = shown_name(from);
    return fail(Error::Kind::Damaged, name.english + " is " + other.english,
                name.chinese + other.chinese);
  }
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  ShellContext context;
  if (const auto bad = first_bad_byte(text))
    context.note(ShellNote::Kind::NotText, {source, *bad, *bad + 1});
  const ShellPart part{.text = text, .source = source};
  ShellReader(context, part, text.starts_with(kMark) ? kMark.size() : 0).read();
  return finished(context, from, {source, 0, 0});
}

Result<ShellText> parse_shell_part(const Sources& sources, const Span& part, Command::Text written,
                                   std::vector<Setting> inherited) {
  const Source& from = sources.at(part.source);
  SX_ASSERT(part.begin <= part.end && part.end <= from.text.size());
  ShellContext context;
  const ShellPart shell{.text = std::string_view(from.text).substr(0, part.end),
                        .source = part.source,
                        .written = written};
  ShellReader(context, shell, part.begin, std::move(inherited)).read();
  return finished(context, from, part);
}

Result<ShellText> parse_shell_derived(std::string_view text, const Span& place,
                                      std::vector<Setting> inherited) {
  const Source nameless;
  if (text.size() > kLongestText) return too_long(nameless);
  ShellContext context;
  const ShellPart shell{
      .text = text, .source = place.source, .fixed = place, .written = Command::Text::Derived};
  ShellReader(context, shell, 0, std::move(inherited)).read();
  return finished(context, nameless, place);
}

}  // namespace sx
