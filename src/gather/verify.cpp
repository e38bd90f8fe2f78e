// One file a thread: a digest goes through a file from its front to its end.
#include "gather/verify.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/strings.h"
#include "gather/model_places.h"
#include "sys/file_hash.h"

namespace sx {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 100ms;  // what a person takes for moving
constexpr std::size_t kMostThreads = 64;
constexpr Bytes kNoteLimit{4096};

// "./model.safetensors" → "model.safetensors"; empty: it leads out of the folder.
std::string inside(std::string_view name) {
  const std::string clean = std::filesystem::path(name).lexically_normal().string();
  if (clean.empty() || clean.front() == '/' || clean == "." || clean.starts_with("..")) return {};
  return clean;
}

// The cache of Hugging Face names a blob of large files by its SHA-256; its note beside a local
// folder has the same on the second line.
std::string noted_sum(const Files& files, const std::string& folder, const std::string& name) {
  if (const auto target = files.link_target(joined_path(folder, name))) {
    const auto slash = target->rfind('/');
    std::string digits =
        sha256_digits(std::string_view(*target).substr(slash == std::string::npos ? 0 : slash + 1));
    if (!digits.empty()) return digits;
  }
  const std::string note = joined_path(folder, ".cache/huggingface/download/" + name + ".metadata");
  const auto text = files.read(note, kNoteLimit);
  if (!text) return {};
  const auto lines = lines_of(*text);
  return lines.size() < 2 ? std::string() : sha256_digits(trimmed(lines[1]));
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void add_listed(VerifyPlan& plan, std::map<std::string, VerifiedFile>& chosen, const SumsFile& sums,
                const std::string& folder, const Files& files) {
  for (const Sum& sum : sums.sums) {
    std::string name = inside(sum.name);
    auto info = name.empty() ? std::nullopt : std::optional(files.info(joined_path(folder, name)));
    if (!info || !*info) {
      // The list may have been written one folder up, or with whole paths.
      name = last_name(sum.name);
      info = name.empty() ? std::nullopt : std::optional(files.info(joined_path(folder, name)));
    }
    if (!info || !*info) {
      plan.listed_not_there.push_back(sum.name);
      continue;
    }
    VerifiedFile& file = chosen[name];
    file.path = name;
    file.bytes = (*info)->bytes;
    file.expected = sum.sha256;
  }
}

class Crew {
 public:
  Crew(const std::string& folder, std::vector<VerifiedFile>& files, const VerifyWatch& watch)
      : folder_(folder), files_(files), watch_(watch), order_(files.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
      return files_[a].bytes != files_[b].bytes ? files_[a].bytes > files_[b].bytes : a < b;
    });
  }

  void run(std::size_t threads) {
    left_ = threads;
    std::vector<std::jthread> crew;
    for (std::size_t i = 0; i < threads; ++i) crew.emplace_back([this] { work(); });
    std::unique_lock lock(mutex_);
    while (left_ > 0) {
      done_.wait_for(lock, kTick);
      if (!watch_.tick) continue;
      lock.unlock();
      watch_.tick();
      lock.lock();
    }
  }

 private:
  void work() {
    for (std::size_t at = next_++; at < order_.size(); at = next_++) {
      if (watch_.stop != nullptr && watch_.stop->load()) break;
      read(files_[order_[at]]);
    }
    const std::scoped_lock lock(mutex_);
    --left_;
    done_.notify_one();
  }

  // Each file belongs to one thread.
  void read(VerifiedFile& file) const {
    auto found = sha256_of_file(joined_path(folder_, file.path),
                                {.bytes_read = watch_.bytes_read, .stop = watch_.stop});
    if (!found) {
      const bool stopped = found.error().kind == Error::Kind::Interrupted;
      file.state = stopped ? SumState::Skipped : SumState::Unread;
      file.detail = found.error().words();
      return;
    }
    file.found = *std::move(found);
    const bool same = file.found == file.expected;
    file.state = file.expected.empty() ? SumState::NoSum
                 : same                ? SumState::Same
                                       : SumState::Different;
  }

  const std::string& folder_;
  std::vector<VerifiedFile>& files_;
  const VerifyWatch& watch_;
  std::vector<std::size_t> order_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t left_ = 0;
};

}  // namespace

VerifyPlan plan_verification(const ModelSpec& model, const SumsFile* sums, const Outside& outside) {
  const Files& files = *outside.files;
  VerifyPlan plan;
  std::map<std::string, VerifiedFile> chosen;
  for (const WeightFile& file : model.files) {
    if (file.state == FileState::Missing || inside(file.path).empty()) continue;
    VerifiedFile one{.path = file.path, .bytes = file.bytes};
    if (sums == nullptr) one.expected = noted_sum(files, model.folder, file.path);
    chosen[file.path] = std::move(one);
  }
  if (sums != nullptr) add_listed(plan, chosen, *sums, model.folder, files);
  for (auto& [name, file] : chosen) {
    plan.bytes += file.bytes;
    plan.files.push_back(std::move(file));
  }
  return plan;
}

Verification verify(const std::string& folder, VerifyPlan plan, const VerifyWatch& watch) {
  Verification done{.files = std::move(plan.files),
                    .listed_not_there = std::move(plan.listed_not_there)};
  if (!done.files.empty()) {
    const std::size_t cores = watch.threads > 0 ? static_cast<std::size_t>(watch.threads)
                                                : std::max(1U, std::thread::hardware_concurrency());
    Crew(folder, done.files, watch).run(std::min({cores, done.files.size(), kMostThreads}));
  }
  for (const VerifiedFile& file : done.files) {
    if (!file.found.empty()) done.bytes += file.bytes;
    done.interrupted = done.interrupted || file.state == SumState::Skipped;
  }
  return done;
}

}  // namespace sx
