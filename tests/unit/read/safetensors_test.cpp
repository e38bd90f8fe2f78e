// Headers of safetensors files: good, cut, hostile, and what else lies in their place.
#include "read/safetensors.h"

#include <gtest/gtest.h>

#include <string>

namespace sx {
namespace {

std::string eight_bytes(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xFF);
  return bytes;
}

std::string front(const std::string& header) { return eight_bytes(header.size()) + header; }

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   std::int64_t begin, std::int64_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

std::string problem(const std::string& bytes) {
  const auto header = parse_safetensors_header(bytes);
  return header ? "taken" : header.error().what;
}

TEST(Safetensors, TellsNamesTypesAndShapes) {
  const std::string bytes =
      front("{\"__metadata__\":{\"format\":\"pt\"}," + tensor("b", "F32", "[]", 12, 16) + "," +
            tensor("a.weight", "BF16", "[2, 3]", 0, 12) + "}   ");
  const auto header =
      parse_safetensors_header(bytes, Bytes{static_cast<std::int64_t>(bytes.size()) + 16});
  ASSERT_TRUE(header) << header.error().what;
  ASSERT_EQ(header->tensors.size(), 2U);
  EXPECT_EQ(header->tensors[1].name, "a.weight");
  EXPECT_EQ(header->tensors[1].dtype, "BF16");
  EXPECT_EQ(header->tensors[1].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(header->tensors[1].bytes, Bytes{12});
  EXPECT_TRUE(header->tensors[0].shape.empty());
  EXPECT_EQ(header->data_begin, Bytes{static_cast<std::int64_t>(bytes.size())});
}

TEST(Safetensors, TheLengthOfTheFileMustAgree) {
  const std::string bytes = front("{" + tensor("a", "U8", "[4]", 0, 4) + "}");
  const auto length = static_cast<std::int64_t>(bytes.size());
  EXPECT_TRUE(parse_safetensors_header(bytes, Bytes{length + 4}));
  const auto cut = parse_safetensors_header(bytes, Bytes{length + 3});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, Error::Kind::Damaged);
  EXPECT_EQ(cut.error().what, "it is " + std::to_string(length + 3) +
                                  " bytes long, but its header tells of " +
                                  std::to_string(length + 4));
  EXPECT_FALSE(parse_safetensors_header(bytes, Bytes{length + 5}));
}

TEST(Safetensors, RefusesWhatCannotBe) {
  const struct {
    std::string header;
    std::string problem;
  } rows[] = {
      {"{" + tensor("a", "U8", "[4]", 0, 4) + "}", "taken"},
      {"{}", "taken"},
      {"{" + tensor("a", "F4", "[2, 4]", 0, 4) + "}", "taken"},
      {"{" + tensor("a", "NEW_TYPE", "[4]", 0, 99) + "}", "taken"},
      {"{" + tensor("a", "U8", "[0, 9]", 0, 0) + "}", "taken"},
      {"[]", "the header is not a JSON object"},
      {"{ ",
       "its header is not readable: line 1, column 3: the text ends, and the { of line 1 is still "
       "open"},
      {"{\"a\":1}", "the header's tensor a has no two data offsets"},
      {"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", "the header's tensor a has no shape"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,2]}}",
       "the header's tensor a has no two data offsets"},
      {"{" + tensor("a", "U8", "[4]", 0, 5) + "}",
       "the header's tensor a is 5 bytes long, but its type and shape need 4"},
      {"{" + tensor("a", "U8", "[-4]", 0, 4) + "}",
       "the header's tensor a has a shape that is not made of whole numbers"},
      {"{" + tensor("a", "U8", "[1.5]", 0, 4) + "}",
       "the header's tensor a has a shape that is not made of whole numbers"},
      {"{" + tensor("a", "U8", "[4]", 4, 0) + "}",
       "the header's tensor a has data offsets that run backwards"},
      {"{" + tensor("a", "U8", "[4]", -4, 0) + "}",
       "the header's tensor a has data offsets that run backwards"},
      {"{" + tensor("a", "U8", "[2147483648, 2147483648, 4]", 0, 4) + "}",
       "the header's tensor a has a shape too large for any file"},
      {"{" + tensor("a", "U8", "[0, 4611686018427387904]", 0, 0) + "}",
       "the header's tensor a has a shape that is not made of whole numbers"},
      {"{" + tensor("a", "U8", "[9]", 0, std::int64_t{1} << 60) + "}",
       "the header's tensor a has data offsets beyond 1 PiB"},
      {"{" + tensor("a", "U8", "[4]", 0, 4) + "," + tensor("b", "U8", "[4]", 2, 6) + "}",
       "the header's tensor b overlaps another tensor"},
      {"{" + tensor("a", "U8", "[4]", 0, 4) + "," + tensor("b", "U8", "[4]", 8, 12) + "}",
       "the header's tensor b leaves a hole before it"},
      {"{" + tensor("a", "U8", "[4]", 0, 4) + "," + tensor("a", "U8", "[4]", 4, 8) + "}",
       "the header names a tensor twice"},
  };
  for (const auto& row : rows) EXPECT_EQ(problem(front(row.header)), row.problem) << row.header;
}

TEST(Safetensors, TheLengthOfTheHeaderIsBounded) {
  EXPECT_EQ(safetensors_header_bytes(eight_bytes(2)).value(), Bytes{10});
  EXPECT_EQ(safetensors_header_bytes(eight_bytes(100'000'000)).value(), Bytes{100'000'008});
  EXPECT_FALSE(safetensors_header_bytes(eight_bytes(100'000'001)));
  EXPECT_FALSE(safetensors_header_bytes(eight_bytes(std::uint64_t{1} << 63)));
  EXPECT_FALSE(safetensors_header_bytes(eight_bytes(0)));
  EXPECT_FALSE(safetensors_header_bytes("1234567"));
}

TEST(Safetensors, AShortFrontAsksForMore) {
  const auto header = parse_safetensors_header(eight_bytes(1000) + "{");
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().kind, Error::Kind::TooLarge);
  EXPECT_EQ(safetensors_header_bytes(eight_bytes(1000) + "{").value(), Bytes{1008});
}

TEST(Safetensors, SeesWhatElseLiesThere) {
  const struct {
    std::string bytes;
    NotWeights what;
  } rows[] = {
      {front("{}"), NotWeights::No},
      {"", NotWeights::Empty},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
       NotWeights::LfsPointer},
      {"<!DOCTYPE html><html>", NotWeights::WebPage},
      {"\n  <html lang=en>", NotWeights::WebPage},
      {"{\"error\":\"Repository not found\"}", NotWeights::Text},
      {"Access to model is restricted", NotWeights::Text},
      {std::string(64, '\0'), NotWeights::No},
  };
  for (const auto& row : rows) EXPECT_EQ(looks_like(row.bytes), row.what) << row.bytes;
  EXPECT_EQ(lfs_pointer_size(rows[2].bytes), Bytes{12});
  EXPECT_FALSE(lfs_pointer_size("version https://git-lfs.github.com/spec/v1\nsize -1\n"));
}

}  // namespace
}  // namespace sx
