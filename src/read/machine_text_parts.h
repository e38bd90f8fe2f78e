// One parser a kind of text; each is fed every line and keeps what is its own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "read/machine_text.h"
#include "read/machine_text_lines.h"

namespace sx {

inline constexpr std::size_t kMostPastedGpus = 64;
inline constexpr std::size_t kMostUnread =
    20;  // enough to see what is wrong; a log must not become the answer

// What all parsers add to.
struct PastedParts {
  std::string driver, cuda;
  std::string failure;  // what nvidia-smi said instead of an answer
  std::vector<Both> unread;
  void could_not_read(int line, const Both& what);
};

// The box of plain `nvidia-smi`.
class SmiTableParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;

 private:
  void take_identity(const PastedLine& line, std::size_t at,
                     const std::vector<std::string_view>& cells);
  void take_memory(std::string_view power, std::string_view memory, std::string_view mode);
  bool open_ = false;    // a row of a GPU stands above and its memory row is still to come
  bool closed_ = false;  // behind the GPU rows: MIG devices, processes
};

// `--query-gpu=… --format=csv`, with or without its header and units.
class SmiCsvParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;

 private:
  bool take_header(const std::vector<std::string_view>& cells);
  bool take_row(const PastedLine& line, const std::vector<std::string_view>& cells,
                PastedParts& parts);
  bool take_bare_row(const PastedLine& line, const std::vector<std::string_view>& cells,
                     PastedParts& parts);
  std::vector<std::string> columns_, units_;
  bool in_rows_ = false;  // the line above was the header or a row
  bool bare_ = false;     // rows without a header were taken
};

// `nvidia-smi -q`.
class SmiQueryParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;

 private:
  void take_value(std::string_view key, std::string_view value);
  std::string section_;
  bool open_ = false;
};

// `nvidia-smi -L`, and the lists and settings of collect_env reports.
class ReportParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string vllm_version, torch_version, nccl_version;

 private:
  void take_gpu(const PastedLine& line, std::string_view text);
  void take_versions(std::string_view text);
  bool take_setting(std::string_view text);
  bool report_ = false;
  bool settings_ = false;
};

// `nvidia-smi topo -m`, `-mp` and `topo -p2p`.
class TopologyParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  void finish(PastedParts& parts);  // call once at the end
  PastedTopology topology;

 private:
  struct Matrix {
    std::vector<std::string> names, nics;
    std::vector<std::vector<std::string>> rows;  // empty: the row did not come
    std::vector<std::string> cpus, numas;
    bool has_affinity = false, has_numa = false;
    int line = 0;  // of the header
  };
  bool take_header(const PastedLine& line, std::string_view text);
  bool take_row(const PastedLine& line, std::string_view text);
  void end_row(PastedParts& parts);
  void close(PastedParts& parts);
  void keep(Matrix matrix, PastedParts& parts);

  Matrix matrix_;
  bool open_ = false;
  std::string row_;  // the text of the row behind its label, wrapped lines joined
  int row_index_ = -1;
  int row_line_ = 0;
  int wrapped_ = 0;
  int headers_ = 0;
};

}  // namespace sx
