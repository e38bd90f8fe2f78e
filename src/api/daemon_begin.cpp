// Everything is read before anything is noted: the notes replace what was read.
#include "api/daemon_begin.h"

#include "api/daemon_end.h"
#include "api/reload.h"
#include "diag/message.h"
#include "run/layout_key.h"
#include "sys/files.h"
#include "sys/wall_clock.h"

namespace sx {
namespace {

constexpr const char* kBegan = "began";  // mark of its first daemon

constexpr Text kSetAside{
    "the journal was damaged and is set aside as {path}: what was known of layouts and of starts "
    "is forgotten",
    "日志库已损坏，已移到 {path}：关于布局与启动的记录不再可用"};
constexpr Text kAnyway{"started in spite of errors that `check` finds: {reason}",
                       "尽管 `check` 发现错误仍然启动：{reason}"};

void note(Journal& journal, const std::string& name, const Both& words) {
  [[maybe_unused]] const auto added =
      journal.add(JournalNote{.unix_ms = unix_ms(), .name = name, .words = words});
}

}  // namespace

void note_anyway(Journal& journal, const Deployment& deployment) {
  if (!deployment.anyway.empty())
    note(journal, "anyway", in_both({kAnyway, {{"reason", deployment.anyway}}}));
}

void note_layouts(Journal& journal, const LayoutMemory& memory) {
  for (const Both& words : memory.notes) note(journal, "layout-known-bad", words);
}

Result<Beginning> begin_deployment(const DaemonAsk& ask, const std::string& text,
                                   const Deployment& deployment, Journal& journal,
                                   const std::optional<std::string>& set_aside) {
  Beginning begins;
  const auto noted = noted_layout(journal, text);
  begins.resume = noted && *noted < deployment.layouts.size();
  begins.machine = machine_words(real_files());
  if (!ask.retry_known_bad)
    begins.memory =
        remembered_layouts(known_layouts(deployment, journal, begins.machine), unix_ms());
  begins.layout = begins.resume ? *noted : begins.memory.first;
  begins.ladder = !begins.resume && (ask.ladder || !begins.memory.proven);
  const auto earlier = journal.remembered(kBegan);
  begins.began = begins.resume && earlier ? read_mark(*earlier) : journal.end();
  if (begins.resume) begins.resumed = unfinished_reload(ask.folder, journal);
  if (begins.resume) note_lost_daemon(journal);
  // `up` hands a deployment over: whoever called it wants all of it tried.
  if (begins.resume && ask.deployment.empty() && !begins.resumed)
    begins.given_up = read_given_up(journal.remembered("given-up").value_or(""));
  if (set_aside) note(journal, "journal-damaged", in_both({kSetAside, {{"path", *set_aside}}}));
  if (!begins.resume) {
    forget_reload(ask.folder, journal);
    note_layouts(journal, begins.memory);
    note_anyway(journal, deployment);
    journal.remember_later(kBegan, mark_words(begins.began));
  }
  const auto layout = begins.ladder ? std::nullopt : std::optional(begins.layout);
  if (auto good = note_deployment(journal, text, layout); !good)
    return std::unexpected(good.error());
  return begins;
}

}  // namespace sx
