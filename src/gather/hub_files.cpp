// Each file is asked for once: its front, or the whole of it when it is short. The first look at a
// shard fetches the fronts of all shards, several at a time.
#include "gather/hub_files.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "diag/message.h"
#include "read/json.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

constexpr int kMostTries = 3;
constexpr milliseconds kFirstWait{500};  // doubled at the next try
constexpr int kLongestWaitSeconds = 5;   // a hub that asks for more is told as busy
constexpr std::size_t kMostAtOnce = 4;
constexpr std::size_t kMostShards = 512;  // more are looked at one by one
constexpr Bytes kMostInAll = mib(256);
constexpr Bytes kListLimit = mib(16);
constexpr Bytes kShardFront = kib(128);  // nearly all headers of shards fit

constexpr Text kNoModel{
    "the hub {server} has no model {id}, or it is private: HF_TOKEN would show it",
    "{server} 上没有模型 {id}，或者它是私有的：设置 HF_TOKEN 后才能看到"};
constexpr Text kGated{
    "{id} is gated on {server}: its licence must be accepted there, and HF_TOKEN set",
    "{id} 在 {server} 上受限：需先在该站点接受许可协议，并设置 HF_TOKEN"};
constexpr Text kNoRevision{"{id} on {server} has no revision {revision}",
                           "{server} 上的 {id} 没有版本 {revision}"};
constexpr Text kBusy{"{server} is busy (HTTP {status}); later it may answer",
                     "{server} 繁忙（HTTP {status}）；稍后可能恢复"};
constexpr Text kStatus{"{server} answered HTTP {status}", "{server} 返回 HTTP {status}"};
constexpr Text kWebPage{
    "{server} answered with a web page: a log-in page of this network, or no hub",
    "{server} 返回的是网页：可能是网络登录页，或者该地址不是模型站点"};
constexpr Text kNoList{"the list of files of {id} from {server} cannot be read",
                       "无法读取 {server} 上 {id} 的文件列表"};
constexpr Text kNoSuchFile{"there is no {path}", "没有 {path}"};
constexpr Text kTooMuch{"more than {most} would have to be fetched", "需要获取的数据超过 {most}"};
constexpr Text kTooLong{"{path} is longer than {most}", "{path} 超过 {most}"};

struct Listed {
  Bytes bytes;
  bool known = false;  // the length was told
};

struct Front {
  std::string bytes;
  bool whole = false;
};

class HubFiles final : public Files {
 public:
  HubFiles(const Http& http, HubRepository hub, Wait wait)
      : http_(http), hub_(std::move(hub)), wait_(std::move(wait)) {}

  Result<void> open();

  Result<std::string> read(const std::string& path, Bytes limit) const override;
  Result<std::string> read_front(const std::string& path, Bytes length) const override;
  Result<FileInfo> info(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;
  Result<std::string> link_target(const std::string& path) const override;

 private:
  Result<void> open_folder();
  Result<HttpAnswer> ask(const std::string& url, std::optional<Bytes> front, Bytes limit) const;
  Result<HttpAnswer> ask_again(const HttpRequest& request) const;
  Error refused(const HttpAnswer& answer) const;
  Result<void> read_list(const std::string& text);
  // "config.json" of a path below the folder; empty: it lies elsewhere.
  std::string name_in(const std::string& path) const;
  std::string path_of(std::string_view name) const {
    return hub_.folder() + '/' + std::string(name);
  }
  Result<void> fetch(const std::string& name, Bytes length) const;
  void fetch_shards() const;
  Error absent(const std::string& path) const {
    return {Error::Kind::Absent, in_both({kNoSuchFile, {{"path", path}}})};
  }

  const Http& http_;
  HubRepository hub_;
  Wait wait_;
  std::map<std::string, Listed> listed_;
  mutable std::mutex lock_;  // of fronts_
  mutable std::map<std::string, Front> fronts_;
  mutable std::atomic<std::int64_t> fetched_{0};
  mutable bool shards_fetched_ = false;
};

bool may_pass(int status) { return status == 429 || status == 408 || status >= 500; }

Result<HttpAnswer> HubFiles::ask_again(const HttpRequest& request) const {
  milliseconds pause = kFirstWait;
  for (int tries = 1;; ++tries) {
    auto answer = http_.get(request);
    const bool cut_off = !answer && (answer.error().kind == Error::Kind::Damaged ||
                                     answer.error().kind == Error::Kind::TimedOut);
    if (tries == kMostTries || (answer ? !may_pass(answer->status) : !cut_off)) return answer;
    milliseconds next = pause;
    if (answer && answer->retry_after_seconds) {
      if (*answer->retry_after_seconds > kLongestWaitSeconds) return answer;
      next = std::chrono::seconds(*answer->retry_after_seconds);
    }
    wait_(next);
    pause *= 2;
  }
}

Error HubFiles::refused(const HttpAnswer& answer) const {
  const std::string& what = hub_.id.empty() ? hub_.server : hub_.id;
  const auto say = [&](Error::Kind kind, Text text) {
    return Error(kind, in_both({text, {{"id", what}, {"server", hub_.server}}}));
  };
  if (answer.error_code == "GatedRepo") return say(Error::Kind::Refused, kGated);
  if (answer.error_code == "RevisionNotFound") {
    return {Error::Kind::Absent,
            in_both({kNoRevision,
                     {{"id", what}, {"server", hub_.server}, {"revision", hub_.revision}}})};
  }
  if (answer.status == 403) return say(Error::Kind::Refused, kGated);
  if (answer.status == 401 || answer.status == 404) return say(Error::Kind::Absent, kNoModel);
  const Text text = may_pass(answer.status) ? kBusy : kStatus;
  return {Error::Kind::Damaged,
          in_both({text, {{"server", hub_.server}, {"status", answer.status}}})};
}

Result<HttpAnswer> HubFiles::ask(const std::string& url, std::optional<Bytes> front,
                                 Bytes limit) const {
  if (Bytes{fetched_} > kMostInAll)
    return fail(Error::Kind::TooLarge, in_both({kTooMuch, {{"most", kMostInAll}}}));
  SX_TRY(auto answer,
         ask_again({.url = url, .bearer = hub_.token, .front = front, .limit = limit}));
  fetched_ += static_cast<std::int64_t>(answer.body.size());
  if (answer.status != 200 && answer.status != 206) return std::unexpected(refused(answer));
  if (answer.content_type == "text/html")
    return fail(Error::Kind::Damaged, in_both({kWebPage, {{"server", hub_.server}}}));
  return answer;
}

// [{"type": "file", "path": …, "size": …}] or {"Data": {"Files": [{"Path": …, "Size": …}]}}.
Result<void> HubFiles::read_list(const std::string& text) {
  const auto document = JsonDocument::parse(text);
  JsonValue files;
  if (document) {
    files =
        document->root().is(JsonKind::Array) ? document->root() : document->root()["Data"]["Files"];
  }
  if (!files.is(JsonKind::Array)) {
    return fail(Error::Kind::Damaged,
                in_both({kNoList, {{"id", hub_.id}, {"server", hub_.server}}}));
  }
  for (JsonValue file = files.first(); file; file = file.next()) {
    const auto either = [&file](std::string_view one, std::string_view other) {
      const JsonValue value = file[one];
      return value ? value : file[other];
    };
    const std::string type = either("type", "Type").string().value_or("file");
    auto path = either("path", "Path").string();
    const auto size = either("size", "Size").integer();
    const bool plain = path && !path->empty() && path->find('/') == std::string::npos;
    if (!plain || (type != "file" && type != "blob")) continue;
    listed_[*path] = {.bytes = Bytes{std::max<std::int64_t>(size.value_or(0), 0)},
                      .known = size.has_value()};
  }
  return {};
}

// A plain folder has no list: what its index names is there, and what is asked for is tried.
Result<void> HubFiles::open_folder() {
  SX_TRY(const auto config, ask(hub_.file_address("config.json"), {}, kListLimit));
  fronts_["config.json"] = {.bytes = config.body, .whole = true};
  listed_["config.json"] = {.bytes = Bytes{static_cast<std::int64_t>(config.body.size())},
                            .known = true};
  constexpr std::string_view kIndex = "model.safetensors.index.json";
  std::set<std::string> names{"model.safetensors"};
  if (auto index = ask(hub_.file_address(kIndex), {}, mib(64))) {
    listed_[std::string(kIndex)] = {.bytes = Bytes{static_cast<std::int64_t>(index->body.size())},
                                    .known = true};
    if (const auto document = JsonDocument::parse(index->body)) {
      names.clear();
      const JsonValue map = document->root()["weight_map"];
      for (JsonValue entry = map.first(); entry && names.size() < kMostShards;
           entry = entry.next()) {
        if (auto name = entry.string(); name && name->find('/') == std::string::npos)
          names.insert(*std::move(name));
      }
    }
    fronts_[std::string(kIndex)] = {.bytes = std::move(index->body), .whole = true};
  }
  for (const std::string& name : names) {
    auto front = ask(hub_.file_address(name), kShardFront, kShardFront);
    if (!front) continue;
    listed_[name] = {.bytes = front->total.value_or(Bytes{}), .known = front->total.has_value()};
    fronts_[name] = {.bytes = std::move(front->body), .whole = false};
  }
  return {};
}

Result<void> HubFiles::open() {
  if (hub_.list_address().empty()) return open_folder();
  SX_TRY(const auto answer, ask(hub_.list_address(), {}, kListLimit));
  return read_list(answer.body);
}

std::string HubFiles::name_in(const std::string& path) const {
  const std::string front = hub_.folder() + '/';
  return path.starts_with(front) ? path.substr(front.size()) : std::string();
}

Result<void> HubFiles::fetch(const std::string& name, Bytes length) const {
  SX_TRY(auto answer, ask(hub_.file_address(name), length, length));
  const Bytes have{static_cast<std::int64_t>(answer.body.size())};
  const std::lock_guard hold(lock_);
  fronts_[name] = {.bytes = std::move(answer.body), .whole = have < length};
  return {};
}

void HubFiles::fetch_shards() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : listed_) {
    if (name.ends_with(".safetensors") && !fronts_.contains(name) && names.size() < kMostShards)
      names.push_back(name);
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < names.size(); i = next++) {
      // One that fails is asked again by whoever reads it, and then says why.
      if (!fetch(names[i], kShardFront)) return;
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min(kMostAtOnce, names.size()); ++i) workers.emplace_back(work);
}

Result<std::string> HubFiles::read_front(const std::string& path, Bytes length) const {
  const std::string name = name_in(path);
  const auto file = listed_.find(name);
  if (file == listed_.end()) return std::unexpected(absent(path));
  if (name.ends_with(".safetensors") && !shards_fetched_) {
    shards_fetched_ = true;
    fetch_shards();
  }
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(length.count(), 0));
  const auto enough = [&] {
    const auto front = fronts_.find(name);
    return front != fronts_.end() && (front->second.whole || front->second.bytes.size() >= wanted);
  };
  if (!enough()) {
    if (auto fetched = fetch(name, length); !fetched)
      return std::unexpected(std::move(fetched).error());
  }
  return fronts_.at(name).bytes.substr(0, wanted);
}

Result<std::string> HubFiles::read(const std::string& path, Bytes limit) const {
  const std::string name = name_in(path);
  const auto file = listed_.find(name);
  if (file == listed_.end()) return std::unexpected(absent(path));
  if (file->second.known && file->second.bytes > limit) {
    return fail(Error::Kind::TooLarge, in_both({kTooLong, {{"path", path}, {"most", limit}}}));
  }
  const auto front = fronts_.find(name);
  if (front != fronts_.end() && front->second.whole) return front->second.bytes;
  SX_TRY(auto answer, ask(hub_.file_address(name), {}, limit));
  const std::lock_guard hold(lock_);
  fronts_[name] = {.bytes = answer.body, .whole = true};
  return std::move(answer.body);
}

Result<FileInfo> HubFiles::info(const std::string& path) const {
  if (path == hub_.folder()) return FileInfo{.kind = FileInfo::Kind::Directory, .bytes = {}};
  const auto file = listed_.find(name_in(path));
  if (file == listed_.end()) return std::unexpected(absent(path));
  return FileInfo{.kind = FileInfo::Kind::File, .bytes = file->second.bytes};
}

Result<std::vector<std::string>> HubFiles::list(const std::string& path) const {
  if (path != hub_.folder()) return std::unexpected(absent(path));
  std::vector<std::string> names;
  for (const auto& [name, file] : listed_) names.push_back(name);
  return names;
}

Result<std::string> HubFiles::link_target(const std::string& path) const {
  return std::unexpected(absent(path));
}

}  // namespace

Result<std::unique_ptr<Files>> open_hub_folder(const Http& http, HubRepository repository,
                                               Wait wait) {
  auto files = std::make_unique<HubFiles>(http, std::move(repository), std::move(wait));
  if (auto opened = files->open(); !opened) return std::unexpected(std::move(opened).error());
  return files;
}

}  // namespace sx
