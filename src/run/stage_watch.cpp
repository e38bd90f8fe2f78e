// The reader of `diagnose`, fed as the log grows. Told of this start alone: the file's earlier part
// is passed over.
#include "run/stage_watch.h"

#include <utility>

#include "logs/run_reader.h"
#include "sys/growing_file.h"

namespace sx {

struct StageWatch::Inside {
  explicit Inside(std::string log) : file(log), signatures(sx::signatures()), reader(signatures) {
    reader.begin_file(log);
  }
  GrowingFile file;
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
  const auto seen =
      inside_->file.look([&](std::string_view bytes) { inside_->reader.feed(bytes); });
  news.any = seen && *seen == GrowingFile::News::More;
  const Phase phase = inside_->reader.so_far().phase;
  if (phase != Phase::Unknown) news.stage = word(phase);
  return news;
}

}  // namespace sx
