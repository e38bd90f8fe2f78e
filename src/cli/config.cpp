// `sextant config`: every setting of a deployment file, its value and where that comes from.
#include <algorithm>
#include <boost/json.hpp>

#include "cli/up_make.h"
#include "diag/excerpt.h"
#include "run/deployment_file.h"
#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr const char* kFile = "sextant.toml";

constexpr Text kBuiltIn{"built in", "内置默认值"};
constexpr Text kPlan{"plan", "方案"};
constexpr Text kMachine{"machine", "本机"};
constexpr Text kOpen{"found out by `sextant up`", "由 `sextant up` 确定"};

// Where an unwritten setting comes from.
enum class From { File, BuiltIn, Plan, Machine, Nowhere };

struct Row {
  std::string key, value;
  From from = From::BuiltIn;
  std::string place;  // "sextant.toml:4", of From::File
  int model = -1;
};

std::string_view word_of(From from) {
  switch (from) {
    case From::File:
      return "file";
    case From::BuiltIn:
      return "default";
    case From::Plan:
      return "plan";
    case From::Machine:
      return "machine";
    case From::Nowhere:
      return "none";
  }
  return "";
}

// What stands in for a setting that is not written.
From stands_in(std::string_view key, bool planned) {
  if (key == "model.version" || key == "model.gpus") return From::Machine;
  if (key == "ladder") return From::Machine;  // where the layout has not worked here yet
  const bool of_plan = key == "model.layout" || key == "model.fallback" || key == "model.users" ||
                       key == "model.context" || key == "model.goal" || key == "model.engine" ||
                       key == "model.replicas";
  if (of_plan && planned) return From::Plan;
  return From::Nowhere;
}

class Rows {
 public:
  Rows(const Sources& sources, const DeploymentFile& file) : sources_(sources), file_(file) {
    const int models = static_cast<int>(file.models.size());
    for (const DeploymentKey& key : deployment_keys()) {
      if (!key.key.starts_with("model.")) add(key, -1);
    }
    for (int model = 0; model < models; ++model) {
      for (const DeploymentKey& key : deployment_keys()) {
        if (key.key.starts_with("model.")) add(key, model);
      }
    }
  }
  const std::vector<Row>& all() const { return all_; }

 private:
  void add(const DeploymentKey& key, int model) {
    Row row{.key = std::string(key.key),
            .value = std::string(key.otherwise),
            .place = "",
            .model = model};
    if (model >= 0 && file_.models.size() > 1)
      row.key.replace(0, 5, "model[" + std::to_string(model) + "]");
    const auto written = std::ranges::find_if(file_.settings, [&](const auto& setting) {
      return setting.key == key.key && setting.model == model;
    });
    if (written != file_.settings.end()) {
      row.value = written->value;
      row.from = From::File;
      const Source& source = sources_.at(written->span.source);
      const auto before = std::string_view(source.text).substr(0, written->span.begin);
      row.place = source.name + ':' + std::to_string(1 + std::ranges::count(before, '\n'));
    } else {
      const bool planned = model >= 0 && !file_.models[static_cast<std::size_t>(model)].id.empty();
      const From other = stands_in(key.key, planned);
      if (other != From::Nowhere || key.otherwise.empty()) {
        row.from = other;
        row.value.clear();
      }
    }
    if (row.from != From::Nowhere) all_.push_back(std::move(row));
  }

  const Sources& sources_;
  const DeploymentFile& file_;
  std::vector<Row> all_;
};

std::string in_words(const Row& row, Language language) {
  switch (row.from) {
    case From::File:
      return row.place;
    case From::BuiltIn:
      return std::string(kBuiltIn.in(language));
    case From::Plan:
      return std::string(kPlan.in(language));
    case From::Machine:
    case From::Nowhere:
      return std::string(kMachine.in(language));
  }
  return "";
}

// A value over several lines is shown by its first.
std::string first_line(const std::string& value) {
  const std::size_t end = value.find('\n');
  return end == std::string::npos ? value : value.substr(0, end) + " …";
}

std::string page(const std::vector<Row>& rows, bool origin, Language language) {
  std::size_t keys = 0;
  std::size_t values = 0;
  const auto shown = [&](const Row& row) {
    return row.value.empty() ? std::string(kOpen.in(language)) : first_line(row.value);
  };
  constexpr std::size_t kWidest = 40;
  for (const Row& row : rows) {
    keys = std::max(keys, columns(row.key));
    values = std::max(values, std::min(columns(shown(row)), kWidest));
  }
  std::string text;
  for (const Row& row : rows) {
    text += padded(row.key, keys) + "  ";
    text += origin ? padded(shown(row), values) + "  " + in_words(row, language) : shown(row);
    text += '\n';
  }
  return text;
}

json::object as_json(const std::vector<Row>& rows) {
  json::array settings;
  for (const Row& row : rows) {
    json::object object{{"key", row.key}, {"origin", word_of(row.from)}};
    if (!row.value.empty()) object["value"] = row.value;
    if (!row.place.empty()) object["place"] = row.place;
    settings.push_back(std::move(object));
  }
  return {{"schema", "sextant.config/1"}, {"settings", std::move(settings)}};
}

}  // namespace

int config_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  if (arguments.has("--schema")) {
    session.output.answer(deployment_schema() + '\n');
    return kDone;
  }
  const std::string path = arguments.words.empty() ? kFile : arguments.words.front();
  const auto read = read_file_of(path, arguments, session, language);
  if (!read) {
    session.output.trouble(trouble_line(read.error(), language));
    return kCouldNot;
  }
  if (!*read) return kCouldNot;  // its mistakes are shown
  const Rows rows((*read)->sources, (*read)->file);
  session.output.answer(arguments.value("--format") == "json"
                            ? json::serialize(as_json(rows.all())) + '\n'
                            : page(rows.all(), arguments.has("--origin"), language));
  return kDone;
}

}  // namespace sx
