// `sextant config`: every setting of a deployment file, its value and where that comes from.
#include <algorithm>
#include <boost/json.hpp>
#include <span>

#include "cli/config_file.h"
#include "cli/up_make.h"
#include "diag/excerpt.h"
#include "run/deployment_file.h"
#include "run/deployment_keys.h"
#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr Text kBuiltIn{"built in", "内置默认值"};
constexpr Text kPlan{"plan", "方案"};
constexpr Text kMachine{"machine", "本机"};
constexpr Text kOpen{"found out by `sextant up`", "由 `sextant up` 确定"};
constexpr Text kNotSet{"not set", "未设置"};
constexpr Text kKeysAreHere{"none: keys has them", "无：见 keys"};
constexpr Text kOfImage{"image", "镜像"};
constexpr std::string_view kNameFlag = "--name";
// Where an unwritten setting comes from; Nowhere: it would say nothing here.
enum class From { File, Flag, BuiltIn, Plan, Machine, Image, Nowhere };

struct Row {
  std::string key, value;
  Text without;  // in place of a value
  From from = From::BuiltIn;
  std::string place;  // "sextant.toml:4", of From::File
  int model = -1;
};

std::string_view word_of(From from) {
  switch (from) {
    case From::File:
      return "file";
    case From::Flag:
      return "flag";
    case From::BuiltIn:
      return "default";
    case From::Plan:
      return "plan";
    case From::Machine:
      return "machine";
    case From::Image:
      return "image";
    case From::Nowhere:
      return "none";
  }
  return "";
}

bool is_among(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

// What stands in for a setting of a model that is not written.
From stands_in(std::string_view key, const ModelSettings& model) {
  const bool planned = model.command.empty();
  const bool contained = !model.image.image.empty();
  if (key == "model.id" || key == "model.command") return From::Nowhere;
  if (key == "model.venv") return contained ? From::Nowhere : From::Machine;
  if (key == "model.version") return contained ? From::Image : From::Machine;
  if (key == "model.gpus") return From::Machine;
  if (is_among(kKeysOfContainer, key)) return contained ? From::BuiltIn : From::Nowhere;
  const bool of_plan = key == "model.replicas" || is_among(kKeysOfPlan, key);
  if (!of_plan) return From::BuiltIn;
  if (key == "model.engine" && planned && contained) return From::Image;
  if (planned) return From::Plan;
  return key == "model.replicas" ? From::BuiltIn : From::Nowhere;
}

class Rows {
 public:
  // `name`: what --name says, which wins over the file as it does for `up`.
  Rows(const ReadFile& read, const std::optional<std::string>& name)
      : sources_(read.sources), file_(read.file), name_(name) {
    const int models = static_cast<int>(file_.models.size());
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
            .value = "",
            .without = key.without,
            .place = "",
            .model = model};
    if (model >= 0 && file_.models.size() > 1)
      row.key.replace(0, 5, "model[" + std::to_string(model) + "]");
    const auto written = std::ranges::find_if(file_.settings, [&](const auto& setting) {
      return setting.key == key.key && setting.model == model;
    });
    if (key.key == "name" && name_ && *name_ != file_.name) {
      row.value = *name_;
      row.from = From::Flag;
    } else if (written != file_.settings.end()) {
      row.value = written->value;
      row.from = From::File;
      const Source& source = sources_.at(written->span.source);
      const auto before = std::string_view(source.text).substr(0, written->span.begin);
      row.place = source.name + ':' + std::to_string(1 + std::ranges::count(before, '\n'));
    } else {
      row.from = model < 0 ? From::BuiltIn
                           : stands_in(key.key, file_.models[static_cast<std::size_t>(model)]);
      if (key.key == "ladder") row.from = From::Machine;  // what worked here before
      if (row.from == From::BuiltIn) row.value = std::string(key.otherwise);
      if (row.value == "\"\"") row.value.clear();
      if (key.key == "key_file" && !file_.keys.empty()) row.without = kKeysAreHere;
      if (row.value.empty() && row.without.empty())
        row.without = row.from == From::BuiltIn ? kNotSet : kOpen;
    }
    if (row.from != From::Nowhere) all_.push_back(std::move(row));
  }

  const Sources& sources_;
  const DeploymentFile& file_;
  const std::optional<std::string>& name_;
  std::vector<Row> all_;
};

std::string in_words(const Row& row, Language language) {
  switch (row.from) {
    case From::File:
      return row.place;
    case From::Flag:
      return std::string(kNameFlag);
    case From::BuiltIn:
      return std::string(kBuiltIn.in(language));
    case From::Plan:
      return std::string(kPlan.in(language));
    case From::Machine:
    case From::Nowhere:
      return std::string(kMachine.in(language));
    case From::Image:
      return std::string(kOfImage.in(language));
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
    return row.value.empty() ? std::string(row.without.in(language)) : first_line(row.value);
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
  const ConfigFile chosen = config_file(arguments, session, language);
  if (chosen.ended_with) return *chosen.ended_with;
  const auto read = read_file_of(chosen.path, arguments, session, language);
  if (!read) {
    session.output.trouble(trouble_line(read.error(), language));
    return kCouldNot;
  }
  if (!*read) return kCouldNot;  // its mistakes are shown
  const auto name = arguments.value(kNameFlag);
  const Rows rows(**read, name);
  session.output.answer(arguments.value("--format") == "json"
                            ? json::serialize(as_json(rows.all())) + '\n'
                            : page(rows.all(), arguments.has("--origin"), language));
  return kDone;
}

}  // namespace sx
