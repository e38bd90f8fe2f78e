// Whole words are replaced, put in or taken out, each in the writing of its place. Where one of
// them cannot be, none is: half a fix is none.
#include "cli/file_edits.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/strings.h"
#include "base/utf8.h"
#include "read/shell_words.h"
#include "read/written_word.h"

namespace sx {
namespace {

using Form = FileWord::Form;

struct Line {
  std::vector<std::string> words;
  std::vector<bool> complete;      // of each: nothing in it is for a shell to fill in
  std::vector<Setting> variables;  // in front of it
};

std::optional<Line> read_line(std::string_view text) {
  Sources sources;
  const auto read = parse_shell(
      sources, sources.add({.kind = SourceKind::CommandLine, .text = std::string(text)}));
  if (!read || read->commands.size() != 1) return {};
  const Command& command = read->commands.front();
  Line line{.words = command.before, .complete = {}, .variables = command.environment};
  line.complete.resize(line.words.size(), true);
  for (const Word& word : command.words) {
    line.words.push_back(word.text);
    line.complete.push_back(word.complete);
  }
  return line;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

// A text of TOML; nothing for what its one-line texts do not hold.
std::optional<std::string> as_item(const std::string& word) {
  const bool plain = is_valid_utf8(word) && std::ranges::none_of(word, [](char c) {
                       return static_cast<unsigned char>(c) < 0x20U || c == 0x7F;
                     });
  return plain ? std::optional(quoted_word(word, Quoting::Json)) : std::nullopt;
}

class FileEdits {
 public:
  FileEdits(const Sources& sources, const ModelWords& model) : sources_(sources), model_(model) {}

  bool variables(const Line& before, const Line& after) {
    for (const Setting& setting : after.variables) {
      const auto was = std::ranges::find(before.variables, setting.name, &Setting::name);
      const bool is_new = was == before.variables.end();
      if (!is_new && was->value == setting.value) continue;
      if (!setting.complete || !(is_new ? add(setting) : change(*was, setting))) return false;
    }
    return std::ranges::all_of(before.variables, [&](const Setting& setting) {
      const auto stays = std::ranges::find(after.variables, setting.name, &Setting::name);
      return stays != after.variables.end() || take_out(setting);
    });
  }

  bool words(const Line& before, const Line& after) {
    const auto placed = found_in(model_.words, before.words);
    const auto kept = same_words(before.words, after.words);
    std::size_t come = 0;  // words of `after` that are done
    for (std::size_t i = 0; i <= before.words.size();) {
      std::size_t end = i;
      while (end < before.words.size() && !kept[end]) ++end;
      const std::size_t until = end < before.words.size() ? *kept[end] : after.words.size();
      for (; i < end && come < until; ++i, ++come) {
        if (!replace(placed[i], before.words[i], after, come)) return false;
      }
      for (; i < end; ++i) {
        if (!remove(placed[i], before.words[i])) return false;
      }
      if (come < until && !insert(last_of(placed, end), after, come, until)) return false;
      come = until + 1;
      i = end + 1;
    }
    return true;
  }

  // In their order; none where two of them change the same bytes.
  std::vector<Edit> take() {
    std::ranges::stable_sort(edits_, {}, [](const Edit& edit) { return edit.span.begin; });
    const auto overlap = std::ranges::adjacent_find(
        edits_, [](const Edit& a, const Edit& b) { return b.span.begin < a.span.end; });
    if (overlap != edits_.end()) edits_.clear();
    return std::move(edits_);
  }

 private:
  using Place = std::optional<std::size_t>;

  const FileWord* own(Place place, const std::string& text) const {
    if (!place) return nullptr;
    const FileWord& word = model_.words[*place];
    return word.literal && word.text == text && word.form != Form::Setting ? &word : nullptr;
  }

  static Place last_of(const std::vector<Place>& placed, std::size_t end) {
    while (end > 0 && !placed[end - 1]) --end;
    return end == 0 ? Place() : placed[end - 1];
  }

  // Inside a text for a shell only what needs no quotes of either kind.
  static std::optional<std::string> written(const FileWord& place, const std::string& word) {
    if (place.form == Form::Item) return as_item(word);
    const bool plain = shell_quoted(word) == word;
    return plain && place.form == Form::Shell ? std::optional(word) : std::nullopt;
  }

  bool replace(Place place, const std::string& was, const Line& after, std::size_t at) {
    const FileWord* word = own(place, was);
    if (word == nullptr || !after.complete[at]) return false;
    const auto text = written(*word, after.words[at]);
    if (text) edits_.push_back({.span = word->span, .text = *text});
    return text.has_value();
  }

  // With what stands between it and the one before.
  bool remove(Place place, const std::string& was) {
    const FileWord* word = own(place, was);
    if (word == nullptr || *place == 0) return false;
    const FileWord& before = model_.words[*place - 1];
    const Span whole{word->span.source, before.span.end, word->span.end};
    if (before.form != word->form || before.span.end > word->span.begin) return false;
    const auto between = sources_.text({whole.source, whole.begin, word->span.begin});
    if (word->form == Form::Shell ? !is_blank(between) : between.contains('#')) return false;
    edits_.push_back({.span = whole, .text = {}});
    return true;
  }

  bool insert(Place behind, const Line& after, std::size_t from, std::size_t until) {
    if (!behind) return false;
    const FileWord& word = model_.words[*behind];
    if (word.form == Form::Shell && !word.literal) return false;
    std::string all;
    for (std::size_t at = from; at < until; ++at) {
      const auto text = written(word, after.words[at]);
      if (!text || !after.complete[at]) return false;
      all += (word.form == Form::Shell ? " " : between_items()) + *text;
    }
    edits_.push_back({.span = {word.span.source, word.span.end, word.span.end}, .text = all});
    return true;
  }

  // As between the last two of the list.
  std::string between_items() const {
    const auto& words = model_.words;
    if (words.size() < 2) return ", ";
    const FileWord& last = words.back();
    const FileWord& other = words[words.size() - 2];
    if (other.form != Form::Item || last.form != Form::Item || other.span.end > last.span.begin)
      return ", ";
    const std::string_view text =
        sources_.text({last.span.source, other.span.end, last.span.begin});
    return text.contains('#') ? ", " : std::string(text);
  }

  const FileVariable* own(const Setting& setting) const {
    const auto found = std::ranges::find(model_.variables, setting.name + '=' + setting.value,
                                         &FileVariable::text);
    return found != model_.variables.end() && found->literal ? &*found : nullptr;
  }

  bool change(const Setting& was, const Setting& now) {
    const FileVariable* variable = own(was);
    const auto text = as_item(now.value);
    if (variable == nullptr || !text) return false;
    edits_.push_back({.span = variable->value, .text = *text});
    return true;
  }

  bool take_out(const Setting& setting) {
    const FileVariable* variable = own(setting);
    if (variable == nullptr || !model_.between_variables) return false;
    Span gone = variable->whole;
    if (*model_.between_variables == "\n") {
      if (!is_blank(rest_of_line(gone)) || !is_blank(front_of_line(gone))) return false;
      gone.begin -= front_of_line(gone).size();
      gone.end =
          std::min(gone.end + rest_of_line(gone).size() + 1, sources_.at(gone.source).text.size());
    } else if (variable != &model_.variables.front()) {
      gone.begin = std::prev(variable)->whole.end;
    } else if (model_.variables.size() > 1) {
      gone.end = std::next(variable)->whole.begin;
    } else if (rest_of_line(gone).starts_with(' ')) {
      ++gone.end;
    }
    edits_.push_back({.span = gone, .text = {}});
    return true;
  }

  bool add(const Setting& setting) {
    const auto text = as_item(setting.value);
    if (!model_.between_variables || model_.variables.empty() || !text) return false;
    const Span& last = model_.variables.back().value;
    const bool own_line = *model_.between_variables == "\n";
    if (own_line && !is_blank(rest_of_line(last))) return false;
    edits_.push_back({.span = {last.source, last.end, last.end},
                      .text = *model_.between_variables + setting.name + " = " + *text});
    return true;
  }

  std::string_view rest_of_line(const Span& span) const {
    const std::string_view text = sources_.at(span.source).text;
    const std::string_view rest = text.substr(span.end);
    return rest.substr(0, rest.find_first_of("\r\n"));
  }

  std::string_view front_of_line(const Span& span) const {
    const std::string_view text = std::string_view(sources_.at(span.source).text);
    const std::string_view front = text.substr(0, span.begin);
    return front.substr(front.find_last_of("\r\n") + 1);  // npos + 1 is the beginning
  }

  const Sources& sources_;
  const ModelWords& model_;
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Edit> file_edits(const Sources& sources, const ModelWords& model,
                             std::string_view before, std::string_view after) {
  const auto was = read_line(before);
  const auto now = read_line(after);
  if (!was || !now) return {};
  FileEdits edits(sources, model);
  if (!edits.variables(*was, *now) || !edits.words(*was, *now)) return {};
  return edits.take();
}

}  // namespace sx
