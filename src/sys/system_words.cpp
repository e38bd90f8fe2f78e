// The words that people read; those that nobody meets stay in English.
#include "sys/system_words.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace sx {
namespace {

struct Row {
  int error = 0;
  std::string_view chinese;
};

constexpr std::array kRows{
    Row{EACCES, "没有权限"},
    Row{EADDRINUSE, "地址已被占用"},
    Row{EADDRNOTAVAIL, "本机没有这个地址"},
    Row{EAGAIN, "资源暂时不可用"},
    Row{EBUSY, "正在被占用"},
    Row{ECONNABORTED, "连接已中止"},
    Row{ECONNREFUSED, "连接被拒绝"},
    Row{ECONNRESET, "连接被对方重置"},
    Row{EDQUOT, "超出磁盘配额"},
    Row{EEXIST, "已存在"},
    Row{EFBIG, "文件过大"},
    Row{EHOSTUNREACH, "到达不了该主机"},
    Row{EINVAL, "参数不合要求"},
    Row{EIO, "读写出错"},
    Row{EISDIR, "它是目录"},
    Row{ELOOP, "符号链接互相指向，层数过多"},
    Row{EMFILE, "打开的文件过多"},
    Row{ENAMETOOLONG, "名称太长"},
    Row{ENETUNREACH, "网络不可达"},
    Row{ENFILE, "系统中打开的文件过多"},
    Row{ENODEV, "没有这个设备"},
    Row{ENOENT, "没有这个文件或目录"},
    Row{ENOEXEC, "不是本机能执行的程序"},
    Row{ENOMEM, "内存不足"},
    Row{ENOSPC, "磁盘已满"},
    Row{ENOTCONN, "尚未连接"},
    Row{ENOTDIR, "路径中有一段不是目录"},
    Row{ENOTEMPTY, "目录不为空"},
    Row{ENXIO, "没有这个设备或地址"},
    Row{EPERM, "不允许这样做"},
    Row{EPIPE, "对方已关闭"},
    Row{EROFS, "文件系统只读"},
    Row{ESTALE, "文件已失效（网络文件系统）"},
    Row{ETIMEDOUT, "等待超时"},
    Row{ETXTBSY, "该程序文件正在使用"},
    Row{EXDEV, "不在同一个文件系统"},
    Row{E2BIG, "命令行与环境变量过长"},
};

}  // namespace

Both system_words(int error) {
  const std::string english = std::strerror(error);
  for (const Row& row : kRows) {
    if (row.error == error) return {english, std::string(row.chinese)};
  }
  return {english, english};
}

}  // namespace sx
