// What torch's watchdog and its flight recorder tell: which collective is waited for, who has not
// come to it, who called it otherwise.
#include <algorithm>

#include "cli/diagnose_notes.h"
#include "logs/flight_verdict.h"
#include "logs/nccl_verdict.h"
#include "read/shell_words.h"

namespace sx {
namespace {

constexpr Text kWatchdog{"rank {ranks} waited for collective {sequence} ({operation})",
                         "rank {ranks} 在等第 {sequence} 个集合通信（{operation}）"};
constexpr Text kGroupBehind{
    "rank {ranks} gave fewer collectives to its GPU than the others: behind",
    "rank {ranks} 提交的集合通信比其他 rank 少：落后"};
constexpr Text kSilent{"rank {ranks} says nothing while the others time out",
                       "其他 rank 超时的时候，rank {ranks} 没有任何输出"};
constexpr Text kUnlike{"at the same collective the ranks do unlike things: {list}",
                       "同一个集合通信上各 rank 的操作不一致：{list}"};
constexpr Text kCalledFrom{"it was called from {caller}", "调用处：{caller}"};

constexpr std::size_t kMostGroupsSaid = 4;
constexpr std::size_t kMostRanksSaid = 8;
constexpr Text kOpen{"group {group}: rank {ranks} waits for collective {sequence} ({call})",
                     "通信组 {group}：rank {ranks} 在等第 {sequence} 个集合通信（{call}）"};
constexpr Text kNotCalled{"rank {rank} has not come to it; the last it gave to its GPU is {last}",
                          "rank {rank} 还没有走到它；最后提交的是第 {last} 个"};
constexpr Text kNothingCalled{"rank {rank} has not come to it and gave none to its GPU",
                              "rank {rank} 还没有走到它，也没有提交过任何集合通信"};
constexpr Text kCalledOtherwise{"rank {rank} calls {call} there: out of step",
                                "rank {rank} 在这里调用的是 {call}：步调不一致"};
constexpr Text kNoDump{"there is no dump of rank {ranks}", "缺少 rank {ranks} 的转储文件"};
constexpr Text kTogether{
    "all ranks of the group wait for the same: the transfer itself does not end",
    "组内所有 rank 都在等同一个通信：是传输本身没有完成"};
constexpr Text kNoneOpen{"{count} dumps: no collective was open",
                         "{count} 份转储：没有未完成的集合通信"};
constexpr Text kPickled{
    "{file} is pickled, which is not read here; this makes JSON of it (it runs what is in the "
    "file, so only of your own):",
    "{file} 是 pickle 格式，这里不读取；可用下面的命令转成 JSON（pickle 会执行文件里的内容，"
    "只用于自己的文件）："};
constexpr Text kTooLarge{"{file} is a dump larger than is read",
                         "{file} 是转储文件，但过大，没有读取"};
constexpr Text kBroken{"{file} begins as a dump and is no whole JSON",
                       "{file} 开头像转储文件，但不是完整的 JSON"};

std::string call_of(const FlightEntry& entry) {
  std::string words = entry.operation.empty() ? "?" : entry.operation;
  if (!entry.sizes.empty()) words.append(" ").append(entry.sizes);
  if (!entry.dtype.empty()) words.append(" ").append(entry.dtype);
  return words;
}

void add_group(NoteList& notes, const FlightVerdict& verdict) {
  const FlightCall& first = verdict.waiting.front();
  std::vector<const FlightDump*> same;
  for (const FlightCall& call : verdict.waiting) {
    if (call_of(*call.entry) == call_of(*first.entry)) same.push_back(call.dump);
  }
  const std::string group =
      verdict.description.empty() ? verdict.group : verdict.group + " " + verdict.description;
  notes.add({kOpen,
             {{"group", group},
              {"ranks", rank_words(same)},
              {"sequence", verdict.sequence},
              {"call", call_of(*first.entry)}}},
            {first.dump->file, first.entry->line});
  if (!first.entry->caller.empty()) notes.add({kCalledFrom, {{"caller", first.entry->caller}}});
  std::size_t said = 0;
  for (const FlightCall& call : verdict.waiting) {
    if (call_of(*call.entry) == call_of(*first.entry) || !verdict.unlike) continue;
    if (++said > kMostRanksSaid) break;
    notes.add({kCalledOtherwise, {{"rank", rank_word(*call.dump)}, {"call", call_of(*call.entry)}}},
              {call.dump->file, call.entry->line});
  }
  said = 0;
  for (const FlightBehind& one : verdict.behind) {
    if (++said > kMostRanksSaid) break;
    const Argument rank{"rank", rank_word(*one.dump)};
    notes.add(one.last < 0 ? Message{kNothingCalled, {rank}}
                           : Message{kNotCalled, {rank, {"last", one.last}}},
              {one.dump->file, one.entry == nullptr ? 1 : one.entry->line});
  }
  if (!verdict.absent.empty()) notes.add({kNoDump, {{"ranks", rank_list(verdict.absent)}}});
  if (verdict.together()) notes.add({kTogether});
}

}  // namespace

void add_flight_notes(NoteList& notes, const Beside& beside) {
  notes.begin("flight-recorder");
  std::size_t said = 0;
  const auto verdicts = verdicts_of(beside.flights);
  for (const FlightVerdict& verdict : verdicts) {
    if (++said > kMostGroupsSaid) break;
    add_group(notes, verdict);
  }
  if (verdicts.empty() && !beside.flights.empty())
    notes.add({kNoneOpen, {{"count", beside.flights.size()}}});
  for (const UnreadDump& dump : beside.unread) {
    if (++said > kMostGroupsSaid + kMostRanksSaid) break;
    const Argument file{"file", dump.name};
    switch (dump.why) {
      case UnreadDump::Why::Pickle:
        notes.add_with_command(
            {kPickled, {file}},
            "python3 -c 'import json,pickle,sys; json.dump(pickle.load(open(sys.argv[1], "
            "\"rb\")), sys.stdout)' " +
                shell_quoted(dump.name) + " > " + shell_quoted(dump.name + ".json"));
        break;
      case UnreadDump::Why::TooLarge:
        notes.add({kTooLarge, {file}});
        break;
      case UnreadDump::Why::Broken:
        notes.add({kBroken, {file}});
        break;
    }
  }
}

void add_collective_notes(NoteList& notes, const std::vector<CollectiveWait>& waits,
                          const NcclLog& log) {
  notes.begin("collectives");
  const CollectiveVerdict verdict = verdict_of(waits, log);
  if (verdict.first != nullptr) {
    std::string operation = verdict.first->operation.empty() ? "?" : verdict.first->operation;
    if (verdict.first->values_in >= 0)
      operation.append(" ").append(std::to_string(verdict.first->values_in));
    if (verdict.first->values_out >= 0 && verdict.first->values_out != verdict.first->values_in)
      operation.append(" -> ").append(std::to_string(verdict.first->values_out));
    notes.add({kWatchdog,
               {{"ranks", rank_list(verdict.waiting)},
                {"sequence", verdict.first->sequence},
                {"operation", operation}}},
              verdict.first->at);
    if (!verdict.first->caller.empty())
      notes.add({kCalledFrom, {{"caller", verdict.first->caller}}}, verdict.first->at);
  }
  std::string unlike;
  for (const auto& [rank, operation] : verdict.unlike)
    unlike.append(unlike.empty() ? "" : ", ")
        .append("rank " + std::to_string(rank) + " ")
        .append(operation);
  if (!unlike.empty()) notes.add({kUnlike, {{"list", unlike}}});
  if (!verdict.behind.empty()) notes.add({kGroupBehind, {{"ranks", rank_list(verdict.behind)}}});
  if (!verdict.silent.empty()) notes.add({kSilent, {{"ranks", rank_list(verdict.silent)}}});
}

}  // namespace sx
