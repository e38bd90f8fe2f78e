// Keys and their types changed from version to version: numbers may stand as text, a group as a
// pair or as a name, and the C++ writer sorts its keys.
#include "read/flight_recorder.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/strings.h"
#include "read/json.h"
#include "read/log_count.h"
#include "read/stacks.h"

namespace sx {
namespace {

constexpr std::size_t kMostNodes = 4'000'000;  // 2000 entries with their stacks are a tenth of it
constexpr std::size_t kMostGroups = 1024;
constexpr std::size_t kMostRanks = 65'536;
constexpr std::size_t kMostEntries = 4096;  // the last ones; the recorder itself keeps 2000
constexpr std::size_t kMostTensors = 8;     // of one collective that are spelt out
constexpr std::size_t kLongestName = 120;
constexpr std::size_t kLongestText = 300;

std::optional<std::int64_t> number_of(const JsonValue& value) {
  if (const auto whole = value.integer()) return whole;
  const auto text = value.string();
  if (!text) return {};
  const auto number = to_integer(*text);
  return number ? std::optional<std::int64_t>(*number) : std::nullopt;
}

std::string name_of(const JsonValue& value) {
  if (const auto text = value.string()) return text->substr(0, kLongestName);
  const auto number = value.integer();
  return number ? std::to_string(*number) : std::string();
}

// "[0, 1, 2]" as text or as a list
std::vector<int> ranks_of(const JsonValue& value) {
  std::vector<int> ranks;
  const auto add = [&](std::optional<std::int64_t> rank) {
    if (rank && *rank >= 0 && *rank < 10'000'000 && ranks.size() < kMostRanks)
      ranks.push_back(static_cast<int>(*rank));
  };
  if (value.is(JsonKind::Array)) {
    for (JsonValue one = value.first(); one; one = one.next()) add(number_of(one));
  } else if (const auto text = value.string()) {
    for (std::string_view word : split(*text, ',')) {
      word.remove_prefix(std::min(word.find_first_of("0123456789"), word.size()));
      add(to_integer(word.substr(0, word.find_first_not_of("0123456789"))));
    }
  }
  return ranks;
}

std::string sizes_of(const JsonValue& value) {
  std::string out;
  std::size_t tensors = 0;
  for (JsonValue tensor = value.first(); tensor; tensor = tensor.next()) {
    if (++tensors > kMostTensors) return out + ", …";
    std::string one;
    for (JsonValue size = tensor.first(); size; size = size.next()) {
      const auto number = number_of(size);
      one.append(one.empty() ? "" : ", ").append(number ? std::to_string(*number) : "?");
      if (one.size() > kLongestName) break;
    }
    out.append(out.empty() ? "[" : ", [").append(one).append("]");
  }
  return out;
}

// "nccl:all_reduce"
std::string operation_of(const JsonValue& value) {
  const auto text = value.string();
  if (!text) return {};
  const std::string_view all = *text;
  const auto colon = all.find(':');
  return std::string(all.substr(colon == all.npos ? 0 : colon + 1, kLongestName));
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The first frame that is not torch's own.
std::string caller_of(const JsonValue& frames) {
  std::string innermost;
  for (JsonValue frame = frames.first(); frame; frame = frame.next()) {
    const auto function = frame["name"].string();
    const auto path = frame["filename"].string();
    if (!function || !path) continue;
    std::string words = function->substr(0, kLongestName) + " (" +
                        std::string(last_part(*path)).substr(0, kLongestName);
    if (const auto line = frame["line"].integer()) words += ":" + std::to_string(*line);
    words += ")";
    if (!path->contains("torch/distributed/")) return words;
    if (innermost.empty()) innermost = std::move(words);
  }
  return innermost;
}

FlightEntry::State state_of(const JsonValue& value) {
  const auto word = value.string();
  if (word == "completed") return FlightEntry::State::Completed;
  return word == "started" ? FlightEntry::State::Started : FlightEntry::State::Scheduled;
}

// The words of the entry on one line.
std::string shown(std::string_view raw) {
  std::string out;
  bool blank = false;
  for (const char c : raw.substr(0, 4 * kLongestText)) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (space && (blank || out.empty())) continue;
    out += space ? ' ' : c;
    blank = space;
    if (out.size() >= kLongestText) break;
  }
  while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) out.pop_back();
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, FlightDump& dump) : text_(text), dump_(dump) {}

  void read(const JsonValue& root) {
    if (const auto version = root["version"].string())
      dump_.version = version->substr(0, kLongestName);
    const JsonValue config = root["pg_config"];
    for (JsonValue one = config.first(); one; one = one.next()) {
      FlightGroup* const group = group_named(one.key());
      if (group == nullptr) continue;
      if (const auto words = one["desc"].string())
        group->description = words->substr(0, kLongestName);
      group->ranks = ranks_of(one["ranks"]);
    }
    const JsonValue entries = root["entries"];
    std::size_t left_out = entries.size() > kMostEntries ? entries.size() - kMostEntries : 0;
    dump_.cut = left_out > 0;
    for (JsonValue one = entries.first(); one; one = one.next()) {
      if (left_out > 0) {
        --left_out;
      } else {
        entry(one);
      }
    }
    const JsonValue status = root["pg_status"];
    for (JsonValue one = status.first(); one; one = one.next()) {
      const std::string id = one.key();
      const auto known = by_id_.find(id);
      FlightGroup* const group =
          known != by_id_.end() ? &dump_.groups[known->second] : group_named(id);
      if (group == nullptr) continue;
      group->enqueued = number_of(one["last_enqueued_collective"]).value_or(-1);
      group->completed = number_of(one["last_completed_collective"]).value_or(-1);
    }
  }

 private:
  FlightGroup* group_named(std::string name) {
    name = name.substr(0, kLongestName);
    const auto known = std::ranges::find(dump_.groups, name, &FlightGroup::name);
    if (known != dump_.groups.end()) return &*known;
    if (dump_.groups.size() >= kMostGroups) {
      dump_.cut = true;
      return nullptr;
    }
    dump_.groups.push_back({.name = std::move(name), .description = {}, .ranks = {}});
    return &dump_.groups.back();
  }

  void entry(const JsonValue& value) {
    if (value["is_p2p"].boolean() == true) return;
    const auto sequence = number_of(value["collective_seq_id"]);
    const auto before = number_of(value["seq_id"]);  // of the first versions
    if (!sequence && !before) return;
    const JsonValue pair = value["process_group"];
    const std::string name = pair.is(JsonKind::Array) ? name_of(pair.first()) : name_of(pair);
    const std::string id = name_of(value["pg_id"]);
    FlightGroup* const group = group_named(name.empty() ? id : name);
    if (group == nullptr) return;
    const auto index = static_cast<std::size_t>(group - dump_.groups.data());
    if (!id.empty()) by_id_.emplace(id, index);
    const std::size_t begin = value.span(0).begin;
    line_ += count_line_ends(text_.substr(counted_, begin - counted_));
    counted_ = begin;
    dump_.entries.push_back({.group = index,
                             .sequence = sequence ? *sequence : *before,
                             .operation = operation_of(value["profiling_name"]),
                             .sizes = sizes_of(value["input_sizes"]),
                             .dtype = name_of(value["input_dtypes"].first()),
                             .state = state_of(value["state"]),
                             .caller = caller_of(value["frames"]),
                             .text = shown(value.raw()),
                             .line = line_});
  }

  std::string_view text_;
  FlightDump& dump_;
  std::map<std::string, std::size_t> by_id_;
  std::size_t counted_ = 0;
  std::uint64_t line_ = 1;
};

// "nccl_trace_rank_3", "comm_lib_trace_rank_3.json", "_dump_3.json", "3.json"
int rank_of_name(std::string_view path) {
  std::string_view name = last_part(path);
  if (const int rank = rank_in_name(name); rank >= 0) return rank;
  name = name.substr(0, name.find('.'));
  const std::string_view digits = name.substr(name.find_last_not_of("0123456789") + 1);
  const auto rank = to_integer(digits);
  return rank && *rank < 1'000'000 ? static_cast<int>(*rank) : -1;
}

}  // namespace

FlightForm flight_form(std::string_view begin) {
  constexpr std::array<std::string_view, 4> kKeys{"collective_seq_id", "pg_config", "pg_status",
                                                  "nccl_comm_state"};
  const auto named = [&](std::string_view front, std::string_view back) {
    return std::ranges::any_of(kKeys, [&](std::string_view key) {
      return begin.contains(std::string(front).append(key).append(back));
    });
  };
  // A pickle of protocol 2 that begins with a dictionary.
  if (begin.starts_with("\x80\x02}")) return named("", "") ? FlightForm::Pickle : FlightForm::None;
  const auto first = begin.find_first_not_of(" \t\r\n");
  if (first == begin.npos || begin[first] != '{') return FlightForm::None;
  return named("\"", "\"") ? FlightForm::Json : FlightForm::None;
}

Result<FlightDump> read_flight_dump(std::string_view text, std::string_view name) {
  SX_TRY(const JsonDocument document, JsonDocument::parse(text, kMostNodes));
  FlightDump dump{.name = std::string(last_part(name)),
                  .rank = rank_of_name(name),
                  .version = {},
                  .groups = {},
                  .entries = {}};
  Reader(text, dump).read(document.root());
  return dump;
}

}  // namespace sx
