// The metadata of a GGUF file: names with typed values, arrays among them.
#include <bit>
#include <limits>

#include "base/result.h"
#include "read/gguf_parts.h"

namespace sx::gguf {
namespace {

constexpr std::size_t kKeptText = 4096;
constexpr std::size_t kKeptItems = 4096;  // a number a layer; vocabularies are only counted

bool is_integer(GgufValue::Type type) {
  using enum GgufValue::Type;
  return type != F32 && type != F64 && type != String && type != Array;
}

std::uint64_t width_of(GgufValue::Type type) {
  using enum GgufValue::Type;
  switch (type) {
    case U8:
    case I8:
    case Bool:
      return 1;
    case U16:
    case I16:
      return 2;
    case U32:
    case I32:
    case F32:
      return 4;
    case U64:
    case I64:
    case F64:
      return 8;
    case String:
    case Array:
      return 0;
  }
  return 0;
}

std::int64_t integer_of(GgufValue::Type type, std::uint64_t bits) {
  using enum GgufValue::Type;
  switch (type) {
    case I8:
      return static_cast<std::int8_t>(bits);
    case I16:
      return static_cast<std::int16_t>(bits);
    case I32:
      return static_cast<std::int32_t>(bits);
    case I64:
      return static_cast<std::int64_t>(bits);
    case Bool:
      return bits != 0 ? 1 : 0;
    default:
      return static_cast<std::int64_t>(
          std::min<std::uint64_t>(bits, std::numeric_limits<std::int64_t>::max()));
  }
}

double number_of(GgufValue::Type type, std::uint64_t bits) {
  if (type == GgufValue::Type::F32)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == GgufValue::Type::F64) return std::bit_cast<double>(bits);
  return static_cast<double>(integer_of(type, bits));
}

GgufRead<GgufValue::Type> read_type(Cursor& cursor, std::string_view key) {
  SX_TRY(const std::uint32_t type, cursor.number32());
  if (type <= static_cast<std::uint32_t>(GgufValue::Type::F64))
    return static_cast<GgufValue::Type>(type);
  const std::string said = std::to_string(type);
  return damaged({"its key " + shown(key) + " has the unknown value type " + said,
                  "键 " + shown(key) + " 的值类型 " + said + " 是未知类型"});
}

GgufRead<GgufValue> read_array(Cursor& cursor, std::string_view key) {
  GgufValue value{.type = GgufValue::Type::Array};
  SX_TRY(value.element, read_type(cursor, key));
  SX_TRY(value.length, cursor.bits(8));
  if (value.element == GgufValue::Type::Array)
    return damaged(
        {"its key " + shown(key) + " is an array of arrays", "键 " + shown(key) + " 是数组的数组"});
  if (value.length > kLongestGguf)
    return damaged(
        {"its key " + shown(key) + " is an array of " + std::to_string(value.length) + " items",
         "键 " + shown(key) + " 是有 " + std::to_string(value.length) + " 项的数组"});
  if (value.element == GgufValue::Type::String) {
    for (std::uint64_t i = 0; i < value.length; ++i) {
      if (auto item = cursor.string(); !item) return std::unexpected(item.error());
    }
    return value;
  }
  const std::uint64_t width = width_of(value.element);
  SX_TRY(const std::string_view raw, cursor.bytes(value.length * width));
  if (!is_integer(value.element)) return value;
  Cursor items(raw, raw.size());
  const std::size_t kept =
      std::min<std::size_t>(static_cast<std::size_t>(value.length), kKeptItems);
  value.items.reserve(kept);
  for (std::size_t i = 0; i < kept; ++i)
    value.items.push_back(integer_of(value.element, items.bits(width).value_or(0)));
  return value;
}

GgufRead<GgufValue> read_value(Cursor& cursor, std::string_view key) {
  SX_TRY(const GgufValue::Type type, read_type(cursor, key));
  if (type == GgufValue::Type::Array) return read_array(cursor, key);
  GgufValue value{.type = type};
  if (type == GgufValue::Type::String) {
    SX_TRY(const std::string_view text, cursor.string());
    value.length = text.size();
    value.text = text.substr(0, kKeptText);
    return value;
  }
  SX_TRY(const std::uint64_t bits, cursor.bits(width_of(type)));
  value.integer = is_integer(type) ? integer_of(type, bits) : 0;
  value.number = number_of(type, bits);
  return value;
}

}  // namespace

GgufRead<std::vector<GgufKey>> read_keys(Cursor& cursor, std::uint64_t count) {
  if (count > kMostEntries)
    return damaged({"its header tells of " + std::to_string(count) + " keys",
                    "文件头声明有 " + std::to_string(count) + " 个键"});
  std::vector<GgufKey> keys;  // not reserved: the count is only what the file says
  for (std::uint64_t i = 0; i < count; ++i) {
    SX_TRY(const std::string_view name, cursor.string());
    if (name.empty()) return damaged({"one of its keys has no name", "有一个键没有名字"});
    GgufKey key{.name = std::string(name)};
    SX_TRY(key.value, read_value(cursor, name));
    keys.push_back(std::move(key));
  }
  if (const auto name = doubled(keys); !name.empty())
    return damaged(
        {"its key " + shown(name) + " stands twice", "键 " + shown(name) + " 出现了两次"});
  return keys;
}

}  // namespace sx::gguf

namespace sx {

const GgufValue* GgufHeader::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &GgufKey::name);
  return found == keys.end() ? nullptr : &found->value;
}

std::optional<std::int64_t> GgufHeader::integer(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr || !gguf::is_integer(value->type)) return {};
  return value->integer;
}

std::optional<double> GgufHeader::number(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr || value->type == GgufValue::Type::String ||
      value->type == GgufValue::Type::Array)
    return {};
  return value->number;
}

std::optional<std::string> GgufHeader::text(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr || value->type != GgufValue::Type::String) return {};
  return value->text;
}

}  // namespace sx
