// The safetensors format: eight bytes of length, a JSON header, then the tensors without gaps.
// Limits and checks as in the format's own reader: https://github.com/huggingface/safetensors,
// safetensors/src/tensor.rs.
#include "read/safetensors.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr std::int64_t kLongestHeader = 100'000'000;  // MAX_HEADER_SIZE of the format's reader
constexpr std::size_t kMostTensors = 1'000'000;
constexpr std::int64_t kMostData = std::int64_t{1}
                                   << 50U;  // sums of lengths stay far from overflow
constexpr std::size_t kMostDimensions = 64;

struct TypeBits {
  std::string_view name;
  int bits;
};
// `Dtype` in tensor.rs, version 0.6.
constexpr std::array kTypes = {
    TypeBits{"BOOL", 8},    TypeBits{"F4", 4},   TypeBits{"F6_E2M3", 6}, TypeBits{"F6_E3M2", 6},
    TypeBits{"U8", 8},      TypeBits{"I8", 8},   TypeBits{"F8_E5M2", 8}, TypeBits{"F8_E4M3", 8},
    TypeBits{"F8_E8M0", 8}, TypeBits{"I16", 16}, TypeBits{"U16", 16},    TypeBits{"F16", 16},
    TypeBits{"BF16", 16},   TypeBits{"I32", 32}, TypeBits{"U32", 32},    TypeBits{"F32", 32},
    TypeBits{"C64", 64},    TypeBits{"F64", 64}, TypeBits{"I64", 64},    TypeBits{"U64", 64},
};

struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::size_t tensor = 0;
};

std::unexpected<Error> damaged(Both what) { return fail(Error::Kind::Damaged, std::move(what)); }
std::unexpected<Error> damaged(const TensorInfo& tensor, const Both& what) {
  return damaged({"the header's tensor " + tensor.name + ' ' + what.english,
                  "文件头中的张量 " + tensor.name + ' ' + what.chinese});
}

// Empty when the product is beyond all real files.
std::optional<std::int64_t> elements(const std::vector<std::int64_t>& shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(product, size, &product) || product > kMostData) return {};
  }
  return product;
}

Result<void> read_shape(TensorInfo& tensor, JsonValue shape) {
  if (!shape.is(JsonKind::Array)) return damaged(tensor, {"has no shape", "没有 shape"});
  if (shape.size() > kMostDimensions)
    return damaged(tensor, {"has more than 64 dimensions", "超过 64 维"});
  tensor.shape.reserve(shape.size());
  for (JsonValue size = shape.first(); size; size = size.next()) {
    const auto count = size.integer();
    if (!count || *count < 0 || *count > kMostData)
      return damaged(tensor,
                     {"has a shape that is not made of whole numbers", "的 shape 不是由整数组成"});
    tensor.shape.push_back(*count);
  }
  return {};
}

Result<Extent> read_offsets(const TensorInfo& tensor, JsonValue offsets) {
  const auto begin = offsets.first().integer();
  const auto end = offsets.first().next().integer();
  if (!offsets.is(JsonKind::Array) || offsets.size() != 2 || !begin || !end) {
    return damaged(tensor, {"has no two data offsets", "没有两个数据偏移（data_offsets）"});
  }
  if (*begin < 0 || *end < *begin)
    return damaged(tensor, {"has data offsets that run backwards", "的数据偏移首尾颠倒"});
  if (*end > kMostData)
    return damaged(tensor, {"has data offsets beyond 1 PiB", "的数据偏移超过 1 PiB"});
  return Extent{.begin = *begin, .end = *end};
}

Result<void> check_length(const TensorInfo& tensor) {
  const auto count = elements(tensor.shape);
  if (!count)
    return damaged(tensor, {"has a shape too large for any file", "的 shape 超出任何文件的大小"});
  const auto bits = safetensors_bits(tensor.dtype);
  if (!bits) return {};
  const std::int64_t whole = *count * *bits;
  if (whole % 8 == 0 && whole / 8 == tensor.bytes.count()) return {};
  const std::string has = std::to_string(tensor.bytes.count());
  const std::string needs = std::to_string(whole / 8);
  return damaged(tensor, {"is " + has + " bytes long, but its type and shape need " + needs,
                          "长 " + has + " 字节，而按其类型和 shape 需要 " + needs + " 字节"});
}

// The tensors in the order of the data must touch: no overlap, no hole, from offset 0 on.
Result<std::int64_t> check_extents(const std::vector<TensorInfo>& tensors,
                                   std::vector<Extent>& extents) {
  const auto place = [](const Extent& extent) { return std::pair{extent.begin, extent.end}; };
  if (!std::ranges::is_sorted(extents, {}, place)) std::ranges::sort(extents, {}, place);
  std::int64_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.begin < end)
      return damaged(tensors[extent.tensor], {"overlaps another tensor", "与另一个张量重叠"});
    if (extent.begin > end)
      return damaged(tensors[extent.tensor], {"leaves a hole before it", "之前有空洞"});
    end = extent.end;
  }
  return end;
}

Result<SafetensorsHeader> tensors_of(const JsonDocument& document) {
  const JsonValue root = document.root();
  if (!root.is(JsonKind::Object))
    return damaged({"the header is not a JSON object", "文件头不是 JSON 对象"});
  if (root.size() > kMostTensors)
    return fail(Error::Kind::TooLarge, "the header has more than 1 million tensors",
                "文件头里的张量超过 100 万个");
  for (const JsonNote& note : document.notes()) {
    if (note.kind == JsonNote::Kind::DuplicateKey)
      return damaged({"the header names a tensor twice", "文件头里有重名的张量"});
  }
  SafetensorsHeader header;
  std::vector<Extent> extents;
  header.tensors.reserve(root.size());
  extents.reserve(root.size());
  for (JsonValue entry = root.first(); entry; entry = entry.next()) {
    if (entry.raw_key() == "__metadata__") continue;
    TensorInfo tensor{.name = entry.key()};
    tensor.dtype = entry["dtype"].string().value_or("");
    SX_TRY(Extent extent, read_offsets(tensor, entry["data_offsets"]));
    tensor.bytes = Bytes{extent.end - extent.begin};
    if (auto read = read_shape(tensor, entry["shape"]); !read) return std::unexpected(read.error());
    if (auto fits = check_length(tensor); !fits) return std::unexpected(fits.error());
    extent.tensor = header.tensors.size();
    extents.push_back(extent);
    header.tensors.push_back(std::move(tensor));
  }
  SX_TRY(const std::int64_t end, check_extents(header.tensors, extents));
  header.file_bytes = Bytes{end};
  return header;
}

bool is_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\r' || byte == '\t';
}

}  // namespace

std::optional<int> safetensors_bits(std::string_view dtype) {
  const auto* type = std::ranges::find(kTypes, dtype, &TypeBits::name);
  if (type == kTypes.end()) return {};
  return type->bits;
}

Result<Bytes> safetensors_header_bytes(std::string_view first_eight) {
  if (first_eight.size() < 8)
    return damaged({"it is shorter than the 8 bytes that each safetensors file begins with",
                    "不足每个 safetensors 文件开头应有的 8 字节"});
  std::uint64_t length = 0;
  for (std::size_t at = 8; at > 0; --at)
    length = (length << 8U) | static_cast<unsigned char>(first_eight[at - 1]);
  if (length > static_cast<std::uint64_t>(kLongestHeader)) {
    const std::string told = std::to_string(length);
    return damaged(
        {"it begins with a header length of " + told + " bytes, more than any safetensors file has",
         "开头声明的文件头长 " + told + " 字节，超过任何 safetensors 文件"});
  }
  if (length < 2) return damaged({"it begins with an empty header", "开头的文件头是空的"});
  return Bytes{static_cast<std::int64_t>(length) + 8};
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view front) {
  SX_TRY(const Bytes needed, safetensors_header_bytes(front));
  const auto end = static_cast<std::size_t>(needed.count());
  if (front.size() < end) {
    const std::string has = std::to_string(front.size());
    const std::string needs = std::to_string(end);
    return fail(Error::Kind::TooLarge,
                "the header is " + needs + " bytes long, and only " + has + " bytes are there",
                "文件头长 " + needs + " 字节，而只有 " + has + " 字节");
  }
  auto document = JsonDocument::parse(front.substr(8, end - 8));
  if (!document) {
    const Error& error = document.error();
    return fail(error.kind, "its header is not readable: " + error.what,
                "文件头无法读取：" + error.chinese);
  }
  SX_TRY(SafetensorsHeader header, tensors_of(*document));
  header.data_begin = needed;
  header.file_bytes += needed;
  return header;
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view front, Bytes file_bytes) {
  SX_TRY(SafetensorsHeader header, parse_safetensors_header(front));
  if (file_bytes == header.file_bytes) return header;
  const std::string has = std::to_string(file_bytes.count());
  const std::string tells = std::to_string(header.file_bytes.count());
  return damaged({"it is " + has + " bytes long, but its header tells of " + tells,
                  "长 " + has + " 字节，而文件头声明的是 " + tells + " 字节"});
}

NotWeights looks_like(std::string_view front) {
  if (front.empty()) return NotWeights::Empty;
  if (front.starts_with("version https://git-lfs.github.com/spec/")) return NotWeights::LfsPointer;
  const std::string begin = lower(trimmed(front.substr(0, 256)));
  if (begin.starts_with("<!doctype") || begin.starts_with("<html") || begin.starts_with("<?xml")) {
    return NotWeights::WebPage;
  }
  // The high bytes of a header's length are zero, so eight letters in a row are no length.
  if (std::ranges::all_of(front.substr(0, 8), is_text)) return NotWeights::Text;
  return NotWeights::No;
}

std::optional<Bytes> lfs_pointer_size(std::string_view pointer) {
  for (const std::string_view line : lines_of(pointer.substr(0, 1024))) {
    if (!line.starts_with("size ")) continue;
    const auto size = to_integer(line.substr(5));
    if (size && *size >= 0 && *size <= kMostData) return Bytes{*size};
  }
  return {};
}

}  // namespace sx
