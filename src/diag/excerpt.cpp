// Gutter, lines, marks: one writer for the few shapes that an excerpt has.
#include "diag/excerpt.h"

#include <algorithm>

#include "diag/excerpt_blocks.h"
#include "diag/flag_rows.h"
#include "diag/marks.h"
#include "diag/render.h"
#include "diag/words.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kIndent = 2;      // of a flag in a command that is laid out one flag a row
constexpr std::size_t kRowsOfMark = 4;  // a mark under more rows is drawn under the first alone

class Writer {
 public:
  Writer(const Sources& sources, const ExcerptStyle& style, const Painter& painter,
         std::size_t gutter)
      : sources_(sources), style_(style), painter_(painter), gutter_(gutter) {
    const std::size_t taken = gutter_ + 3;  // " | "
    room_ = style_.width > taken ? style_.width - taken : 1;
  }

  void block(const Block& block, bool first) {
    numbered_ = has_line_numbers(sources_.at(block.source));
    numbers_shown_ = false;
    head(first ? " --> " : " ::: ", place(block));
    bar({}, {});
    int before = 0;
    for (const MarkedLine& line : block.lines) {
      if (before != 0 && line.number > before + 1) bar({}, "...");
      before = line.number;
      marked_line(line);
    }
  }

  // Closes a block of numbered lines, so that the sentences below do not seem to be part of the
  // file.
  void close() {
    if (numbers_shown_) bar({}, {});
  }

  std::string take() { return std::move(out_); }

 private:
  std::string place(const Block& block) const {
    const std::string name = source_name(sources_.at(block.source), style_.language);
    return numbered_ ? name + ":" + std::to_string(block.line) : name;
  }

  void head(std::string_view arrow, const std::string& text) {
    out_ += painter_(Paint::Quiet, arrow) + text + "\n";
  }

  // One row of the excerpt; `text` may be painted already.
  void bar(std::string_view number, std::string_view text) {
    std::string left(gutter_ - std::min(gutter_, number.size()), ' ');
    left.append(number).append(" |");
    if (!number.empty()) numbers_shown_ = true;
    out_ += painter_(Paint::Quiet, left);
    if (!text.empty()) out_.append(" ").append(text);
    out_ += '\n';
  }

  void marked_line(const MarkedLine& line) {
    if (first_glyphs_fit(line.text)) return cut_line(line);
    const std::vector<Range> rows = flag_rows(line.text);
    // In a file one flag may be anything; two are a command.
    if (rows.size() < (numbered_ ? 3 : 2)) return cut_line(line);
    command(line, rows);
  }

  // Without measuring all of a very long line.
  bool first_glyphs_fit(std::string_view text) const {
    std::size_t cells = 0;
    while (!text.empty() && cells <= room_) {
      const Glyph glyph = first_glyph(text, cells);
      cells += glyph.cells;
      text.remove_prefix(glyph.bytes);
    }
    return cells <= room_;
  }

  void cut_line(const MarkedLine& line) {
    const Range all{0, line.text.size()};
    piece(line, all, all, 0, numbered_ ? std::to_string(line.number) : std::string());
  }

  // The first row, rows with marks, and `...` for those between. Only the line breaks are ours.
  void command(MarkedLine line, const std::vector<Range>& rows) {
    const auto with_blanks = [&](std::size_t i) {
      return Range{i == 0 ? 0 : rows[i].begin,
                   i + 1 < rows.size() ? rows[i + 1].begin : line.text.size() + 1};
    };
    for (LineMark& mark : line.marks) shorten(mark, rows);
    bool skipped = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Range reach = with_blanks(i);
      const bool marked = std::ranges::any_of(
          line.marks, [&](const LineMark& mark) { return meets(mark.bytes, reach); });
      if (i > 0 && !marked) {
        skipped = true;
        continue;
      }
      if (skipped) bar({}, std::string(kIndent, ' ') + "...");
      skipped = false;
      piece(line, rows[i], reach, i == 0 ? 0 : kIndent, {});
    }
    if (skipped) bar({}, std::string(kIndent, ' ') + "...");
  }

  // A mark under many rows says no more than under the first.
  static void shorten(LineMark& mark, const std::vector<Range>& rows) {
    std::size_t met = 0;
    std::size_t first_end = mark.bytes.end;
    for (const Range& row : rows) {
      if (!meets(mark.bytes, row)) continue;
      if (++met == 1) first_end = std::min(mark.bytes.end, row.end);
    }
    if (met > kRowsOfMark) mark.bytes.end = first_end;
  }

  static bool meets(const Range& mark, const Range& reach) {
    if (mark.size() == 0) return mark.begin >= reach.begin && mark.begin < reach.end;
    return mark.begin < reach.end && mark.end > reach.begin;
  }

  // A part of a line with the marks that lie within its reach. The text of a mark stands where the
  // mark ends.
  void piece(const MarkedLine& line, Range part, Range reach, std::size_t indent,
             std::string_view number) {
    std::vector<Range> bytes;
    std::vector<Mark> marks;
    const bool whole = part == reach;
    for (const LineMark& mark : line.marks) {
      if (!whole && !meets(mark.bytes, reach)) continue;
      bytes.push_back({std::clamp(mark.bytes.begin, part.begin, part.end) - part.begin,
                       std::clamp(mark.bytes.end, part.begin, part.end) - part.begin});
      const bool ends_here = mark.bytes.end <= reach.end;
      marks.push_back({.primary = mark.primary, .text = ends_here ? text_of(mark) : std::string()});
    }
    const std::size_t room = room_ > indent ? room_ - indent : 1;
    const ShownLine shown = shown_line(line.text.substr(part.begin, part.size()), bytes, room);
    bar(number, shown.text.empty() ? std::string() : std::string(indent, ' ') + shown.text);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      marks[i].cells = {shown.marks[i].begin + indent, shown.marks[i].end + indent};
    }
    for (const Row& row : rows_under(std::move(marks), room_, style_.primary)) {
      bar({}, painted(row, painter_));
    }
  }

  std::string text_of(const LineMark& mark) const {
    if (mark.label == nullptr || mark.label->text.empty()) return {};
    return printable(rendered(mark.label->text, style_.language));
  }

  const Sources& sources_;
  const ExcerptStyle& style_;
  const Painter& painter_;
  std::size_t gutter_;
  std::size_t room_ = 1;
  bool numbered_ = false;       // lines of this block have numbers
  bool numbers_shown_ = false;  // not so for a command that is laid out one flag a row
  std::string out_;
};

std::size_t gutter_of(const std::vector<Block>& blocks, const Sources& sources) {
  std::size_t cells = 1;
  for (const Block& block : blocks) {
    if (!has_line_numbers(sources.at(block.source)) || block.lines.empty()) continue;
    cells = std::max(cells, std::to_string(block.lines.back().number).size());
  }
  return cells;
}

}  // namespace

Excerpt excerpt(const std::vector<Label>& labels, const Sources& sources, const ExcerptStyle& style,
                const Painter& painter) {
  const std::vector<Block> blocks = blocks_of(labels, sources);
  Excerpt out{.text = {}, .gutter = gutter_of(blocks, sources)};
  Writer writer(sources, style, painter, out.gutter);
  bool first = !style.further;
  for (const Block& block : blocks) {
    writer.block(block, first);
    first = false;
  }
  writer.close();
  out.text = writer.take();
  return out;
}

const Label* primary_label(const Diagnostic& diagnostic, const Sources& sources) {
  const Label* found = nullptr;
  for (const Label& label : diagnostic.labels) {
    if (!has_place(label, sources)) continue;
    if (label.primary) return &label;
    if (found == nullptr) found = &label;
  }
  return found;
}

bool has_place(const Label& label, const Sources& sources) {
  return label.span.source >= 0 &&
         static_cast<std::size_t>(label.span.source) < sources.all().size();
}

Span inside(const Span& span, const Sources& sources) {
  const std::size_t size = sources.at(span.source).text.size();
  const std::size_t begin = std::min(span.begin, size);
  return {span.source, begin, std::clamp(span.end, begin, size)};
}

bool has_line_numbers(const Source& source) {
  switch (source.kind) {
    case SourceKind::CommandLine:
    case SourceKind::Process:
      return false;
    case SourceKind::File:
    case SourceKind::StandardInput:
      return true;
  }
  return true;
}

}  // namespace sx
