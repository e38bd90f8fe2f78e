// SX4140. The long explanation and the scenes are in config_unreadable.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "read/shell_words.h"
#include "rules/model/weight_words.h"

namespace sx::rules {
namespace {

using Kind = DamagedText::Kind;
using Of = DamagedText::Of;

constexpr Text kNoJson{"{file} is not JSON: line {line}, column {column}",
                       "{file} 不是合法的 JSON：第 {line} 行第 {column} 列"};
constexpr Text kEmpty{"{file} is empty", "{file} 是空的"};
constexpr Text kPointer{"{file} is a git-lfs pointer, not the file itself",
                        "{file} 只是 git-lfs 指针，不是文件本身"};
constexpr Text kWebPage{"{file} is a saved web page", "{file} 保存下来的是一个网页"};
constexpr Text kNoObject{"{file} holds {what}, not an object", "{file} 的内容是{what}，不是对象"};
constexpr Text kNotObject{"{key} in {file} is {what} where an object is wanted",
                          "{file} 中的 {key} 应为对象，写的却是{what}"};
constexpr Text kNotNumber{"{key} in {file} is {what} where a number is wanted",
                          "{file} 中的 {key} 应为数字，写的却是{what}"};
constexpr Text kWhat{"{what}", "{what}"};

constexpr Text kStrict{
    "engines read it with Python's json module, which takes no comments, trailing commas or "
    "byte-order mark",
    "引擎用 Python 的 json 模块读取，注释、末尾多余的逗号和字节顺序标记（BOM）都不接受"};
constexpr Text kExpects{
    "the code of the model and of the engine takes the kinds of these values for granted",
    "模型代码和引擎都默认这些值的类型是对的，不再检查"};

constexpr Text kConfigEnds{
    "the engine exits within seconds: \"It looks like the config file at '…' is not a valid JSON "
    "file\", without the place",
    "引擎在几秒内退出：“It looks like the config file at '…' is not a valid JSON "
    "file”，不说在哪一行"};
constexpr Text kKindEnds{
    "the engine exits during start-up with a Python error that names neither the file nor the key",
    "引擎在启动阶段以 Python 异常退出，报错里既没有文件名，也没有键名"};
constexpr Text kTokenizerEnds{
    "the engine exits during start-up with a Python error that does not name the file",
    "引擎在启动阶段以 Python 异常退出，报错里没有文件名"};

constexpr Text kMendFolder{
    "mend the marked place, or fetch the file anew: hf download ORGANISATION/NAME {file} "
    "--local-dir {folder} --force-download",
    "改正标出的位置，或重新下载该文件：hf download 组织/模型名 {file} --local-dir {folder} "
    "--force-download"};
constexpr Text kMendHub{
    "mend the marked place, or fetch the file anew: hf download {id} {file} --force-download",
    "改正标出的位置，或重新下载该文件：hf download {id} {file} --force-download"};
constexpr Text kAnewFolder{
    "fetch the file anew: hf download ORGANISATION/NAME {file} --local-dir {folder} "
    "--force-download",
    "重新下载该文件：hf download 组织/模型名 {file} --local-dir {folder} --force-download"};
constexpr Text kAnewHub{"fetch the file anew: hf download {id} {file} --force-download",
                        "重新下载该文件：hf download {id} {file} --force-download"};

constexpr Need kNeeds[] = {Need::ModelConfig};

Message title_of(const Case& c, const DamagedText& text) {
  const Argument file("file", text.file);
  switch (text.kind) {
    case Kind::NoJson: {
      const Place place = place_of(c.sources->at(text.place.source), text.place.begin);
      return {kNoJson, {file, {"line", place.line}, {"column", place.column}}};
    }
    case Kind::Empty:
      return {kEmpty, {file}};
    case Kind::Pointer:
      return {kPointer, {file}};
    case Kind::WebPage:
      return {kWebPage, {file}};
    case Kind::NoObject:
      return {kNoObject, {file, {"what", text.what}}};
    case Kind::WrongKind:
      return {text.wants_number ? kNotNumber : kNotObject,
              {file, {"key", text.key}, {"what", text.what}}};
  }
  SX_UNREACHABLE("a kind of damage that nobody thought of");
}

// The usual values of a flag, which change nothing, or none at all.
bool as_usual(const ServeSpec& serve, std::string_view flag) {
  const FlagUse* use = serve.use_of(flag);
  if (use == nullptr) return true;
  return use->values.size() == 1 && (use->values[0] == "auto" || use->values[0] == "hf");
}

// Settings of the command that have the engine pass over the file.
bool passed_over(const ServeSpec& serve, const DamagedText& text) {
  if (text.of == Of::Config)
    return !as_usual(serve, "--config-format") || serve.use_of("--hf-config-path") != nullptr;
  return serve.tokenizer.asked() || !as_usual(serve, "--tokenizer-mode") ||
         serve.use_of("--skip-tokenizer-init") != nullptr;
}

Message way_out(const Case& c, const DamagedText& text) {
  const ModelSpec& model = c.model();
  const Argument file("file", text.file);
  const bool of_hub = model.from == ModelFrom::Cache || model.from == ModelFrom::Hub;
  const bool by_hand =
      text.kind == Kind::NoJson || text.kind == Kind::NoObject || text.kind == Kind::WrongKind;
  if (of_hub) return {by_hand ? kMendHub : kAnewHub, {file, {"id", model.id}}};
  return {by_hand ? kMendFolder : kAnewFolder, {file, {"folder", shell_quoted(model.folder)}}};
}

Complaint complaint_of(const Case& c, const DamagedText& text) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = title_of(c, text);
  mark(d, text.place,
       text.kind == Kind::NoJson ? Message{kWhat, {{"what", text.what}}} : Message{});
  if (c.serve.model.span()) d.labels.push_back({*c.serve.model.span(), folder_words(c), false});
  const bool values = text.kind == Kind::NoObject || text.kind == Kind::WrongKind;
  d.because = values ? kExpects : kStrict;
  d.otherwise = kTokenizerEnds;
  if (text.of == Of::Config) d.otherwise = values ? kKindEnds : kConfigEnds;
  d.subject = text.key.empty() ? text.file : text.file + ":" + text.key;
  d.no_fix = way_out(c, text);
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const DamagedText& text : c.model().damaged_texts) {
    // The index has a rule of its own.
    if (text.of == Of::Index || passed_over(c.serve, text)) continue;
    complaints.push_back(complaint_of(c, text));
  }
  return complaints;
}

}  // namespace

extern const Rule config_unreadable{
    .code = "SX4140",
    .name = "config-unreadable",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
