// The catalogue of models and the ids that have the same shape as one of its rows.
#include "knowledge/models.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

constexpr std::size_t kIdLimit = 256;  // the hub allows 96 a part; keeps hostile input cheap

const Table& catalogue() {
  static const Table table(table_bytes("data/models.tsv"));
  return table;
}

// Who reads a model asks one row for dozens of columns: the newest row is kept in its cells.
std::string_view cell_of(std::size_t row, std::string_view column) {
  thread_local std::optional<std::size_t> newest;
  thread_local std::vector<std::string_view> cells;
  const Table& table = catalogue();
  if (newest != row) {
    cells = split(table.line(row), '\t');
    newest = row;
  }
  const auto at = static_cast<std::size_t>(table.column(column).value_or(-1));
  return at < cells.size() ? cells[at] : std::string_view{};
}

std::string_view last_part(std::string_view id) { return id.substr(id.rfind('/') + 1); }

struct Meaning {
  std::size_t row = 0;
  std::string_view but;
  bool alias = false;
};

// Lower-case id → row. The rows themselves go first.
struct Ids {
  std::map<std::string, Meaning, std::less<>> whole;
  std::map<std::string, Meaning, std::less<>> last;  // by last part, where only one id has it
};

Ids read_ids() {
  Ids ids;
  const Table& table = catalogue();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ids.whole.try_emplace(lower(table.cell(row, "id")),
                          Meaning{.row = row, .but = {}, .alias = false});
  }
  const Table aliases(table_bytes("data/model_aliases.tsv"));
  for (std::size_t row = 0; row < aliases.rows(); ++row) {
    const auto target = ids.whole.find(lower(aliases.cell(row, "id")));
    if (target == ids.whole.end() || target->second.alias) continue;
    ids.whole.try_emplace(lower(aliases.cell(row, "alias")),
                          Meaning{target->second.row, aliases.cell(row, "but"), true});
  }
  std::map<std::string, int, std::less<>> count;
  for (const auto& [id, meaning] : ids.whole) {
    const std::string last(last_part(id));
    if (last == id) continue;
    ++count[last];
    ids.last[last] = Meaning{meaning.row, meaning.but, true};
  }
  std::erase_if(ids.last, [&](const auto& entry) { return count[entry.first] > 1; });
  return ids;
}

const Ids& ids() {
  static const Ids all = read_ids();
  return all;
}

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Most launches name a row by its own id, the first cell; the maps of all names need not be made
// for them.
std::optional<Meaning> find_row(std::string_view id) {
  const Table& table = catalogue();
  if (table.header().front() != "id") return {};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view line = table.line(row);
    if (line.size() <= id.size() || line[id.size()] != '\t') continue;
    if (std::ranges::equal(line.substr(0, id.size()), id, {}, small_letter, small_letter))
      return Meaning{.row = row, .but = {}, .alias = false};
  }
  return {};
}

std::optional<Meaning> find(std::string_view id) {
  if (id.empty() || id.size() > kIdLimit) return {};
  if (auto found = find_row(id)) return found;
  const std::string wanted = lower(id);
  if (const auto found = ids().whole.find(wanted); found != ids().whole.end()) return found->second;
  if (const auto found = ids().last.find(wanted); found != ids().last.end()) return found->second;
  return {};
}

// Words at the end of a name, in letters of any size, that tell a number format, not a model.
bool tells_format(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "awq",  "gptq",  "int4", "int8", "fp8",  "fp4",  "nvfp4",   "mxfp4",  "bf16",     "w4a16",
      "w8a8", "w8a16", "gguf", "bnb",  "4bit", "8bit", "dynamic", "static", "pertensor"};
  constexpr std::string_view kQuantized = "quantized.";
  const auto is = [word](std::string_view known) {
    return word.size() == known.size() &&
           std::ranges::equal(word, known, {}, small_letter);  // those known are in small letters
  };
  return (word.size() >= kQuantized.size() &&
          std::ranges::equal(word.substr(0, kQuantized.size()), kQuantized, {}, small_letter)) ||
         std::ranges::any_of(kWords, is);
}

// "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4" → "qwen2.5-7b-instruct".
std::string stem(std::string_view id) {
  std::vector<std::string> words;
  const std::string name = lower(last_part(id));
  for (const auto word : split(name, '-')) {
    if (!tells_format(word)) words.emplace_back(word);
  }
  return join(words, "-");
}

// Whether a name may have that stem, by its first word alone: most names of the catalogue have
// another one, and their other words and cells need not be looked at.
bool may_have_stem(std::string_view id, std::string_view wanted) {
  const std::string_view name = last_part(id);
  const std::string_view word = name.substr(0, name.find('-'));
  const std::string_view first = wanted.substr(0, wanted.find('-'));
  return std::ranges::equal(word, first, {}, small_letter, small_letter) || tells_format(word);
}

// Rows that tell a number format, of the same name but for that.
struct Family {
  std::string stem;
  std::vector<std::size_t> rows;
};

// All members of a family ask for the same: the newest one is kept.
const Family& family_of(std::string_view wanted) {
  thread_local Family newest;
  if (newest.stem == wanted) return newest;
  newest = {.stem = std::string(wanted), .rows = {}};
  const int names = catalogue().column("id").value_or(0);
  const int formats = catalogue().column("quant_method").value_or(-1);
  for (std::size_t row = 0; row < catalogue().rows(); ++row) {
    const std::string_view name = catalogue().cell(row, names);
    if (!may_have_stem(name, wanted)) continue;
    const std::string_view format = catalogue().cell(row, formats);
    if (is_unknown(format) || is_none(format)) continue;
    if (stem(name) == wanted) newest.rows.push_back(row);
  }
  return newest;
}

bool same_shape(const ModelRow& a, const ModelRow& b) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"num_hidden_layers", "num_attention_heads"},
      [&](std::string_view column) {
        return a.integer(column) && a.integer(column) == b.integer(column);
      });
}

}  // namespace

std::string_view ModelRow::cell(std::string_view column) const {
  for (std::string_view rest = but_; !rest.empty();) {
    const auto end = rest.find(',');
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == column)
      return pair.substr(equals + 1);
  }
  return cell_of(row_, column);
}

std::string_view ModelRow::id() const { return catalogue().cell(row_, "id"); }

std::optional<std::int64_t> ModelRow::integer(std::string_view column) const {
  return integer_cell(cell(column));
}

std::optional<double> ModelRow::number(std::string_view column) const {
  return number_cell(cell(column));
}

std::optional<std::string_view> ModelRow::text(std::string_view column) const {
  const auto value = cell(column);
  if (is_unknown(value) || is_none(value)) return {};
  return value;
}

bool ModelRow::has_none(std::string_view column) const { return is_none(cell(column)); }

ModelMatch match_model(std::string_view id) {
  ModelMatch match;
  if (const auto found = find(id)) {
    match.row = ModelRow(found->row, found->but);
    if (found->alias) match.same_shape_as = match.row->id();
    return match;
  }
  if (id.empty() || id.size() > kIdLimit) return match;
  std::vector<std::string_view> known;
  known.reserve(ids().whole.size());
  for (const auto& [name, meaning] : ids().whole) known.push_back(name);
  for (const auto& name : closest(id, known)) {
    const auto& meaning = ids().whole.find(name)->second;
    const std::string row_id(ModelRow(meaning.row).id());
    if (std::ranges::find(match.closest_ids, row_id) == match.closest_ids.end()) {
      match.closest_ids.push_back(row_id);
    }
  }
  return match;
}

std::vector<std::string_view> model_ids() {
  std::vector<std::string_view> all;
  all.reserve(catalogue().rows());
  for (std::size_t row = 0; row < catalogue().rows(); ++row)
    all.push_back(catalogue().cell(row, "id"));
  return all;
}

std::vector<std::string_view> quantised_siblings(std::string_view id) {
  const auto found = find(id);
  if (!found) return {};
  const ModelRow asked(found->row);
  std::vector<std::string_view> siblings;
  for (const std::size_t row : family_of(stem(id)).rows) {
    const ModelRow other(row);
    if (row != found->row && same_shape(asked, other)) siblings.push_back(other.id());
  }
  return siblings;
}

}  // namespace sx
