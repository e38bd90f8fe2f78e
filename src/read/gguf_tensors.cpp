// The table of tensors of a GGUF file, and what each of their types takes.
#include <array>
#include <bit>

#include "base/result.h"
#include "read/gguf_parts.h"

namespace sx::gguf {
namespace {

constexpr std::uint64_t kLongestTensorName = 63;
constexpr std::uint32_t kMostDimensions = 4;
constexpr std::uint32_t kDefaultAlignment = 32;
constexpr std::uint32_t kNewestId = 42;  // types behind it are newer than this reader

// Source: enum ggml_type and its traits, ggml/src/ggml.c.
constexpr std::array kTypes = {
    GgmlType{0, "f32", 1, 4},         GgmlType{1, "f16", 1, 2},
    GgmlType{2, "q4_0", 32, 18},      GgmlType{3, "q4_1", 32, 20},
    GgmlType{6, "q5_0", 32, 22},      GgmlType{7, "q5_1", 32, 24},
    GgmlType{8, "q8_0", 32, 34},      GgmlType{9, "q8_1", 32, 36},
    GgmlType{10, "q2_K", 256, 84},    GgmlType{11, "q3_K", 256, 110},
    GgmlType{12, "q4_K", 256, 144},   GgmlType{13, "q5_K", 256, 176},
    GgmlType{14, "q6_K", 256, 210},   GgmlType{15, "q8_K", 256, 292},
    GgmlType{16, "iq2_xxs", 256, 66}, GgmlType{17, "iq2_xs", 256, 74},
    GgmlType{18, "iq3_xxs", 256, 98}, GgmlType{19, "iq1_s", 256, 50},
    GgmlType{20, "iq4_nl", 32, 18},   GgmlType{21, "iq3_s", 256, 110},
    GgmlType{22, "iq2_s", 256, 82},   GgmlType{23, "iq4_xs", 256, 136},
    GgmlType{24, "i8", 1, 1},         GgmlType{25, "i16", 1, 2},
    GgmlType{26, "i32", 1, 4},        GgmlType{27, "i64", 1, 8},
    GgmlType{28, "f64", 1, 8},        GgmlType{29, "iq1_m", 256, 56},
    GgmlType{30, "bf16", 1, 2},       GgmlType{34, "tq1_0", 256, 54},
    GgmlType{35, "tq2_0", 256, 66},   GgmlType{39, "mxfp4", 32, 17},
    GgmlType{40, "nvfp4", 64, 36},    GgmlType{41, "q1_0", 128, 18},
    GgmlType{42, "q2_0", 64, 18},
};

GgufRead<std::uint32_t> alignment_of(const GgufHeader& header) {
  const GgufValue* value = header.find("general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  const bool power = value->type == GgufValue::Type::U32 && value->integer > 0 &&
                     std::has_single_bit(static_cast<std::uint64_t>(value->integer));
  if (power) return static_cast<std::uint32_t>(value->integer);
  return damaged({"its general.alignment is no power of two of type u32",
                  "general.alignment 不是 u32 类型的 2 的幂"});
}

struct Placed {
  TensorInfo tensor;
  std::uint64_t offset = 0;
  bool sized = true;
};

std::unexpected<GgufFault> damaged_tensor(std::string_view tensor, const Both& words) {
  return damaged({"its tensor " + shown(tensor) + ' ' + words.english,
                  "张量 " + shown(tensor) + ' ' + words.chinese});
}

GgufRead<std::vector<std::int64_t>> read_shape(Cursor& cursor, std::string_view name) {
  SX_TRY(const std::uint32_t dimensions, cursor.number32());
  if (dimensions > kMostDimensions)
    return damaged_tensor(name,
                          {"has " + std::to_string(dimensions) + " dimensions; 4 are the most",
                           "有 " + std::to_string(dimensions) + " 维，最多 4 维"});
  std::vector<std::int64_t> shape;
  std::uint64_t product = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    SX_TRY(const std::uint64_t size, cursor.bits(8));
    if (size > kMostData)
      return damaged_tensor(name, {"is larger than any file", "比任何文件都大"});
    shape.push_back(static_cast<std::int64_t>(size));
    // Both are at most 2^50, so 128 bits hold the product.
    const auto whole = static_cast<unsigned __int128>(product) * size;
    if (whole > kMostData)
      return damaged_tensor(name, {"is larger than any file", "比任何文件都大"});
    product = static_cast<std::uint64_t>(whole);
  }
  return shape;
}

GgufRead<void> size_by_type(Placed& placed, std::uint32_t id) {
  TensorInfo& tensor = placed.tensor;
  if (id > kNewestId) {
    tensor.dtype = "type " + std::to_string(id);
    placed.sized = false;
    return {};
  }
  const auto* type = std::ranges::find(kTypes, static_cast<int>(id), &GgmlType::id);
  if (type == kTypes.end())
    return damaged_tensor(tensor.name,
                          {"has type " + std::to_string(id) + ", which was taken out of ggml",
                           "的类型 " + std::to_string(id) + " 已从 ggml 移除"});
  tensor.dtype = type->name;
  const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.front();
  if (row % type->block != 0)
    return damaged_tensor(
        tensor.name, {"has rows of " + std::to_string(row) + " elements, no multiple of " +
                          std::to_string(type->block) + " as " + tensor.dtype + " wants",
                      "每行 " + std::to_string(row) + " 个元素，不是 " + tensor.dtype + " 要求的 " +
                          std::to_string(type->block) + " 的倍数"});
  std::int64_t elements = 1;
  for (const std::int64_t size : tensor.shape) elements *= size;
  const auto bytes = static_cast<__int128>(elements) / type->block * type->bytes;
  if (bytes > static_cast<__int128>(kMostData))
    return damaged_tensor(tensor.name, {"is larger than any file", "比任何文件都大"});
  tensor.bytes = Bytes{static_cast<std::int64_t>(bytes)};
  return {};
}

GgufRead<Placed> read_tensor(Cursor& cursor) {
  SX_TRY(const std::string_view name, cursor.string());
  if (name.size() > kLongestTensorName)
    return damaged_tensor(name, {"has a name of more than 63 bytes", "的名字超过 63 字节"});
  Placed placed{.tensor = {.name = std::string(name)}};
  SX_TRY(placed.tensor.shape, read_shape(cursor, name));
  SX_TRY(const std::uint32_t type, cursor.number32());
  SX_TRY(placed.offset, cursor.bits(8));
  if (auto sized = size_by_type(placed, type); !sized) return std::unexpected(sized.error());
  return placed;
}

std::uint64_t padded(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

// Tensors follow one another in the order of the table, each padded to the alignment.
GgufRead<void> read_tensors(Cursor& cursor, std::uint64_t count, GgufHeader& header) {
  if (count > kMostEntries)
    return damaged({"its header tells of " + std::to_string(count) + " tensors",
                    "文件头声明有 " + std::to_string(count) + " 个张量"});
  SX_TRY(const std::uint32_t alignment, alignment_of(header));
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  bool sized = true;
  for (std::uint64_t i = 0; i < count; ++i) {
    SX_TRY(Placed placed, read_tensor(cursor));
    if (sized && placed.offset != next)
      return damaged_tensor(
          placed.tensor.name,
          {"begins at offset " + std::to_string(placed.offset) + ", expected " +
               std::to_string(next),
           "从偏移 " + std::to_string(placed.offset) + " 开始，应为 " + std::to_string(next)});
    sized = sized && placed.sized;
    end = next + static_cast<std::uint64_t>(placed.tensor.bytes.count());
    next = padded(end, alignment);
    if (next > kMostData)
      return damaged({"its tensors are larger than any file", "张量总长超过任何文件"});
    header.tensors.push_back(std::move(placed.tensor));
  }
  if (const auto name = doubled(header.tensors); !name.empty())
    return damaged_tensor(name, {"stands twice", "出现了两次"});
  const std::uint64_t begin = padded(cursor.at(), alignment);
  header.data_begin = Bytes{static_cast<std::int64_t>(begin)};
  if (sized)
    header.data_end = Bytes{static_cast<std::int64_t>(count == 0 ? cursor.at() : begin + end)};
  return {};
}

}  // namespace sx::gguf

namespace sx {

const GgmlType* find_ggml_type(std::string_view name) {
  const auto* type = std::ranges::find(gguf::kTypes, name, &GgmlType::name);
  return type == gguf::kTypes.end() ? nullptr : type;
}

}  // namespace sx
