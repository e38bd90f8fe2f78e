// How a runner begins: what an earlier daemon left is looked at beside the loop, because ending it
// may take its time; then the one still wanted are taken over and the others are started.
#include <unistd.h>

#include <charconv>

#include "run/left_behind.h"
#include "run/runner_inside.h"
#include "sys/control_group.h"
#include "sys/files.h"

namespace sx {

using runner::now;
using runner::Running;

namespace {

struct Left {
  KeeperRecord record;
  EngineLaunch launch;  // without words: its specification cannot be read
};
struct Stock {
  std::map<int, Left> kept;  // by replica: still wanted, or to be replaced
  Result<std::string> group_home;
  std::optional<std::vector<GpuUse>> gpus;  // what they hold without any of ours
};

std::optional<int> index_in(const std::string& name) {
  int index = -1;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool all = read.ec == std::errc() && read.ptr == name.data() + name.size();
  return all && index >= 0 ? std::optional(index) : std::nullopt;
}

// Engines of a deployment or layout that is no longer wanted hold what this one needs: ended. One
// that serves in the middle of a reload, and is not replaced yet, is not among them.
Stock take_stock(const StateFolder& folder, const std::vector<EngineLaunch>& wanted, bool turns,
                 const GivenUp& given_up) {
  Stock stock{.kept = {}, .group_home = group_home(), .gpus = {}};
  const auto names = real_files().list(folder.replicas());
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    const ReplicaFiles files(folder.replicas() + '/' + name);
    const auto index = index_in(name);
    const auto record = index && !wanted.empty() ? left_behind(files) : std::nullopt;
    Left left{.record = record.value_or(KeeperRecord{}), .launch = launch_in(files)};
    const bool is_wanted = left.launch.words.empty()
                               ? index && static_cast<std::size_t>(*index) < wanted.size()
                               : std::ranges::find(wanted, left.launch) != wanted.end();
    const bool serves_on = turns && record && watch(record->keeper).open();
    // What ended of a model that was given up has been settled.
    const bool settled =
        record && given_up.contains(left.launch.model) && !watch(record->keeper).open();
    if (record && record->of.replica == *index && !settled && (is_wanted || serves_on)) {
      stock.kept.emplace(*index, std::move(left));
    } else {
      end_left_behind(files);
    }
  }
  return stock;
}

// Whether that start had come to serve, by the journal's last word on it.
bool had_served(const Journal& journal, Attempt of) {
  constexpr int kLooked = 2000;
  std::string last;
  for (const JournalLine& line : journal.latest(kLooked)) {
    if (line.replica == of.replica && line.start == of.start) last = line.to;
  }
  return last == word_of(ReplicaState::Ready) || last == word_of(ReplicaState::Suspect);
}

}  // namespace

void Runner::Inside::begin() {
  const auto wanted = ask.resume ? supervisor.layout().replicas : std::vector<EngineLaunch>{};
  const bool turns = ask.resumed.has_value();
  aside(
      [folder = ask.folder, wanted, turns, given_up = ask.given_up,
       program = asks_gpus() ? ask.program : std::string()] {
        Stock stock = take_stock(folder, wanted, turns, given_up);
        if (!program.empty()) stock.gpus = ask_gpu_use(program);
        return stock;
      },
      [this](const Stock& stock) {
        if (stock.group_home) {
          group_home = *stock.group_home;
        } else {
          no_groups = {stock.group_home.error().what, stock.group_home.error().chinese};
        }
        see_gpus_before(stock.gpus);
        const auto& launches = supervisor.layout().replicas;
        for (const auto& [index, left] : stock.kept) {
          const bool known = !left.launch.words.empty();
          adopt(known ? left.launch : launches.at(static_cast<std::size_t>(index)), left.record,
                known);
        }
        begun = true;
        supervisor.begin(now());
        carry_out();
        look_at_stages();
        if (out.routes_changed) out.routes_changed();
        for (const Event& event : std::exchange(asked_early, {})) take(event);
      });
}

// Its keeper still runs, or has written how it ended.
void Runner::Inside::adopt(const EngineLaunch& launch, const KeeperRecord& record, bool by_launch) {
  Running replica;
  replica.of = record.of;
  replica.files = ask.folder.replica(record.of.replica);
  replica.launch = launch;
  replica.mark = record.mark;
  replica.group = record.group;
  replica.record = record;
  replica.began = true;
  Running& kept = all[record.of.replica] = std::move(replica);
  const bool served = had_served(journal, record.of);
  supervisor.take(Adopted{.of = record.of,
                          .state = served ? ReplicaState::Ready : ReplicaState::Starting,
                          .launch = by_launch ? launch : EngineLaunch{}},
                  now());
  if (!served) kept.stages.emplace(kept.files.log(), launch.engine);
  UniqueFd pidfd = watch(record.keeper);
  if (pidfd.open()) {
    watch_keeper(kept, std::move(pidfd));
  } else {
    asio::post(loop, [this, of = record.of] { keeper_ended(of); });
  }
}

// A daemon that comes back must not find it; its log stays.
void Runner::Inside::act(const Buried& action) {
  const auto found = all.find(action.replica);
  if (found == all.end()) return;
  const ReplicaFiles& files = found->second.files;
  for (const std::string& path : {files.keeper(), files.ending(), files.spec()})
    ::unlink(path.c_str());
  all.erase(found);
}

}  // namespace sx
