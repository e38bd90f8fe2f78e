// Exact names first, then --no- forms, then unique beginnings; -O has rules of its own.
#include "engines/argparse/spelling.h"

#include <algorithm>

#include "base/strings.h"
#include "engines/argparse/habits.h"
#include "knowledge/foreign_flags.h"

namespace sx::argparse {
namespace {

constexpr std::string_view kNo = "--no-";
// Two long names that begin alike are enough to say "ambiguous"; a list of forty helps nobody.
constexpr std::size_t kCandidateLimit = 12;

// Underscores become dashes in front of the first dot, where the engine folds them.
std::string dashed(std::string_view name, const Dialect& dialect) {
  std::string text(name);
  if (!dialect.underscores || !name.starts_with("--")) return text;
  const std::size_t end = std::min(text.find('.'), text.size());
  std::replace(text.begin() + 2, text.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
  return text;
}

struct Hit {
  const FlagRow* row = nullptr;
  bool negated = false;
};

// Every exact spelling of every version.
Hit exact(std::string_view name, const Dialect& dialect) {
  if (name == "model_tag") return {};
  if (const FlagRow* row = dialect.flags.find(name)) return {row, false};
  if (!name.starts_with(kNo)) return {};
  const FlagRow* row = dialect.flags.find("--" + std::string(name.substr(kNo.size())));
  return row != nullptr && row->negatable ? Hit{row, true} : Hit{};
}

// Names that begin so, of flags that stand so in this version.
std::vector<const Dialect::Name*> beginning(std::string_view start, Standing wanted,
                                            const Dialect& dialect) {
  std::vector<const Dialect::Name*> found;
  const auto& names = dialect.names();
  for (auto at = std::ranges::lower_bound(names, start, {}, &Dialect::Name::text);
       at != names.end() && at->text.starts_with(start) && found.size() < kCandidateLimit; ++at) {
    if (at->standing == wanted) found.push_back(&*at);
  }
  return found;
}

void take(Spelling& spelling, Hit hit, const Dialect& dialect) {
  spelling.found = Spelling::Found::One;
  spelling.row = hit.row;
  spelling.standing = dialect.flags.standing(*hit.row, dialect.version);
  spelling.negated = hit.negated;
  if (hit.row->opposite_of.empty()) return;
  if (const FlagRow* positive = dialect.flags.find(hit.row->opposite_of)) {
    spelling.row = positive;
    spelling.negated = true;
  }
}

// A unique beginning of flags that the version surely has; else of those that it may have.
bool take_beginning(Spelling& spelling, const Dialect& dialect) {
  for (const Standing wanted : {Standing::Known, Standing::NotRead, Standing::Possible}) {
    const auto found = beginning(spelling.name, wanted, dialect);
    if (found.empty()) continue;
    if (found.size() == 1) {
      take(spelling, {found.front()->row, found.front()->negated}, dialect);
      return true;
    }
    spelling.found = Spelling::Found::Many;
    for (const Dialect::Name* candidate : found) spelling.candidates.push_back(candidate->text);
    return true;
  }
  return false;
}

// -qawq is -q awq: a short flag of one letter takes what is glued to it. So -ngl would be -n gl,
// which nobody means.
bool take_glued(Spelling& spelling, const Dialect& dialect) {
  if (spelling.name.starts_with("--") || spelling.name.size() < 3 || spelling.path) return false;
  if (foreign_flag(dialect.flags.engine, spelling.name) != nullptr) return false;
  const Hit hit = exact(std::string_view(spelling.name).substr(0, 2), dialect);
  if (hit.row == nullptr || !dialect.has(*hit.row)) return false;
  std::string rest = spelling.name.substr(2);
  if (spelling.value) rest += '=' + *spelling.value;
  spelling.value = std::move(rest);
  spelling.name.resize(2);
  spelling.name_length = 2;
  take(spelling, hit, dialect);
  return true;
}

// -O3, -O=3, -O 3, -O.mode=3: what they mean is a matter of the version.
std::optional<Spelling> dash_o(std::string_view word, const Dialect& dialect) {
  if (!word.starts_with("-O")) return {};
  const auto plain = dialect.habit("dash-o");
  if (!plain) return {};
  Spelling spelling{.name = "-O", .name_length = 2};
  std::string_view name = *plain;
  if (word.starts_with("-O.")) {
    if (const auto dotted = dialect.habit("dash-o-dotted")) {
      name = *dotted;
      const std::size_t end = std::min(word.find('='), word.size());
      spelling.path = std::string(word.substr(3, end - 3));
      spelling.name_length = end;
      if (end < word.size()) spelling.value = std::string(word.substr(end + 1));
    } else {
      spelling.value = std::string(word.substr(2));
    }
  } else if (word.size() > 2) {
    spelling.value = std::string(word.substr(word[2] == '=' ? 3 : 2));
  }
  const FlagRow* row = dialect.flags.find(name);
  if (row == nullptr) return {};
  take(spelling, {row, false}, dialect);
  return spelling;
}

bool stands(Standing standing) {
  return standing == Standing::Known || standing == Standing::Possible ||
         standing == Standing::NotRead;
}

}  // namespace

Dialect::Dialect(const EngineFlags& table, const Version& of)
    : flags(table),
      version(of),
      underscores(habit("underscores").has_value()),
      dotted(habit("dotted").has_value()) {}

std::optional<std::string_view> Dialect::habit(std::string_view name) const {
  return argparse::habit(flags.engine, name, version);
}

bool Dialect::holds(std::string_view name, std::string_view value) const {
  return argparse::holds(flags.engine, name, value, version);
}

bool Dialect::has(const FlagRow& row) const { return stands(flags.standing(row, version)); }

const std::vector<Dialect::Name>& Dialect::names() const {
  if (!names_.empty()) return names_;
  for (const FlagRow& row : flags.rows) {
    const Standing standing = flags.standing(row, version);
    if (!row.name.starts_with('-') || !stands(standing)) continue;
    names_.push_back({std::string(row.name), &row, false, standing});
    for (const std::string_view alias : row.aliases)
      names_.push_back({std::string(alias), &row, false, standing});
    if (row.negatable)
      names_.push_back({std::string(kNo) + std::string(row.name.substr(2)), &row, true, standing});
  }
  std::ranges::sort(names_, {}, &Name::text);
  return names_;
}

bool looks_like_flag(std::string_view word) {
  if (word.size() < 2 || word.front() != '-') return false;
  const std::string_view rest = word.substr(1);
  const bool digits =
      std::ranges::all_of(rest, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return !digits || !to_number(rest);
}

Spelling find_spelling(std::string_view word, const Dialect& dialect) {
  if (auto special = dash_o(word, dialect)) return *std::move(special);
  Spelling spelling;
  const std::size_t equals = word.find('=');
  std::string key = dashed(word.substr(0, equals), dialect);
  spelling.name_length = key.size();
  if (equals != std::string_view::npos) spelling.value = std::string(word.substr(equals + 1));
  if (const std::size_t dot = dialect.dotted ? key.find('.') : std::string::npos;
      dot != std::string::npos && dot > 1) {
    spelling.append = key.ends_with('+');
    spelling.path = key.substr(dot + 1, key.size() - dot - 1 - (spelling.append ? 1 : 0));
    key.resize(dot);
  }
  spelling.name = std::move(key);
  if (spelling.name == "--") return spelling;

  const Hit hit = exact(spelling.name, dialect);
  if (hit.row != nullptr && dialect.has(*hit.row)) {
    take(spelling, hit, dialect);
    return spelling;
  }
  if (take_glued(spelling, dialect)) return spelling;
  if (hit.row == nullptr && take_beginning(spelling, dialect)) return spelling;
  // Another version's flag may be a unique beginning of one that this version has; two of them help
  // nobody.
  if (hit.row != nullptr) {
    Spelling longer = spelling;
    if (take_beginning(longer, dialect) && longer.found == Spelling::Found::One) return longer;
    spelling.candidates = std::move(longer.candidates);
    spelling.row = hit.row;
    spelling.standing = dialect.flags.standing(*hit.row, dialect.version);
    spelling.negated = hit.negated;
  }
  return spelling;
}

std::vector<std::string> suggestions(const std::string& name, const Dialect& dialect) {
  std::vector<std::string> found;
  const ForeignFlag* foreign = foreign_flag(dialect.flags.engine, name);
  if (foreign != nullptr && foreign->name.empty()) return found;
  if (foreign != nullptr) {
    found.emplace_back(foreign->name);
    return found;
  }
  // With dashes it is a flag: nothing else was meant.
  if (std::string dashes = replaced(name, "_", "-"); name.find('_') != std::string::npos) {
    const FlagRow* row = dialect.flags.find(dashes);
    if (row != nullptr && dialect.has(*row)) return {std::move(dashes)};
  }
  // Nobody means -O with --on; --tp may be -tp.
  const bool whole = name.starts_with("--");
  std::vector<std::string_view> names;
  for (const Dialect::Name& one : dialect.names()) {
    const std::string_view text = one.text;
    const bool near = !whole || text.starts_with("--") || text == name.substr(1);
    if (!one.negated && near) names.push_back(text);
  }
  return closest(name, names);
}

}  // namespace sx::argparse
