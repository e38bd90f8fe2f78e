// What went wrong with a file, in the words that the real files and their twin in memory share.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace sx::file_words {

struct Clause {
  std::string_view english, chinese;
  operator Both() const {
    return {std::string(english), std::string(chinese)};
  }  // NOLINT: a clause is both its languages
};

inline constexpr Clause kRead{"cannot read", "无法读取"};
inline constexpr Clause kLookAt{"cannot look at", "无法查看"};
inline constexpr Clause kList{"cannot list", "无法列出"};
inline constexpr Clause kFollow{"cannot follow", "无法跟随"};

inline constexpr Clause kAbsent{"no such file", "没有这个文件"};
inline constexpr Clause kFolder{"it is a folder", "它是目录"};
inline constexpr Clause kNoFolder{"a part of the path is not a folder", "路径中有一段不是目录"};
inline constexpr Clause kDenied{"permission denied", "没有权限"};
inline constexpr Clause kManyLinks{"too many links lead to each other",
                                   "符号链接互相指向，层数过多"};
inline constexpr Clause kLongName{"the name is too long", "名称太长"};
inline constexpr Clause kDisk{"the disk reports an error", "磁盘报告错误"};
inline constexpr Clause kManyOpen{"too many files are open", "打开的文件过多"};
inline constexpr Clause kNotRegular{"it is not a regular file", "它不是普通文件"};
inline constexpr Clause kManyNames{"it holds more than 100 000 names", "其中的名称超过 100 000 个"};
inline constexpr Clause kNoLink{"it is no link", "它不是符号链接"};

inline Both longer_than(Bytes limit) {
  const std::string most = std::to_string(limit.count());
  return {"it is longer than " + most + " bytes", "长度超过 " + most + " 字节"};
}

inline std::unexpected<Error> not_done(Error::Kind kind, Clause deed, const std::string& path,
                                       const Both& why) {
  return fail(kind, std::string(deed.english) + ' ' + path + ": " + why.english,
              std::string(deed.chinese) + ' ' + path + "：" + why.chinese);
}

}  // namespace sx::file_words
