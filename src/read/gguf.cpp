// The GGUF format: magic, version, counts, keys, tensor table, padding, data. Limits and checks as
// in the format's own reader, ggml/src/gguf.cpp of https://github.com/ggml-org/llama.cpp.
#include "read/gguf.h"

#include "base/result.h"
#include "read/gguf_parts.h"

namespace sx {
namespace {

using namespace gguf;

GgufRead<void> check_magic(std::string_view magic) {
  if (magic == "GGUF") return {};
  if (magic == "tjgg" || magic == "fmgg" || magic == "lmgg" || magic == "algg")
    return fault(GgufFault::Kind::Obsolete,
                 {"it is a GGML file from before GGUF", "它是 GGUF 之前的 GGML 格式"});
  if (magic == "FUGG")
    return fault(GgufFault::Kind::Swapped, {"it was written for machines of the other byte order",
                                            "它是为字节序相反的机器写的"});
  return fault(GgufFault::Kind::NotGguf, {"it does not begin with GGUF", "文件开头不是 GGUF"});
}

GgufRead<int> read_version(Cursor& cursor) {
  SX_TRY(const std::uint32_t version, cursor.number32());
  if (version == 2 || version == 3) return static_cast<int>(version);
  if (version != 0 && (version & 0xFFFFU) == 0)
    return fault(GgufFault::Kind::Swapped, {"it was written for machines of the other byte order",
                                            "它是为字节序相反的机器写的"});
  const std::string said = std::to_string(version);
  return fault(GgufFault::Kind::Obsolete,
               {"it is GGUF version " + said + "; versions 2 and 3 are read",
                "它是 GGUF 第 " + said + " 版，只支持第 2 版和第 3 版"});
}

}  // namespace

std::expected<GgufHeader, GgufFault> parse_gguf_header(std::string_view front, Bytes file_bytes) {
  const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(file_bytes.count(), 0));
  Cursor cursor(front, std::max<std::uint64_t>(length, front.size()));
  SX_TRY(const std::string_view magic, cursor.bytes(4));
  if (auto known = check_magic(magic); !known) return std::unexpected(known.error());
  GgufHeader header;
  SX_TRY(header.version, read_version(cursor));
  SX_TRY(const std::uint64_t tensors, cursor.bits(8));
  SX_TRY(const std::uint64_t keys, cursor.bits(8));
  SX_TRY(header.keys, read_keys(cursor, keys));
  if (auto read = read_tensors(cursor, tensors, header); !read)
    return std::unexpected(read.error());
  return header;
}

}  // namespace sx
