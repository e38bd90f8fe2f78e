// Cards are told apart by name and memory; whether the layout works on them is for `check` to say.
#include "run/other_cards.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "diag/listed.h"
#include "diag/message.h"
#include "sys/child_program.h"
#include "sys/environment.h"

namespace sx {
namespace {

// What a driver and a display hold of a card that nobody computes on.
constexpr Bytes kIdle = gib(1);
constexpr std::chrono::milliseconds kCheckTime{20'000};  // a second or two on most machines

constexpr Text kLost{"the driver no longer reaches GPU {gpu}", "驱动已无法访问 GPU {gpu}"};
constexpr Text kTaken{"GPU {gpu} is held by others", "GPU {gpu} 被其他进程占用"};

bool holds(const std::vector<int>& gpus, int gpu) {
  return std::ranges::find(gpus, gpu) != gpus.end();
}

const GpuUse* told_of(const std::vector<GpuUse>& all, int gpu) {
  const auto found = std::ranges::find(all, gpu, &GpuUse::gpu);
  return found == all.end() ? nullptr : &*found;
}

bool is_free(const GpuUse& card) { return !card.name.empty() && card.used && *card.used <= kIdle; }

bool same_kind(const GpuUse& a, const GpuUse& b) {
  return a.name == b.name && a.memory == b.memory;
}

// Its own good ones stay where they are among them.
std::vector<int> filled(const OtherCardsAsk& ask, std::vector<int> kept, std::vector<int> free) {
  std::vector<int> gpus;
  for (const int own : ask.launch.gpus) {
    const bool stays = holds(kept, own);
    if (!stays && free.empty()) return {};
    gpus.push_back(stays ? own : free.front());
    if (!stays) free.erase(free.begin());
  }
  return gpus;
}

}  // namespace

CardTrouble trouble_with(const EngineLaunch& launch, const std::vector<GpuUse>& before,
                         const std::vector<GpuUse>& now) {
  CardTrouble lost{.gpus = {}, .why = {}}, taken{.gpus = {}, .why = {}};
  // A driver that reaches none of its cards is another trouble.
  const bool answers =
      std::ranges::any_of(now, [](const GpuUse& one) { return !one.name.empty(); });
  for (const int gpu : launch.gpus) {
    const GpuUse* card = told_of(now, gpu);
    if (answers && card != nullptr && card->name.empty() && !card->used) lost.gpus.push_back(gpu);
  }
  for (const GpuUse& card : still_held(before, now, launch.gpus).gpus)
    taken.gpus.push_back(card.gpu);
  CardTrouble all{.gpus = lost.gpus, .why = {}};
  for (const int gpu : taken.gpus) all.gpus.push_back(gpu);
  if (!lost.gpus.empty()) {
    all.why = in_both({kLost, {{"gpu", listed(lost.gpus)}}});
  } else if (!taken.gpus.empty()) {
    all.why = in_both({kTaken, {{"gpu", listed(taken.gpus)}}});
  }
  return all;
}

std::vector<std::vector<int>> other_cards(const OtherCardsAsk& ask) {
  std::vector<int> good;  // of its own
  const GpuUse* kind = nullptr;
  for (const int gpu : ask.launch.gpus) {
    const GpuUse* card = told_of(ask.now, gpu);
    if (holds(ask.bad, gpu) || card == nullptr || !is_free(*card)) continue;
    good.push_back(gpu);
    kind = card;
  }
  std::vector<std::vector<int>> sets;
  const auto add = [&](std::vector<int> gpus) {
    if (!gpus.empty() && gpus != ask.launch.gpus && std::ranges::find(sets, gpus) == sets.end())
      sets.push_back(std::move(gpus));
  };
  std::vector<const GpuUse*> kinds;
  for (const GpuUse& card : ask.now) {
    const bool known =
        std::ranges::any_of(kinds, [&](const GpuUse* one) { return same_kind(*one, card); });
    if (!card.name.empty() && !known) kinds.push_back(&card);
  }
  for (const GpuUse* one : kinds) {
    std::vector<int> free;
    for (const GpuUse& card : ask.now) {
      const bool may = is_free(card) && same_kind(card, *one) && !holds(ask.not_these, card.gpu) &&
                       !holds(ask.launch.gpus, card.gpu);
      if (may) free.push_back(card.gpu);
    }
    if (kind != nullptr && same_kind(*kind, *one)) add(filled(ask, good, free));
    add(filled(ask, {}, free));
  }
  constexpr std::size_t kMost = 4;  // each is a run of `check`
  sets.resize(std::min(sets.size(), kMost));
  return sets;
}

EngineLaunch on_cards(const EngineLaunch& launch, const std::vector<int>& gpus) {
  EngineLaunch made = launch;
  made.gpus = gpus;
  made.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  made.environment["CUDA_VISIBLE_DEVICES"] = join(gpus, ",");
  return made;
}

std::optional<EngineLaunch> launch_elsewhere(const OtherCardsAsk& ask) {
  for (const std::vector<int>& gpus : other_cards(ask)) {
    if (ask.hurry != nullptr && *ask.hurry) return std::nullopt;
    EngineLaunch made = on_cards(ask.launch, gpus);
    if (ask.in_spite_of_errors) return made;
    // Its own environment on top of ours: where caches lie, and which cards it sees.
    ChildAsk check{.words = {ask.program, "check", "--lang", "en", "--", "env"}};
    for (const char* name : {"CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"})
      check.words.push_back(std::string(name) + '=' + made.environment[name]);
    check.words.insert(check.words.end(), made.words.begin(), made.words.end());
    check.limit = kCheckTime;
    check.folder = made.folder;  // relative paths begin there
    std::map<std::string, std::string> environment = made.environment;
    const Environment ours = Environment::of_process();
    environment.insert(ours.all().begin(), ours.all().end());
    check.environment = &environment;
    const auto answer = run_child_program(check);
    if (answer && !answer->timed_out && answer->code == 0) return made;
  }
  return std::nullopt;
}

}  // namespace sx
