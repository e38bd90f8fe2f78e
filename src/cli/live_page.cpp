// Rows are pieces with a colour each; they are cut to the width first and painted then.
#include "cli/live_page.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "cli/daemon_talk.h"
#include "cli/span_words.h"
#include "cli/stage_words.h"
#include "run/json_fields.h"
#include "text/columns.h"
#include "text/paint.h"
#include "text/wrap.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kRoomForBar = 64;   // narrower terminals get the numbers alone
constexpr std::size_t kRoomForGpus = 56;  // and neither GPUs nor how long it has been so
constexpr std::size_t kBar = 18;
constexpr std::size_t kEvents = 5;
constexpr std::size_t kNotes = 3;
constexpr std::size_t kFewestRows = 3;  // of replicas, however low the terminal is

constexpr Text kLeft{"{span} left", "剩余 {span}"};
constexpr Text kRequests{"{n} in flight", "在途 {n}"};
constexpr Text kNextTry{"next try in {span}", "{span}后重试"};
constexpr Text kGpus{"GPU {gpus}", "GPU {gpus}"};
constexpr Text kMore{"... and {n} more", "另有 {n} 个"};
constexpr Text kEvent{"replica {index}: {from} -> {to} ({reason})",
                      "副本 {index}：{from} -> {to}（{reason}）"};
constexpr Text kPress{"Ctrl-C takes it down", "按 Ctrl-C 停止部署"};
constexpr Text kDraining{"going down when its requests have ended; Ctrl-C again ends it at once",
                         "等在途请求结束后停止；再按一次 Ctrl-C 立即停止"};
constexpr Text kEnding{"ending at once", "正在立即停止"};

struct Piece {
  std::string text;
  Paint paint = Paint::Plain;
};
using Row = std::vector<Piece>;

const json::array* array_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_array() ? &value->get_array() : nullptr;
}

// What fits, whole letters alone; nothing in it moves the cursor.
std::string cut(std::string_view text, std::size_t cells) {
  std::string out;
  std::size_t taken = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text, taken);
    if (taken + glyph.cells > cells) break;
    out += glyph.shown;
    taken += glyph.cells;
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

// In ASCII: arrows and dots beyond it take one cell or two as the terminal likes, and none that a
// terminal without UTF-8 knows.
constexpr std::string_view kCutMark = "...";

// One that does not fit ends with a mark.
std::string drawn(Row row, std::size_t width, const Painter& painter) {
  while (!row.empty() && row.back().text.ends_with(' ')) row.back().text.pop_back();
  std::size_t all = 0;
  for (const Piece& piece : row) all += columns(piece.text);
  const std::size_t room = all <= width ? width : width - kCutMark.size();
  std::string line;
  std::size_t taken = 0;
  for (const Piece& piece : row) {
    const std::string text = cut(piece.text, room - taken);
    const bool whole = columns(text) == columns(piece.text);
    taken += columns(text);
    line += piece.paint == Paint::Plain || text.empty() ? text : painter(piece.paint, text);
    if (!whole) break;
  }
  return all <= width ? line : line + std::string(kCutMark);
}

Paint paint_of(std::string_view state) {
  if (state == "ready" || state == "serving") return Paint::Strong;
  if (state == "failed" || state == "given-up") return Paint::Error;
  if (state == "suspect" || state == "wedged" || state == "degraded") return Paint::Warning;
  if (state == "stopped" || state == "planned") return Paint::Quiet;
  return Paint::Mark;
}

std::string gpus_in(const json::object& replica) {
  std::string gpus;
  if (const auto* list = array_in(replica, "gpus")) {
    for (const json::value& gpu : *list) gpus += (gpus.empty() ? "" : ",") + json::serialize(gpu);
  }
  return gpus;
}

// How far it is: of the whole start where earlier ones are known, else of the stage.
void add_progress(Row& row, const json::object& replica, const LiveLook& look) {
  const std::string stage = stage_name(text_in(replica, "stage"), look.language);
  if (!stage.empty()) row.push_back({padded(stage, 8) + ' '});
  const bool whole = replica.contains("progress");
  if (!whole && !replica.contains("percent")) return;
  const int percent = static_cast<int>(number_in(replica, whole ? "progress" : "percent"));
  if (look.width >= kRoomForBar) row.push_back({bar_of(percent, kBar) + ' ', Paint::Mark});
  row.push_back({padded_left(std::to_string(percent), 3) + " %  "});
  if (replica.contains("left_ms"))
    row.push_back(
        {rendered({kLeft, {{"span", span_of(number_in(replica, "left_ms"), look.language)}}},
                  look.language) +
         "  "});
}

Row replica_row(const json::object& replica, const LiveLook& look) {
  constexpr std::size_t kIndex = 5, kState = 12, kSince = 10;
  const std::string state = text_in(replica, "state");
  Row row{{padded_left(std::to_string(number_in(replica, "replica")), kIndex - 2) + "  "},
          {padded(state_name(state, look.language), kState), paint_of(state)}};
  const bool narrow = look.width < kRoomForGpus;
  if (!narrow)
    row.push_back(
        {padded(span_of(number_in(replica, "for_ms"), look.language), kSince), Paint::Quiet});
  add_progress(row, replica, look);
  if (const auto requests = number_in(replica, "in_flight"); requests > 0)
    row.push_back({rendered({kRequests, {{"n", requests}}}, look.language) + "  "});
  if (const auto* cause = replica.if_contains("cause"); cause != nullptr && cause->is_object())
    row.push_back({cause_title(cause->get_object(), look.language) + "  ", Paint::Error});
  if (replica.contains("next_try_ms"))
    row.push_back(
        {rendered({kNextTry, {{"span", span_of(number_in(replica, "next_try_ms"), look.language)}}},
                  look.language) +
         "  "});
  const std::string gpus = gpus_in(replica);
  if (!gpus.empty() && !narrow)
    row.push_back({rendered({kGpus, {{"gpus", gpus}}}, look.language), Paint::Quiet});
  return row;
}

std::vector<Row> head_rows(const json::object& status, const LiveLook& look) {
  const std::string state = state_of(status);
  const std::string name = text_in(status, "deployment") + "  ";
  const std::string layout = layout_name(text_in(status, "layout"), look.language) + "  ";
  const std::string address = text_in(status, "address") + "  ";
  const std::string words = deployment_state(state, look.language);
  if (columns(name + layout + address + words) <= look.width)
    return {{{name, Paint::Strong}, {layout}, {address}, {words, paint_of(state)}}};
  return {{{name, Paint::Strong}, {layout}}, {{address}, {words, paint_of(state)}}};
}

void add_notes(std::vector<Row>& rows, const json::object& status, const LiveLook& look) {
  const auto* notes = array_in(status, "notes");
  if (notes == nullptr) return;
  const std::size_t first = notes->size() - std::min(notes->size(), kNotes);
  for (std::size_t i = first; i < notes->size(); ++i) {
    if (!notes->at(i).is_object()) continue;
    const std::string words = text_in(
        notes->at(i).get_object(), look.language == Language::Chinese ? "message_zh" : "message");
    for (const std::string& line : wrapped(printable(words), look.width))
      rows.push_back({{line, Paint::Warning}});
  }
}

void add_events(std::vector<Row>& rows, const json::array& events, const LiveLook& look) {
  const std::size_t first = events.size() - std::min(events.size(), kEvents);
  for (std::size_t i = first; i < events.size(); ++i) {
    if (!events.at(i).is_object()) continue;
    const json::object& event = events.at(i).get_object();
    rows.push_back({{rendered({kEvent,
                               {{"index", number_in(event, "replica")},
                                {"from", state_name(text_in(event, "from"), look.language)},
                                {"to", state_name(text_in(event, "to"), look.language)},
                                {"reason", reason_name(text_in(event, "reason"), look.language)}}},
                              look.language),
                     Paint::Quiet}});
  }
}

// As many as there is room for.
void add_replicas(std::vector<Row>& rows, const json::object& status, const LiveLook& look) {
  const auto* replicas = array_in(status, "replicas");
  if (replicas == nullptr) return;
  const std::size_t taken = rows.size() + 2;
  const std::size_t room = std::max(kFewestRows, look.height - std::min(look.height, taken));
  const std::size_t shown = replicas->size() <= room ? replicas->size() : room - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    if (replicas->at(i).is_object())
      rows.push_back(replica_row(replicas->at(i).get_object(), look));
  }
  if (shown < replicas->size())
    rows.push_back(
        {{rendered({kMore, {{"n", replicas->size() - shown}}}, look.language), Paint::Quiet}});
}

}  // namespace

std::string bar_of(int percent, std::size_t cells) {
  const std::size_t inner = cells > 2 ? cells - 2 : 1;
  const std::size_t full = inner * static_cast<std::size_t>(std::clamp(percent, 0, 100)) / 100;
  return '[' + std::string(full, '#') + std::string(inner - full, '.') + ']';
}

std::vector<std::string> live_page(const LiveAsk& ask, const LiveLook& look) {
  std::vector<Row> rows = head_rows(ask.status, look);
  add_replicas(rows, ask.status, look);
  std::vector<Row> below;
  add_notes(below, ask.status, look);
  add_events(below, ask.events, look);
  const Text footer = ask.interrupts == 0 ? kPress : ask.interrupts == 1 ? kDraining : kEnding;
  // The latest lines below the table where there is no room for all of them.
  const std::size_t most = look.height > 1 ? look.height - 1 : 1;
  const std::size_t room = most - std::min(most, rows.size() + 1);
  const std::size_t first = below.size() - std::min(below.size(), room);
  rows.insert(rows.end(), below.begin() + static_cast<std::ptrdiff_t>(first), below.end());
  if (rows.size() >= most) rows.resize(most - 1);
  rows.push_back({{rendered(Message{footer}, look.language), Paint::Quiet}});
  const Painter painter(look.colour);
  std::vector<std::string> lines;
  // The last cell stays free: some terminals go on to the next line when it is filled.
  for (const Row& row : rows) lines.push_back(drawn(row, look.width - 1, painter));
  return lines;
}

}  // namespace sx
