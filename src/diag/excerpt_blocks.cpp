// Places are counted from the bytes alone, so that a span that is out of date can be shown at the
// worst beside its place.
#include "diag/excerpt_blocks.h"

#include <algorithm>
#include <cstdlib>

#include "diag/excerpt.h"

namespace sx {
namespace {

constexpr int kNear = 10;               // lines apart that still share a block
constexpr std::size_t kTouchedAll = 4;  // a span over more lines is marked at its first line only
constexpr std::size_t kLabels = 8;      // ours have at most three

std::string_view line_text(const Source& source, const LineBounds& bounds) {
  std::string_view line =
      std::string_view(source.text).substr(bounds.begin, bounds.end - bounds.begin);
  if (line.ends_with('\r')) line.remove_suffix(1);  // a place between \r and \n
  return line;
}

// Neither the indentation of a continued line nor the backslash at its end is what a label means.
Range without_edges(std::string_view line, Range bytes) {
  const std::string_view text = line.substr(bytes.begin, bytes.size());
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return bytes;
  std::size_t last = text.find_last_not_of(" \t\\");
  if (last == std::string_view::npos || last < first) last = text.size() - 1;
  return {bytes.begin + first, bytes.begin + last + 1};
}

std::size_t after_line_end(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n') ++at;
  return at;
}

// Each line that a span touches, with the bytes of it that are meant.
std::vector<MarkedLine> touched_lines(const Source& source, const Span& span) {
  std::vector<MarkedLine> lines;
  int number = place_of(source, span.begin).line;
  for (std::size_t at = span.begin; lines.size() <= kTouchedAll; ++number) {
    const LineBounds bounds = line_bounds(source, at);
    MarkedLine line{.number = number, .text = line_text(source, bounds)};
    const std::size_t line_end = bounds.begin + line.text.size();
    const std::size_t begin = std::clamp(span.begin, bounds.begin, line_end) - bounds.begin;
    const std::size_t end = std::clamp(span.end, bounds.begin, line_end) - bounds.begin;
    const bool several =
        span.end > bounds.end && after_line_end(source.text, bounds.end) < span.end;
    const bool part = several || !lines.empty();
    const Range bytes{begin, end};
    line.marks.push_back({.bytes = part ? without_edges(line.text, bytes) : bytes});
    lines.push_back(std::move(line));
    if (!several) break;
    at = after_line_end(source.text, bounds.end);
  }
  if (lines.size() > kTouchedAll) lines.resize(1);
  return lines;
}

void put(Block& block, MarkedLine line) {
  const auto at = std::ranges::lower_bound(block.lines, line.number, {}, &MarkedLine::number);
  if (at == block.lines.end() || at->number != line.number) {
    block.lines.insert(at, std::move(line));
    return;
  }
  at->marks.insert(at->marks.end(), line.marks.begin(), line.marks.end());
}

Block* near_block(std::vector<Block>& blocks, int source, int line) {
  for (Block& block : blocks) {
    if (block.source != source) continue;
    for (const MarkedLine& shown : block.lines) {
      if (std::abs(shown.number - line) <= kNear) return &block;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Block> blocks_of(const std::vector<Label>& labels, const Sources& sources) {
  std::vector<const Label*> order;
  for (const bool primary : {true, false}) {
    for (const Label& label : labels) {
      if (label.primary == primary && order.size() < kLabels && has_place(label, sources)) {
        order.push_back(&label);
      }
    }
  }
  std::vector<Block> blocks;
  for (const Label* label : order) {
    const Span span = inside(label->span, sources);
    std::vector<MarkedLine> lines = touched_lines(sources.at(span.source), span);
    const int line = lines.front().number;
    lines.back().marks.front().label = label;
    for (MarkedLine& touched : lines) touched.marks.front().primary = label->primary;
    Block* block = near_block(blocks, span.source, line);
    if (block == nullptr) block = &blocks.emplace_back(Block{.source = span.source, .line = line});
    for (MarkedLine& touched : lines) put(*block, std::move(touched));
  }
  return blocks;
}

}  // namespace sx
