// What NCCL tells of itself with NCCL_DEBUG=INFO: which ranks began and finished to join, over what
// each pair talks, what was picked up from the environment, why a faster way was not taken. Reads
// one line at a time, of all processes mixed or of one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "read/log_place.h"

namespace sx {

struct NcclRank {
  int rank = -1;
  std::string process;  // "gpu-7:5274"
  int cuda_device = -1;
  std::string bus;         // "0000:1a:00.0"; empty: not told
  bool completed = false;  // it has joined
  bool connected = false;  // its rings stand
  bool ended = false;      // left, in an orderly way or not
  int channels = 0;        // lines of connections that it wrote
  LineAt began, joined;
  std::string text;  // the line where it began, cut to a bounded length
};

struct NcclPair {
  int from = -1, to = -1;
  std::string how;  // "P2P/CUMEM", "SHM", "NET/IB", "NET/Socket"
  int channels = 0;
};

// Ranks that join one another. A process joins several groups.
struct NcclGroup {
  int size = 0;
  int hosts = 0;                // 0: not told
  std::vector<NcclRank> ranks;  // as they began
  std::vector<NcclPair> pairs;  // as they were written
  const NcclRank* find(int rank) const;
};

struct NcclWords {
  std::string text;
  LineAt at;  // of the first
  int times = 1;
};

struct NcclLog {
  std::string version;  // "2.27.5+cuda12.9"
  std::string network;  // "IB", "Socket"
  std::vector<NcclGroup> groups;
  std::vector<std::pair<std::string, std::string>> settings;  // of the environment, first of each
  std::vector<NcclWords> warnings;  // NCCL WARN, without places of its source
  std::vector<NcclWords> reasons;   // lines with one of the words that were asked for
  NcclWords failed_at;              // the first "transport.cc:154 -> 1"; times 0: none
  int left_out = 0;                 // more than is kept
  bool cut = false;
  bool any() const { return !version.empty() || !groups.empty() || !settings.empty(); }
};

class NcclLogReader {
 public:
  // Lines that hold one of `reasons` are kept.
  explicit NcclLogReader(std::vector<std::string_view> reasons = {});

  // Whether it is a line of NCCL.
  bool take(std::string_view line, LineAt at);
  const NcclLog& log() const { return log_; }

 private:
  struct Open {
    std::size_t group = 0, rank = 0;
  };
  bool joins(std::string_view process, std::string_view words, std::string_view line, LineAt at);
  bool connects(std::string_view process, std::string_view words);
  bool tells(std::string_view process, std::string_view words);
  void keep(std::vector<NcclWords>& list, std::string_view words, LineAt at);
  NcclGroup* group_of(std::string_view key, int size);
  NcclRank* open_rank(std::string_view process, int rank);

  std::vector<std::string_view> reasons_;
  NcclLog log_;
  std::map<std::string, std::size_t, std::less<>> groups_;  // by what ranks of it have in common
  std::map<std::string, Open, std::less<>> communicators_;  // of each process
  std::map<std::string, std::vector<Open>, std::less<>> begun_;  // by process
  std::map<std::string, int, std::less<>> joined_before_;        // by process and size
};

}  // namespace sx
