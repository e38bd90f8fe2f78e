// The clock on the wall is read once a tick.
#include "gateway/books.h"

#include "run/new_mark.h"
#include "sys/wall_clock.h"

namespace sx {
Books::Books() : wall_{GatewayClock::now(), since_1970()} {
  for (const char digit : new_mark()) seed_ = seed_ * 31 + static_cast<unsigned char>(digit);
}

void Books::tick(GatewayClock::time_point now) {
  if (!access_log && !spans) return;
  wall_ = {now, since_1970()};
  if (access_log) access_log->flush();
  if (spans) spans->flush();
}

// SplitMix64: a bijection of the count, so that numbers repeat only after all of them were used.
std::uint64_t Books::new_id() {
  std::uint64_t value = seed_ + ++made_ * 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

Result<void> Books::trace_to(OtlpSettings settings) {
  sampler = settings.sampler;
  if (spans) {
    spans->change(std::move(settings));
  } else if (settings.wanted()) {
    SX_TRY(spans, SpanExport::begin(std::move(settings)));
  }
  return {};
}

void Books::trace(const SpanEntry& entry, GatewayClock::time_point ended) {
  if (spans) spans->add(span_json(entry, wall_, ended));
}

void Books::write(const AccessEntry& entry, GatewayClock::time_point now) {
  if (access_log) lines_.add(access_log->lines(), entry, wall_, now);
}

}  // namespace sx
