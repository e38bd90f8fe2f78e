// The fixed words around every message, in both languages, in one place for translators.
#pragma once

#include "diag/diagnostic.h"

namespace sx::words {

inline constexpr Text kError{"error", "错误"};
inline constexpr Text kWarning{"warning", "警告"};
inline constexpr Text kAdvice{"advice", "建议"};

constexpr Text severity(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return kError;
    case Severity::Warning:
      return kWarning;
    case Severity::Advice:
      return kAdvice;
  }
  return kError;
}

// Keys of the lines that start with `=`; English ones are padded to the longest.
inline constexpr Text kBasis{"basis    ", "依据"};
inline constexpr Text kBecause{"because  ", "原因"};
inline constexpr Text kOtherwise{"otherwise", "后果"};
inline constexpr Text kHere{"here     ", "此处"};

inline constexpr Text kSamePlace{"same place as above", "位置同上"};
inline constexpr Text kFix{"fix: ", "修复: "};
// A finding that no change of the command cures: what would.
inline constexpr Text kNoFix{"by hand: ", "手动处理: "};
// Behind a fix: warnings that were not there before it.
inline constexpr Text kBrings{"brings   ", "带来"};
inline constexpr Text kBrought{"a new warning, {code}: {title}", "新的警告 {code}：{title}"};
inline constexpr Text kExplain{"explain: ", "详解: "};

inline constexpr Text kCommandLine{"command line", "命令行"};
inline constexpr Text kStandardInput{"standard input", "标准输入"};
inline constexpr Text kProcess{"command line of the process", "进程的命令行"};

// Between the parts of a count, and between sentences on one line.
inline constexpr Text kComma{", ", "，"};
inline constexpr Text kSemicolon{"; ", "；"};

// The verdict.
inline constexpr Text kOneError{"1 error", "1 个错误"};
inline constexpr Text kErrors{"{count} errors", "{count} 个错误"};
inline constexpr Text kOneWarning{"1 warning", "1 个警告"};
inline constexpr Text kWarnings{"{count} warnings", "{count} 个警告"};
inline constexpr Text kOneAdvice{"1 piece of advice", "1 条建议"};
inline constexpr Text kAdvices{"{count} pieces of advice", "{count} 条建议"};
inline constexpr Text kOneNotRun{"1 check not run", "1 项未检查"};
inline constexpr Text kNotRun{"{count} checks not run", "{count} 项未检查"};
inline constexpr Text kOneNotRunBecause{"1 check not run ({reasons})", "1 项未检查（{reasons}）"};
inline constexpr Text kNotRunBecause{"{count} checks not run ({reasons})",
                                     "{count} 项未检查（{reasons}）"};
inline constexpr Text kMoreReasons{"other reasons", "其他原因"};
inline constexpr Text kOnePassed{"1 check passed", "1 项检查通过"};
inline constexpr Text kPassed{"{count} checks passed", "{count} 项检查通过"};
inline constexpr Text kNothing{"nothing to say: {passed}", "无可报告：{passed}"};
// Where findings were allowed: they are counted on the next line.
inline constexpr Text kNothingElse{"nothing else to say: {passed}", "此外无可报告：{passed}"};
inline constexpr Text kNothingElseNotRun{"nothing else to say: {passed}, {missing}",
                                         "此外无可报告：{passed}，{missing}"};
inline constexpr Text kNothingNotRun{"nothing to say: {passed}, {count} not run",
                                     "无可报告：{passed}，{count} 项未检查"};
inline constexpr Text kNothingNotRunBecause{"nothing to say: {passed}, {count} not run ({reasons})",
                                            "无可报告：{passed}，{count} 项未检查（{reasons}）"};
inline constexpr Text kOneWaits{"1 more check waits for {code}", "另有 1 项检查要等 {code} 解决"};
inline constexpr Text kWait{"{count} more checks wait for {code}",
                            "另有 {count} 项检查要等 {code} 解决"};
inline constexpr Text kOneHidden{"1 piece of advice hidden (--all)", "1 条建议未显示（--all）"};
inline constexpr Text kHidden{"{count} pieces of advice hidden (--all)",
                              "{count} 条建议未显示（--all）"};
inline constexpr Text kOneShort{"1 warning shown as one line (--all)",
                                "1 个警告只显示一行（--all）"};
inline constexpr Text kShort{"{count} warnings shown as one line each (--all)",
                             "{count} 个警告只显示一行（--all）"};
inline constexpr Text kOneAllowed{"1 finding allowed", "已放行 1 个问题"};
inline constexpr Text kAllowed{"{count} findings allowed", "已放行 {count} 个问题"};
inline constexpr Text kUnusedAllowance{"{codes}: allowed, but not found any more",
                                       "{codes}：已放行，但已不再出现"};
inline constexpr Text kVersionAssumed{
    "{engine} {version} was assumed, the newest version known; --engine-version says another",
    "引擎版本未知，按已知最新的 {engine} {version} 检查；可用 --engine-version 指定"};
inline constexpr Text kLeftOut{"not in the commands shown: {words}", "上面的命令不包含：{words}"};
inline constexpr Text kLaunchOf{"launch {number} of {count}, line {line}: ",
                                "第 {number} 个启动命令（共 {count} 个），第 {line} 行: "};
inline constexpr Text kSameWith{"the same with {engine}:", "换成 {engine} 的等价命令:"};
inline constexpr Text kAllFixes{"with all fixes:", "应用全部修复:"};
inline constexpr Text kFixesThereAre{"with the fixes there are (an error stays):",
                                     "应用现有修复（仍有错误）:"};

}  // namespace sx::words
