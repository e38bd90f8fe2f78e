// The reader of `diagnose`, fed as the log grows. Told of this start alone: the file's earlier part
// is passed over.
#include "run/stage_watch.h"

#include <algorithm>
#include <utility>

#include "logs/run_reader.h"
#include "sys/growing_file.h"

namespace sx {

struct StageWatch::Inside {
  explicit Inside(std::string log) : file(log), signatures(sx::signatures()), reader(signatures) {
    reader.begin_file(log);
  }
  void feed(std::string_view bytes) {
    reader.feed(bytes);
    tail.append(bytes.substr(bytes.size() - std::min(bytes.size(), kTail)));
    if (tail.size() > kTail) tail.erase(0, tail.size() - kTail);
  }
  static constexpr std::size_t kTail = 1024;  // one line of a progress bar, wherever it was cut
  GrowingFile file;
  std::string tail, stage;
  SignatureSet signatures;
  RunReader reader;
};

StageWatch::StageWatch(std::string log, std::string engine)
    : inside_(std::make_unique<Inside>(std::move(log))) {
  inside_->file.pass_over();
  if (!engine.empty()) inside_->reader.assume_engine(std::move(engine));
}
StageWatch::~StageWatch() = default;
StageWatch::StageWatch(StageWatch&&) noexcept = default;
StageWatch& StageWatch::operator=(StageWatch&&) noexcept = default;

StageWatch::News StageWatch::look() {
  News news;
  const auto seen = inside_->file.look([&](std::string_view bytes) { inside_->feed(bytes); });
  news.any = seen && *seen == GrowingFile::News::More;
  const Phase phase = inside_->reader.so_far().phase;
  if (phase != Phase::Unknown) news.stage = word(phase);
  // A bar of an earlier stage says nothing about this one: the latest line alone may be of it.
  if (news.stage != inside_->stage && !inside_->tail.empty()) {
    inside_->stage = news.stage;
    const std::size_t line = inside_->tail.rfind('\n', inside_->tail.size() - 2);
    if (line != std::string::npos) inside_->tail.erase(0, line);
  }
  news.percent = percent_in(inside_->tail);
  return news;
}

int percent_in(std::string_view text) {
  for (std::size_t at = text.rfind('%'); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : text.rfind('%', at - 1)) {
    const std::string_view behind = text.substr(at + 1);
    if (!behind.starts_with('|') && !behind.starts_with(" Completed")) continue;
    std::size_t begin = at;
    while (begin > 0 && at - begin < 4 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
    int percent = 0;
    for (const char digit : text.substr(begin, at - begin)) percent = percent * 10 + (digit - '0');
    if (begin < at && percent <= 100) return percent;
  }
  return -1;
}

}  // namespace sx
