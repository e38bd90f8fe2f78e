// Any bytes as a record that a run leaves or reads: a result of `bench serve`, what the machine
// says of its GPUs (and which of them may stand in for others), the stages of a start, a progress
// bar, what was given up.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "run/bench_figures.h"
#include "run/given_up.h"
#include "run/gpu_release.h"
#include "run/other_cards.h"
#include "run/stage_watch.h"
#include "run/start_times.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto figures = sx::read_figures(text)) {
    const auto again = sx::read_figures(sx::figures_json(*figures, "1"));
    SX_ASSERT(again && again->users == figures->users &&
              again->ttft_ms.slices.size() == figures->ttft_ms.slices.size());
    sx::difference_of(figures->ttft_ms, figures->tpot_ms, true);
  }
  if (const auto uses = sx::read_gpu_use(text)) {
    sx::EngineLaunch launch{.engine = "vllm"};
    launch.gpus = {0, 1};
    const auto trouble = sx::trouble_with(launch, *uses, *uses);
    const sx::OtherCardsAsk ask{
        .program = "", .launch = launch, .bad = trouble.gpus, .not_these = {3}, .now = *uses};
    for (const auto& gpus : sx::other_cards(ask))
      SX_ASSERT(gpus.size() == 2 && gpus != launch.gpus);
  }
  const auto given_up = sx::read_given_up(std::string(text));
  const auto same = sx::read_given_up(sx::given_up_words(given_up));
  SX_ASSERT(same.size() == given_up.size());
  const auto times = sx::read_start(text);
  SX_ASSERT(sx::read_start(sx::start_words(times)) == times);
  sx::StartClock clock(sx::Moment(0));
  if (const auto told = sx::outlook({times}, clock, 50, sx::Moment(1000)))
    SX_ASSERT(told->percent >= 0 && told->percent < 100 && told->left >= sx::Moment(0));
  const int percent = sx::percent_in(text);
  SX_ASSERT(percent >= -1 && percent <= 100);
  return 0;
}
