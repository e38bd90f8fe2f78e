// Every field checked; one row a line, so that a change is one line of a diff.
#include "gateway/key_file.h"

#include <boost/json.hpp>
#include <set>

#include "run/json_fields.h"
#include "run/state_folder.h"
#include "sys/hexadecimal.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::string_view kSchema = "sextant.keys/1";
constexpr RecordName kWhat{"the file of keys", "密钥文件"};
constexpr RecordName kOne{"a key in the file of keys", "密钥文件中的某个密钥"};
constexpr std::size_t kMostKeys = 10'000;
constexpr std::string_view kDigits = "0123456789abcdef";

bool read_digest(std::string_view text, Sha256& digest) {
  if (text.size() != digest.size() * 2) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t value = kDigits.find(text[i]);
    if (value == std::string_view::npos) return false;
    auto& byte = digest[i / 2];
    byte = static_cast<unsigned char>(i % 2 == 0 ? value << 4U : byte | value);
  }
  return true;
}

// "2026-11-30T08:00:00Z" by its shape: it is shown, never counted with.
bool is_time(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == '0' ? !digit : text[i] != kShape[i]) return false;
  }
  return true;
}

Result<KeyRow> read_row(const json::value& value) {
  if (!value.is_object())
    return fail(Error::Kind::Damaged, "a key in the file of keys is no object",
                "密钥文件中的某个密钥不是对象");
  JsonFields fields(value.get_object(), kOne);
  KeyRow row{.name = fields.text("name")};
  if (!is_key_name(row.name)) fields.wrong("name");
  if (!read_digest(fields.text("sha256"), row.digest)) fields.wrong("sha256");
  row.created = fields.text("created");
  row.revoked = fields.text_or("revoked", "");
  if (!is_time(row.created)) fields.wrong("created");
  if (!row.revoked.empty() && !is_time(row.revoked)) fields.wrong("revoked");
  row.limits.concurrency = fields.number_or("concurrency", 0, kMostAtATime, 0);
  row.limits.tokens_per_minute = fields.number_or("tokens_per_minute", 0, kMostTokensPerMinute, 0);
  row.limits.body_bytes = fields.number_or("body_bytes", 0, kMostBodyBytes, 0);
  row.limits.priority = static_cast<int>(fields.number_or("priority", 0, kMostPriority, 0));
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return row;
}

json::object row_json(const KeyRow& row) {
  json::object object{
      {"name", row.name}, {"sha256", hexadecimal(row.digest)}, {"created", row.created}};
  if (!row.revoked.empty()) object["revoked"] = row.revoked;
  const KeyLimits& limits = row.limits;
  if (limits.concurrency > 0) object["concurrency"] = limits.concurrency;
  if (limits.tokens_per_minute > 0) object["tokens_per_minute"] = limits.tokens_per_minute;
  if (limits.body_bytes > 0) object["body_bytes"] = limits.body_bytes;
  if (limits.priority > 0) object["priority"] = limits.priority;
  return object;
}

}  // namespace

bool is_key_name(std::string_view name) { return is_deployment_name(name); }

Result<std::vector<KeyRow>> read_key_file(std::string_view text) {
  SX_TRY(const auto object, json_object(text, kWhat));
  JsonFields whole(object, kWhat);
  if (whole.text("schema") != kSchema) whole.wrong("schema");
  const auto* keys = whole.array("keys", kMostKeys);
  if (auto good = whole.error(); !good) return std::unexpected(good.error());
  std::vector<KeyRow> rows;
  std::set<std::string_view> names;
  std::set<Sha256> digests;
  rows.reserve(keys->size());  // `names` look into it
  for (const json::value& value : *keys) {
    SX_TRY(auto row, read_row(value));
    rows.push_back(std::move(row));
    const std::string& name = rows.back().name;
    if (!names.insert(name).second)
      return fail(Error::Kind::Damaged, "the file of keys has the name " + name + " twice",
                  "密钥文件中名称 " + name + " 出现了两次");
    if (!digests.insert(rows.back().digest).second)
      return fail(Error::Kind::Damaged, "the file of keys has the key of " + name + " twice",
                  "密钥文件中 " + name + " 的密钥出现了两次");
  }
  return rows;
}

std::string key_file_text(const std::vector<KeyRow>& rows) {
  std::string text = "{\"schema\":\"" + std::string(kSchema) + "\",\"keys\":[";
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + json::serialize(row_json(rows[i]));
  return text + "\n]}\n";
}

std::string key_of(const Sha256& random) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string key = "sk-sextant-";
  unsigned bits = 0, held = 0;
  for (const unsigned char byte : random) {
    bits = (bits << 8U) | byte;
    for (held += 8; held >= 6; held -= 6) key += kLetters[(bits >> (held - 6)) & 63U];
  }
  return key += kLetters[(bits << (6 - held)) & 63U];  // 256 bits are 42 letters and 4 bits
}

}  // namespace sx
