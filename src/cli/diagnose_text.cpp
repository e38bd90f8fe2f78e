// The answer for people, in the shape of a finding: title, place with its line, why, how sure, the
// way out.
#include <algorithm>

#include "cli/diagnose_answer.h"
#include "cli/stage_words.h"
#include "diag/marks.h"
#include "diag/sentences.h"
#include "diag/shown_line.h"
#include "diag/words.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr Text kCause{"cause", "根因"};
constexpr Text kBecause{"because  ", "原因"};
constexpr Text kOtherwise{"otherwise", "后果"};
constexpr Text kSo{"so       ", "其余"};
constexpr Text kSure{"sure     ", "把握"};
constexpr Text kEchoes{"{count} more lines only pass it on", "另有 {count} 行只是连带报错"};
constexpr Text kOneEcho{"1 more line only passes it on", "另有 1 行只是连带报错"};
constexpr Text kCertain{"certain", "确定"};
constexpr Text kLikely{"likely", "很可能"};
constexpr Text kPossible{"possible", "有可能"};
constexpr Text kSureHow{"{how}; to confirm: {sure}", "{how}；确认方法：{sure}"};
constexpr Text kBeside{"beside that, and not because of it:", "除此之外，还有一处互不相关的故障："};
constexpr Text kEarlier{"an earlier start in the same log failed of something else:",
                        "同一份日志里，更早的一次启动失败于另一个原因："};
constexpr Text kRank{"rank {rank}", "rank {rank}"};
constexpr Text kRanks{"ranks {ranks}", "rank {ranks}"};
constexpr Text kNone{"no cause was found in {lines} lines", "在 {lines} 行日志中没有找到根因"};
constexpr Text kHealthy{"no cause was found in {lines} lines; the server came up",
                        "在 {lines} 行日志中没有找到根因；服务已经起来"};
constexpr Text kLast{"it stopped here (phase: {phase}):", "日志停在这里（阶段：{phase}）："};
constexpr Text kLastOfAll{"it stopped here:", "日志停在这里："};  // no line told of a phase
constexpr Text kWrapped{
    "the log says that the engine failed, not why: the cause stands in lines before these, or in "
    "the output of another process",
    "日志只说引擎失败了，没有说为什么：根因在更早的行里，或在别的进程的输出里"};
constexpr Text kHere{"here     ", "停在"};
constexpr Text kNext{"next     ", "接着"};
constexpr Text kCollect{"to know more, give these as well (several files are one run):",
                        "要进一步定位，把下面这些也一并给出（多个文件算同一次运行）："};
constexpr Text kAgain{"the same launch, made to say more:", "同一条命令，让它多打印一些："};
constexpr Text kHarmless{"no failure of the run (line, how often):",
                         "与这次失败无关的行（行号、次数）："};
constexpr Text kCut{"{file}: {count} lines are longer than is read; their ends were not looked at",
                    "{file}：有 {count} 行过长，行尾没有读"};
constexpr Text kDamaged{
    "{file}: the packed bytes end too early or are damaged; what came before was read",
    "{file}：压缩数据损坏或不完整；已读取之前的部分"};
constexpr Text kNccl{"what NCCL says of itself:", "NCCL 的自述："};
constexpr Text kCollectives{"what torch's watchdog says:", "torch watchdog 的记录："};
constexpr Text kFlight{"what torch's flight recorder says:", "torch flight recorder 的记录："};
constexpr Text kKernel{"what the kernel says:", "内核日志："};
constexpr Text kStacks{"where the processes are:", "各进程停在哪里："};
constexpr Text kProcesses{"what was collected from the processes:", "从进程收集到的情况："};
constexpr Text kAt{" ({file}:{line})", "（{file}:{line}）"};
constexpr std::size_t kMostRanks = 16;

const Text& how(Certainty certainty) {
  switch (certainty) {
    case Certainty::Certain:
      return kCertain;
    case Certainty::Likely:
      return kLikely;
    case Certainty::Possible:
      return kPossible;
  }
  return kPossible;
}

class Page {
 public:
  Page(const DiagnoseAnswer& answer, const Style& style)
      : answer_(answer), style_(style), painter_(style.colour) {}

  std::string whole() {
    for (const CauseAnswer& cause : answer_.causes) {
      if (!out_.empty()) {
        out_ += '\n';
        line({cause.found.earlier ? kEarlier : kBeside});
      }
      add(cause);
    }
    if (answer_.causes.empty()) nothing();
    beside();
    if (answer_.all) harmless();
    for (const LogFile& file : answer_.run.files) {
      if (file.damaged) line({kDamaged, {{"file", file.name}}});
      if (file.cut_lines > 0)
        line({kCut, {{"file", file.name}, {"count", static_cast<std::int64_t>(file.cut_lines)}}});
    }
    return std::move(out_);
  }

 private:
  std::string say(const Message& message) const { return rendered(message, style_.language); }

  void line(const Message& message) {
    out_ += sentence(printable(say(message)), Paint::Plain, style_.width, painter_);
  }

  void add(const CauseAnswer& cause) {
    std::string head(kCause.in(style_.language));
    head.append("[").append(cause.code.empty() ? cause.found.name : cause.code).append("]: ");
    out_ += hanging(head, Paint::Error, in(cause.title, style_.language), Paint::Strong,
                    style_.width, painter_);
    excerpt(cause);
    equals(kBecause, in(cause.because, style_.language));
    equals(kOtherwise, in(cause.otherwise, style_.language));
    if (cause.found.echoes > 0) {
      const auto count = static_cast<std::int64_t>(cause.found.echoes);
      equals(kSo, say(count == 1 ? Message{kOneEcho} : Message{kEchoes, {{"count", count}}}));
    }
    const Text& certainty = how(cause.found.certainty);
    equals(
        kSure,
        cause.sure.empty()
            ? say({certainty})
            : say({kSureHow,
                   {{"how", certainty}, {"sure", std::string(in(cause.sure, style_.language))}}}));
    ways_out(cause);
  }

  std::string place_words(const CauseAnswer& cause) const {
    const LogPlace& at = cause.found.root.place;
    std::string words = answer_.run.files.at(static_cast<std::size_t>(at.file)).name;
    if (words == "-") words = words::kStandardInput.in(style_.language);
    words += ":" + std::to_string(at.line);
    const auto& ranks = cause.found.ranks;
    const std::string_view comma = words::kComma.in(style_.language);
    if (ranks.size() > 1 && ranks.size() <= kMostRanks) {
      std::string list;
      for (const int rank : ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
      words.append(comma).append(say({kRanks, {{"ranks", list}}}));
    } else if (at.rank >= 0) {
      words.append(comma).append(say({kRank, {{"rank", at.rank}}}));
    }
    const bool said = at.process == "rank" + std::to_string(at.rank);  // torch calls it so
    if (!at.process.empty() && !said) words.append(comma).append(at.process);
    return printable(words);
  }

  void excerpt(const CauseAnswer& cause) {
    const LogPlace& at = cause.found.root.place;
    gutter_ = std::to_string(at.line).size();
    for (const LogEvent& event : cause.found.evidence)
      gutter_ = std::max(gutter_, std::to_string(event.place.line).size());
    out_ += painter_(Paint::Quiet, " --> ") + place_words(cause) + "\n";
    bar("", "");
    excerpt_line(at, true);
    for (const LogEvent& event : cause.found.evidence) {
      if (event.place.file == at.file) {
        excerpt_line(event.place, false);
      } else {
        out_ += painter_(Paint::Quiet, " ::: ") +
                printable(answer_.run.files.at(static_cast<std::size_t>(event.place.file)).name) +
                ":" + std::to_string(event.place.line) + "\n";
        excerpt_line(event.place, false);
      }
    }
    bar("", "");
  }

  void excerpt_line(const LogPlace& at, bool primary) {
    const std::size_t width = std::max(style_.width, kLeastWidth);
    const std::size_t room = width > gutter_ + 3 ? width - gutter_ - 3 : 1;
    const std::size_t begin = std::min(at.begin, at.text.size());
    const std::size_t end = std::clamp(at.end, begin, at.text.size());
    const ShownLine shown = shown_line(at.text, {{begin, end}}, room);
    bar(std::to_string(at.line), shown.text);
    std::vector<Mark> marks{{.cells = shown.marks.front(), .primary = primary, .text = {}}};
    for (const Row& row : rows_under(std::move(marks), room, Paint::Error))
      bar("", painted(row, painter_));
  }

  void bar(std::string_view number, std::string_view text) {
    std::string left(gutter_ - std::min(gutter_, number.size()), ' ');
    left.append(number).append(" |");
    out_ += painter_(Paint::Quiet, left);
    if (!text.empty()) out_.append(" ").append(text);
    out_ += '\n';
  }

  void equals(const Text& key, std::string_view words) {
    if (words.empty()) return;
    std::string head(gutter_ + 1, ' ');
    head.append("= ").append(key.in(style_.language)).append(" ");
    out_ += hanging(head, Paint::Quiet, words, Paint::Plain, style_.width, painter_);
  }

  void ways_out(const CauseAnswer& cause) {
    for (const Fix& fix : cause.fixes) {
      out_ += hanging(words::kFix.in(style_.language), Paint::Strong, say(fix.title), Paint::Plain,
                      style_.width, painter_);
      out_ += command_lines(fix.command, painter_);
    }
    if (cause.fixes.empty() && !cause.steps.empty())
      out_ += hanging(words::kFix.in(style_.language), Paint::Strong,
                      in(cause.steps, style_.language), Paint::Plain, style_.width, painter_);
    out_ += painter_(Paint::Quiet, words::kExplain.in(style_.language));
    out_.append("sextant explain ")
        .append(cause.code.empty() ? cause.found.name : cause.code)
        .append("\n");
  }

  // One sentence a line under the name of who tells it.
  void beside() {
    std::string_view topic;
    for (const BesideNote& note : answer_.notes) {
      if (note.topic != topic) {
        if (!out_.empty()) out_ += '\n';
        line({topic_words(note.topic)});
        topic = note.topic;
      }
      std::string words(in(note.said, style_.language));
      const auto file = static_cast<std::size_t>(note.at.file);
      if (note.at.line > 0 && file < answer_.run.files.size()) {
        std::string name = answer_.run.files[file].name;
        if (name == "-") name = words::kStandardInput.in(style_.language);
        words += say({kAt, {{"file", name}, {"line", static_cast<std::int64_t>(note.at.line)}}});
      }
      out_ += hanging("  ", Paint::Quiet, words, Paint::Plain, style_.width, painter_);
      if (!note.command.empty()) out_ += command_lines(note.command, painter_);
    }
  }

  static const Text& topic_words(std::string_view topic) {
    if (topic == "nccl") return kNccl;
    if (topic == "collectives") return kCollectives;
    if (topic == "flight-recorder") return kFlight;
    if (topic == "kernel") return kKernel;
    return topic == "stacks" ? kStacks : kProcesses;
  }

  void harmless() {
    const auto all = harmless_of(answer_);
    if (all.empty()) return;
    out_ += '\n';
    line({kHarmless});
    for (const Harmless& one : all) {
      const LogPlace& at = one.event->place;
      const std::string head =
          "  " + std::to_string(at.line) + " (" + std::to_string(one.count) + "x) ";
      out_ += hanging(head, Paint::Quiet, at.text, Paint::Plain, style_.width, painter_);
    }
  }

  // What normally comes next, and what to collect.
  void steps(const NextSteps& next) {
    equals(kHere, in(next.here, style_.language));
    equals(kNext, in(next.next, style_.language));
    line({kCollect});
    for (const NextSteps::Item& item : next.collect) {
      out_ += hanging("  ", Paint::Quiet, in(item.what, style_.language), Paint::Plain,
                      style_.width, painter_);
      out_ += command_lines(item.command, painter_);
    }
    if (next.again.empty()) return;
    line({kAgain});
    out_ += command_lines(next.again, painter_);
  }

  void nothing() {
    std::int64_t lines = 0;
    for (const LogFile& file : answer_.run.files) lines += static_cast<std::int64_t>(file.lines);
    line({answer_.healthy ? kHealthy : kNone, {{"lines", lines}}});
    if (answer_.healthy) return;
    if (!answer_.run.files.empty()) last_words(answer_.run.files.front().last);
    if (answer_.run.wrapped && !answer_.run.ended_well) line({kWrapped});
    if (answer_.next) steps(*answer_.next);
  }

  void last_words(const LogPlace& last) {
    if (last.line == 0) return;
    const Phase phase = answer_.run.phase;
    if (phase == Phase::Unknown)
      line({kLastOfAll});
    else
      line({kLast, {{"phase", stage_name(word(phase), style_.language)}}});
    gutter_ = std::to_string(last.line).size();
    const std::size_t width = std::max(style_.width, kLeastWidth);
    bar(std::to_string(last.line),
        shown_line(last.text, {{0, 0}}, width > gutter_ + 3 ? width - gutter_ - 3 : 1).text);
  }

  const DiagnoseAnswer& answer_;
  const Style& style_;
  Painter painter_;
  std::size_t gutter_ = 1;
  std::string out_;
};

}  // namespace

std::string diagnose_text(const DiagnoseAnswer& answer, const Style& style) {
  return Page(answer, style).whole();
}

}  // namespace sx
