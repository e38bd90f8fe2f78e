// GGUF headers: good ones, and what llama.cpp's own reader refuses, each by its reason.
#include "read/gguf.h"

#include <gtest/gtest.h>

#include <limits>

#include "gguf_made.h"

namespace sx {
namespace {

using Kind = GgufFault::Kind;

std::expected<GgufHeader, GgufFault> parsed(const GgufMaker& made) {
  return parse_gguf_header(made.header(), made.length());
}

std::string refused(const GgufMaker& made) {
  const auto header = parsed(made);
  return header ? "taken" : header.error().words.english;
}

TEST(Gguf, ReadsKeysAndTensors) {
  for (const std::uint32_t version : {2U, 3U}) {
    GgufMaker made = made_gguf();
    made.version = version;
    const auto header = parsed(made);
    ASSERT_TRUE(header.has_value()) << header.error().words.english;
    EXPECT_EQ(header->version, static_cast<int>(version));
    EXPECT_EQ(header->text("general.architecture"), "qwen2");
    EXPECT_EQ(header->integer("qwen2.block_count"), 2);
    EXPECT_EQ(header->find("tokenizer.ggml.tokens")->length, 320U);
    ASSERT_EQ(header->tensors.size(), 2U);
    EXPECT_EQ(header->tensors[0].dtype, "q8_0");
    EXPECT_EQ(header->tensors[0].bytes, Bytes{64 * 320 / 32 * 34});
    EXPECT_EQ(header->data_end, made.length());
  }
}

TEST(Gguf, ReadsEveryTypeOfValue) {
  GgufMaker made;
  made.raw("u8", 0, "\xFF")
      .raw("i8", 1, "\xFF")
      .raw("u16", 2, "\xFE\xFF")
      .raw("i16", 3, "\xFE\xFF")
      .u32("u32", 0xFFFFFFFFU)
      .raw("i32", 5, "\xFD\xFF\xFF\xFF")
      .raw("f32", 6, GgufMaker::bits(0x3FC00000, 4))
      .raw("bool", 7, "\x01")
      .string("string", "words")
      .u32s("array", {7, 8, 9})
      .raw("u64", 10, std::string(8, '\xFF'))
      .raw("i64", 11, std::string(8, '\xFF'))
      .raw("f64", 12, GgufMaker::bits(0x3FF8000000000000, 8));
  const auto header = parsed(made);
  ASSERT_TRUE(header.has_value()) << header.error().words.english;
  EXPECT_EQ(header->integer("u8"), 255);
  EXPECT_EQ(header->integer("i8"), -1);
  EXPECT_EQ(header->integer("u16"), 0xFFFE);
  EXPECT_EQ(header->integer("i16"), -2);
  EXPECT_EQ(header->integer("u32"), 0xFFFFFFFFLL);
  EXPECT_EQ(header->integer("i32"), -3);
  EXPECT_EQ(header->number("f32"), 1.5);
  EXPECT_EQ(header->integer("bool"), 1);
  EXPECT_EQ(header->text("string"), "words");
  EXPECT_EQ(header->find("array")->items, (std::vector<std::int64_t>{7, 8, 9}));
  EXPECT_EQ(header->integer("u64"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(header->integer("i64"), -1);
  EXPECT_EQ(header->number("f64"), 1.5);
  EXPECT_FALSE(header->integer("f32").has_value());
  EXPECT_FALSE(header->text("u8").has_value());
  EXPECT_FALSE(header->integer("absent").has_value());
}

TEST(Gguf, RefusesWhatTheEngineRefuses) {
  const auto key_type = [](std::uint32_t type) {
    return refused(GgufMaker().raw("k", type, std::string(16, '\0')));
  };
  EXPECT_EQ(key_type(13), "its key k has the unknown value type 13");
  EXPECT_EQ(refused(GgufMaker().u32("", 1)), "one of its keys has no name");
  EXPECT_EQ(refused(GgufMaker().u32("k", 1).u32("k", 2)), "its key k stands twice");
  EXPECT_EQ(refused(GgufMaker().raw("k", 9, GgufMaker::bits(9, 4) + GgufMaker::bits(1, 8))),
            "its key k is an array of arrays");
  EXPECT_EQ(refused(GgufMaker().raw("k", 8, std::string(8, '\xFF'))),
            "its header has a string of 18446744073709551615 bytes");
  EXPECT_EQ(refused(GgufMaker().u32("general.alignment", 24).tensor("t", "f32", {8})),
            "its general.alignment is no power of two of type u32");
  EXPECT_EQ(refused(GgufMaker().tensor("t", "f32", {8}).tensor("t", "f32", {8})),
            "its tensor t stands twice");
  EXPECT_EQ(refused(GgufMaker().tensor(std::string(64, 't'), "f32", {8})),
            "its tensor " + std::string(64, 't') + " has a name of more than 63 bytes");
  EXPECT_EQ(refused(GgufMaker().tensor("t", "f32", {1, 1, 1, 1, 1})),
            "its tensor t has 5 dimensions; 4 are the most");
  EXPECT_EQ(refused(GgufMaker().raw_tensor("t", 12, {100}, 0, 0)),
            "its tensor t has rows of 100 elements, no multiple of 256 as q4_K wants");
  EXPECT_EQ(refused(GgufMaker().raw_tensor("t", 4, {32}, 0, 0)),
            "its tensor t has type 4, which was taken out of ggml");
  EXPECT_EQ(refused(GgufMaker().raw_tensor("t", 0, {1ULL << 40U, 1ULL << 40U}, 0, 0)),
            "its tensor t is larger than any file");
  EXPECT_EQ(refused(GgufMaker().tensor("a", "f32", {8}).tensor("b", "f32", {8}, 64)),
            "its tensor b begins at offset 64, expected 32");
}

TEST(Gguf, NamesFormatsThatAreNotRead) {
  GgufMaker made;
  made.magic = "tjgg";
  EXPECT_EQ(parsed(made).error().kind, Kind::Obsolete);
  made.magic = "PK\x03\x04";
  EXPECT_EQ(parsed(made).error().kind, Kind::NotGguf);
  made.magic = "GGUF";
  for (const std::uint32_t version : {0U, 1U, 4U}) {
    made.version = version;
    EXPECT_EQ(parsed(made).error().kind, Kind::Obsolete) << version;
  }
  made.version = 0x03000000;
  EXPECT_EQ(parsed(made).error().kind, Kind::Swapped);
}

TEST(Gguf, TakesATypeThatIsNewerThanItself) {
  const auto header =
      parsed(GgufMaker().raw_tensor("t", 99, {32}, 0, 0).tensor("u", "f32", {8}, 512));
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->tensors[0].dtype, "type 99");
  EXPECT_FALSE(header->data_end.has_value());
}

TEST(Gguf, TellsMoreToReadFromAFileThatEnds) {
  const GgufMaker made = made_gguf();
  const std::string whole = made.header();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    const auto more = parse_gguf_header(whole.substr(0, length), made.length());
    if (more) continue;  // what is left is padding
    EXPECT_EQ(more.error().kind, Kind::NeedMore) << length;
    EXPECT_GT(more.error().needed, Bytes{static_cast<std::int64_t>(length)});
    const auto ends =
        parse_gguf_header(whole.substr(0, length), Bytes{static_cast<std::int64_t>(length)});
    ASSERT_FALSE(ends.has_value());
    EXPECT_EQ(ends.error().kind, Kind::EndsInside) << length;
  }
}

TEST(Gguf, BelievesNoCount) {
  GgufMaker keys = made_gguf();
  keys.count_keys_as = std::uint64_t{1} << 62U;
  EXPECT_EQ(refused(keys), "its header tells of 4611686018427387904 keys");
  GgufMaker tensors = made_gguf();
  tensors.count_tensors_as = 999'999;
  EXPECT_FALSE(parsed(tensors).has_value());
  const std::string items = GgufMaker::bits(4, 4) + GgufMaker::bits(1U << 30U, 8);
  EXPECT_EQ(parsed(GgufMaker().raw("k", 9, items)).error().kind, Kind::EndsInside);
}

}  // namespace
}  // namespace sx
