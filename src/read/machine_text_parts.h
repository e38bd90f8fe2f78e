// One parser a kind of text; each is fed every line and keeps what is its own.
#pragma once

#include <array>
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
  HostState<Told> state;
  Told<Bytes> memory, memory_free, shared_memory, shared_memory_free, locked_memory;
  Told<int> open_files, cpu_count, numa_nodes;
  std::vector<std::string> nics;
  std::string failure;  // what nvidia-smi said instead of an answer
  std::vector<Both> unread;
  void could_not_read(int line, const Both& what);
};

// The first that tells a thing is believed.
template <class T>
void tell(Told<T>& into, T value, const PastedLine& line) {
  if (!into.value) into = {std::move(value), line.span};
}

// The box of plain `nvidia-smi`.
class SmiTableParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;

 private:
  void take_identity(const PastedLine& line, std::size_t at,
                     const std::vector<std::string_view>& cells);
  void take_memory(const PastedLine& line, std::string_view power, std::string_view memory,
                   std::string_view mode);
  void take_process(const PastedLine& line, std::string_view row);
  bool open_ = false;       // a row of a GPU stands above and its memory row is still to come
  bool closed_ = false;     // behind the GPU rows: MIG devices, processes
  bool processes_ = false;  // below the heading of the processes
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
  void take_value(const PastedLine& line, std::string_view key, std::string_view value);
  std::string section_;
  std::string outer_;  // the section around: "Volatile", "Aggregate" of memory errors
  bool open_ = false;
  bool mig_device_ = false;  // inside what is told of one instance, which has sections alike
};

// Where a value of `-q` stands.
struct SmiPlace {
  std::string_view outer, section, key;
};
// Puts what tells of a card's condition in its place; anything else changes nothing.
void set_state(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
               const PastedLine& line);

// `nvidia-smi nvlink -s`: links below the line of their GPU.
class NvlinkParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;

 private:
  bool open_ = false;
};

// `lspci`, with -v what a link can and does, with -vvv what ports do with transfers between
// devices.
class PciParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;  // by bus alone: what a driver's list has is added to

 private:
  void take_device(const PastedLine& line, std::string_view address, std::string_view kind,
                   PastedParts& parts);
  std::string port_;  // address of the device that the lines tell of
  bool gpu_ = false;  // it is one of `gpus`
};

// Lines of the kernel: dmesg, journalctl -k, with and without times.
class KernelParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
};

// The first words of a line, without memory of their own: it is made for every line of a text.
class LineWords {
 public:
  explicit LineWords(std::string_view text);
  std::size_t size() const { return count_; }
  std::string_view operator[](std::size_t i) const { return words_[i]; }
  std::string_view back() const { return words_[count_ - 1]; }

 private:
  std::array<std::string_view, 64> words_;
  std::size_t count_ = 0;
};

// `lscpu`, `numactl -H`, limits, memory, services, network interfaces.
class SystemParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);

 private:
  bool take_processors(const PastedLine& line, std::string_view text, PastedParts& parts);
  bool take_nodes(const PastedLine& line, std::string_view text, const LineWords& words,
                  PastedParts& parts);
  bool take_limits(const PastedLine& line, std::string_view text, const LineWords& words,
                   PastedParts& parts);
  bool take_service(const PastedLine& line, std::string_view text, const LineWords& words,
                    PastedParts& parts);
  bool take_network(const PastedLine& line, const LineWords& words, PastedParts& parts);
  bool fabric_manager_ = false;  // below the first line of its status
  bool distances_ = false;       // below the heading of the matrix of distances
};

// `nvidia-smi -L`, and the lists and settings of collect_env reports.
class ReportParser {
 public:
  void take(const PastedLine& line, PastedParts& parts);
  std::vector<PastedGpu> gpus;
  std::vector<std::pair<std::string, std::string>> environment;

 private:
  void take_gpu(const PastedLine& line, std::string_view text);
  void take_versions(const PastedLine& line, std::string_view text, PastedParts& parts);
  void take_package(const PastedLine& line, std::string_view text, PastedParts& parts);
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
