// Lines are told apart by their fixed words; every number has a bound, every list an end.
#include "read/nccl_log.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostGroups = 256;  // data, tensor, pipeline and expert groups of a pod
constexpr std::size_t kMostRanks = 4096;  // of one group
constexpr std::size_t kMostPairs = 8192;  // of one group
constexpr std::size_t kMostWords = 128;   // unlike warnings
constexpr std::size_t kLongestWords = 300;
constexpr std::size_t kMostProcesses = 8192;
constexpr int kMostRank = 1'000'000;

// "name 12 ": the number behind a word; empty: the word is not there.
std::optional<long long> number_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  text.remove_prefix(at + word.size());
  const auto end = text.find_first_not_of("0123456789");
  return to_integer(text.substr(0, end));
}

std::optional<int> rank_behind(std::string_view text, std::string_view word) {
  const auto number = number_behind(text, word);
  if (!number || *number > kMostRank) return {};
  return static_cast<int>(*number);
}

std::string_view word_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  text.remove_prefix(at + word.size());
  return text.substr(0, text.find(' '));
}

// NCCL prints the digits of a PCI address without its marks: 1a000 is 0000:1a:00.0.
std::string bus_of(std::string_view digits) {
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  if (digits.empty() || digits.size() > 12) return {};
  std::string text;
  for (const char c : digits) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return {};
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (text.size() < 9) text.insert(0, 9 - text.size(), '0');
  const std::size_t end = text.size();
  return text.substr(0, end - 5) + ":" + text.substr(end - 5, 2) + ":" + text.substr(end - 3, 2) +
         "." + text.substr(end - 1);
}

// "P2P/CUMEM/read" and its kin by the way alone: what is sent at once, and how it is copied, tells
// nothing of the link.
std::string way_of(std::string_view how) {
  const std::string_view word = how.starts_with("P2P/direct") ? how.substr(0, 18) : how;
  if (word.starts_with("SHM") || word.starts_with("direct shared")) return "SHM";
  const auto parts = split(word.substr(0, word.find('(')), '/');
  std::string way(parts.front());
  if (parts.size() > 1) way.append("/").append(parts[1]);
  if (how.contains("GDRDMA")) way += "/GDRDMA";
  return way.substr(0, 40);
}

// "3[3] " in front: the rank; the text goes on behind it.
std::optional<int> take_rank(std::string_view& text) {
  const auto end = text.find_first_not_of("0123456789");
  if (end == 0 || end == text.npos || text[end] != '[') return {};
  const auto rank = to_integer(text.substr(0, end));
  const auto close = text.find(']', end);
  if (!rank || *rank > kMostRank || close == text.npos || close - end > 20) return {};
  text.remove_prefix(close + 1);
  return static_cast<int>(*rank);
}

// "host:pid:tid [dev]" in front of the words: host and pid.
std::string_view process_of(std::string_view front) {
  front = trimmed(front);
  const auto bracket = front.rfind('[');
  if (bracket == front.npos || bracket < 2) return {};
  front = trimmed(front.substr(0, bracket));
  if (const auto blank = front.rfind(' '); blank != front.npos) front.remove_prefix(blank + 1);
  const auto last = front.rfind(':');
  if (last == front.npos) return {};
  const auto inside = front.substr(0, last);
  return inside.contains(':') ? inside.substr(0, 200) : front.substr(0, 200);
}

bool names_source(std::string_view words) {
  const auto blank = words.find(' ');
  const std::string_view first = words.substr(0, blank);
  return first.contains(".cc:") || first.contains(".h:") || first.contains(".cu:");
}

}  // namespace

const NcclRank* NcclGroup::find(int rank) const {
  const auto found = std::ranges::find(ranks, rank, &NcclRank::rank);
  return found == ranks.end() ? nullptr : &*found;
}

NcclLogReader::NcclLogReader(std::vector<std::string_view> reasons)
    : reasons_(std::move(reasons)) {}

bool NcclLogReader::take(std::string_view line, LineAt at) {
  constexpr std::string_view kVersion = "NCCL version ";
  if (const auto version = line.find(kVersion); version != line.npos) {
    if (log_.version.empty()) {
      const auto words = trimmed(line.substr(version + kVersion.size()));
      log_.version = std::string(words.substr(0, words.find(' ')).substr(0, 40));
    }
    return true;
  }
  std::size_t mark = line.find(" NCCL INFO ");
  const bool warns = mark == line.npos;
  if (warns) mark = line.find(" NCCL WARN ");
  if (mark == line.npos) return false;
  const std::string_view process = process_of(line.substr(0, mark));
  const std::string_view words = trimmed(line.substr(mark + 11));
  if (warns) {
    keep(log_.warnings, words, at);
    return true;
  }
  for (const std::string_view reason : reasons_) {
    if (words.contains(reason)) {
      keep(log_.reasons, words, at);
      break;
    }
  }
  static_cast<void>(joins(process, words, line, at) || connects(process, words) ||
                    tells(process, words));
  if (log_.failed_at.text.empty() && names_source(words) && words.contains(" -> "))
    log_.failed_at = {.text = std::string(words.substr(0, kLongestWords)), .at = at};
  return true;
}

void NcclLogReader::keep(std::vector<NcclWords>& list, std::string_view words, LineAt at) {
  words = words.substr(0, kLongestWords);
  const auto same =
      std::ranges::find_if(list, [&](const NcclWords& one) { return one.text == words; });
  if (same != list.end()) {
    same->times = std::min(same->times + 1, kMostRank);
  } else if (list.size() < kMostWords) {
    list.push_back({.text = std::string(words), .at = at});
  } else {
    log_.cut = true;
  }
}

NcclGroup* NcclLogReader::group_of(std::string_view key, int size) {
  const auto known = groups_.find(key);
  if (known != groups_.end()) return &log_.groups[known->second];
  if (log_.groups.size() >= kMostGroups) {
    log_.cut = true;
    return nullptr;
  }
  groups_.emplace(std::string(key), log_.groups.size());
  log_.groups.push_back({.size = size, .ranks = {}, .pairs = {}});
  return &log_.groups.back();
}

// "comm 0x.. rank r nranks n cudaDev d nvmlDev v busId b commId 0x.. - Init START"
bool NcclLogReader::joins(std::string_view process, std::string_view words, std::string_view line,
                          LineAt at) {
  const bool starts = words.ends_with("Init START");
  const bool completes = words.ends_with("Init COMPLETE");
  const bool ends = words.ends_with("Destroy COMPLETE") || words.ends_with("Abort COMPLETE");
  const std::string_view pointer = word_behind(words, "comm 0x");
  if ((!starts && !completes && !ends) || pointer.empty()) return false;
  std::string communicator(process);
  communicator.append(" ").append(pointer);
  auto known = communicators_.find(communicator);
  if (ends) {
    if (known != communicators_.end()) {
      log_.groups[known->second.group].ranks[known->second.rank].ended = true;
      communicators_.erase(known);  // the address may come again
    }
    return true;
  }
  const auto rank = rank_behind(words, " rank ");
  const auto size = rank_behind(words, " nranks ");
  if (!rank || !size || *size < 1 || *rank >= *size) return true;
  if (known == communicators_.end()) {
    if (communicators_.size() >= kMostProcesses) {
      log_.cut = true;
      return true;
    }
    // Without a common name: the k-th group of that size in each process is the same one.
    std::string key(word_behind(words, " commId "));
    if (key.empty()) {
      std::string counter(process);
      counter.append(" ").append(std::to_string(*size));
      key = "size " + std::to_string(*size) + " " + std::to_string(joined_before_[counter]++);
      key.append(" ").append(word_behind(words, " color "));  // of a group that was split
    }
    NcclGroup* const group = group_of(key, *size);
    if (group == nullptr || group->ranks.size() >= kMostRanks) return true;
    group->size = std::max(group->size, *size);  // half a line may have told less
    const Open open{groups_.find(key)->second, group->ranks.size()};
    group->ranks.push_back({.rank = *rank,
                            .process = std::string(process),
                            .cuda_device = rank_behind(words, " cudaDev ").value_or(-1),
                            .bus = bus_of(word_behind(words, " busId ")),
                            .began = at,
                            .text = std::string(line.substr(0, kLongestWords))});
    auto& begun = begun_[std::string(process)];
    if (begun.size() < kMostGroups) begun.push_back(open);
    known = communicators_.emplace(communicator, open).first;
  }
  if (completes) {
    NcclRank& one = log_.groups[known->second.group].ranks[known->second.rank];
    one.completed = true;
    one.joined = at;
  }
  return true;
}

// The rank of that process in the group that it joins now: the last one begun.
NcclRank* NcclLogReader::open_rank(std::string_view process, int rank) {
  const auto begun = begun_.find(process);
  if (begun == begun_.end()) return nullptr;
  for (auto one = begun->second.rbegin(); one != begun->second.rend(); ++one) {
    NcclRank& found = log_.groups[one->group].ranks[one->rank];
    if (rank < 0 || found.rank == rank) return &found;
  }
  return nullptr;
}

// "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", "… 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA"
bool NcclLogReader::connects(std::string_view process, std::string_view words) {
  if (!words.starts_with("Channel ")) return false;
  const auto colon = words.find(" : ");
  if (colon == words.npos) return true;
  std::string_view rest = trimmed(words.substr(colon + 3));
  const auto from = take_rank(rest);
  rest = trimmed(rest);
  if (!from || !rest.starts_with("-> ")) return true;
  rest = trimmed(rest.substr(3));
  const auto to = take_rank(rest);
  const auto via = rest.find(" via ");
  if (!to || via == rest.npos || rest.contains("[receive]")) return true;
  const auto begun = begun_.find(process);
  if (begun == begun_.end()) return true;
  NcclRank* rank = nullptr;
  std::size_t group = 0;
  for (auto one = begun->second.rbegin(); one != begun->second.rend() && rank == nullptr; ++one) {
    NcclRank& found = log_.groups[one->group].ranks[one->rank];
    if (found.rank != *from && found.rank != *to) continue;
    rank = &found;
    group = one->group;
  }
  if (rank == nullptr) return true;
  rank->channels = std::min(rank->channels + 1, kMostRank);
  const std::string how = way_of(trimmed(rest.substr(via + 5)));
  auto& pairs = log_.groups[group].pairs;
  // Lines of one pair stand near one another.
  const auto same = std::find_if(pairs.rbegin(), pairs.rend(), [&](const NcclPair& pair) {
    return pair.from == *from && pair.to == *to && pair.how == how;
  });
  if (same != pairs.rend()) {
    same->channels = std::min(same->channels + 1, kMostRank);
  } else if (pairs.size() < kMostPairs) {
    pairs.push_back({*from, *to, how, 1});
  } else {
    ++log_.left_out;
  }
  return true;
}

bool NcclLogReader::tells(std::string_view process, std::string_view words) {
  constexpr std::string_view kSet = " set by environment to ";
  constexpr std::string_view kNetwork = "Using network ";
  if (const auto set = words.find(kSet); set != words.npos) {
    std::string name(words.substr(0, set).substr(0, 80));
    if (const auto blank = name.rfind(' '); blank != name.npos) name.erase(0, blank + 1);
    std::string value(words.substr(set + kSet.size()).substr(0, 120));
    if (value.ends_with('.')) value.pop_back();
    const bool known =
        std::ranges::any_of(log_.settings, [&](const auto& one) { return one.first == name; });
    if (!known && log_.settings.size() < kMostWords)
      log_.settings.emplace_back(std::move(name), std::move(value));
    return true;
  }
  if (words.starts_with(kNetwork)) {
    if (log_.network.empty()) log_.network = words.substr(kNetwork.size()).substr(0, 60);
    return true;
  }
  if (words.starts_with("Connected all rings")) {
    if (NcclRank* const rank = open_rank(process, -1)) rank->connected = true;
    return true;
  }
  if (const auto hosts = rank_behind(words, " nNodes "); hosts && words.contains("comm 0x")) {
    const auto rank = rank_behind(words, " rank ");
    const auto begun = begun_.find(process);
    if (begun != begun_.end() && rank && !begun->second.empty())
      log_.groups[begun->second.back().group].hosts = *hosts;
    return true;
  }
  return false;
}

}  // namespace sx
