// SX4114. The long explanation and the scenes are in model_arch_unknown.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/architectures.h"
#include "knowledge/flags.h"
#include "knowledge/gguf_architectures.h"
#include "knowledge/traits.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kNotYet{"vLLM {version} does not know {name} yet", "vLLM {version} 还不认识 {name}"};
constexpr Text kGone{"vLLM {version} no longer knows {name}", "vLLM {version} 已不再支持 {name}"};
constexpr Text kBetween{"vLLM {version} may not know {name}", "vLLM {version} 可能不认识 {name}"};
constexpr Text kBasis{"{name}: {origin}", "{name}：{origin}"};

constexpr Text kBecause{"an engine serves the model classes that it has code for",
                        "引擎只能服务它有代码实现的模型类"};
constexpr Text kBetweenWhy{
    "of the versions that were read, {last} lacks this class and {first} has it",
    "在读过源码的版本中，{last} 没有这个类，{first} 有"};
constexpr Text kGoneBetweenWhy{
    "of the versions that were read, {last} has this class and {first} lacks it",
    "在读过源码的版本中，{last} 有这个类，{first} 没有"};

constexpr Text kExits{
    "the engine exits within seconds: \"Model architectures ['{name}'] are not supported for "
    "now\", or transformers does not "
    "recognise the model type",
    "引擎在几秒内退出：“Model architectures ['{name}'] are not supported for now”，或 transformers "
    "不认识该模型类型"};
constexpr Text kFallback{
    "it exits within seconds, unless the transformers library beside it has the class: then that "
    "one runs, slower and with "
    "fewer features",
    "几秒内退出；除非环境里的 transformers 有这个类，那样会改用它运行，更慢且功能更少"};
constexpr Text kWasSupported{
    "the engine exits within seconds: \"Model architecture {name} was supported in vLLM until …\"",
    "引擎在几秒内退出：“Model architecture {name} was supported in vLLM until …”"};

constexpr Text kUpgrade{"a newer engine: {first} has the class (pip install -U \"vllm>={first}\")",
                        "升级引擎：{first} 有这个类（pip install -U \"vllm>={first}\"）"};
constexpr Text kDowngrade{
    "an older engine: {last} is the newest one read that has the class (pip install "
    "\"vllm=={last}\")",
    "使用旧版引擎：读过的版本中 {last} 是最后一个有这个类的（pip install \"vllm=={last}\"）"};

constexpr Text kNotAmong{"llama.cpp {version} is not known to take the architecture {name}",
                         "不确定 llama.cpp {version} 支持架构 {name}"};
constexpr Text kNotAmongWhy{
    "a file says which architecture it has, and the engine needs code for it",
    "文件写明自己的架构，引擎必须有对应的代码"};
constexpr Text kNoLoad{"the load ends within seconds: \"unknown model architecture: '{name}'\"",
                       "几秒内加载失败：“unknown model architecture: '{name}'”"};
constexpr Text kNewerBuild{"a newer build of llama.cpp, or the one that the file's makers name",
                           "换用更新的 llama.cpp 构建，或文件发布者指定的构建"};

constexpr Need kNeeds[] = {Need::ModelArchitecture};

// The last version read before this one.
Version read_before(const ServeSpec& serve, const Version& border) {
  const EngineFlags* flags = engine_flags(serve.engine);
  Version last = border;
  if (flags == nullptr) return last;
  for (const Version& version : flags->read) {
    if (version < border) last = version;
  }
  return last;
}

// Classes that a general implementation over transformers can stand in for.
bool has_stand_in(const Case& c, const ArchitectureRow& row) {
  const bool plain = row.category == "text_generation_models" && !row.mla.value_or(false) &&
                     !row.hybrid.value_or(false);
  return plain && trait(c.serve.engine, "transformers-stands-in", c.serve.version).has_value();
}

Complaint complaint_of(const Case& c, const Text& title) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument name("name", c.model().architecture.value());
  d.title = {title, {{"version", c.serve.version.text()}, name}};
  mark(d, c.serve.model, {});
  also(d, c.model().architecture, {}, {kBasis, {name, {"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.subject = "model";
  return complaint;
}

Complaint not_yet(const Case& c, const ArchitectureRow& row) {
  Complaint complaint = complaint_of(c, kNotYet);
  const bool stand_in = has_stand_in(c, row);
  if (stand_in) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.otherwise =
      stand_in ? Message{kFallback} : Message{kExits, {{"name", c.model().architecture.value()}}};
  d.no_fix = {kUpgrade, {{"first", row.first_seen->text()}}};
  return complaint;
}

Complaint gone(const Case& c, const ArchitectureRow& row) {
  Complaint complaint = complaint_of(c, kGone);
  complaint.diagnostic.otherwise = {kWasSupported, {{"name", c.model().architecture.value()}}};
  complaint.diagnostic.no_fix = {kDowngrade, {{"last", read_before(c.serve, *row.removed).text()}}};
  return complaint;
}

Complaint between(const Case& c, const Version& border, bool coming) {
  Complaint complaint = complaint_of(c, kBetween);
  complaint.severity = Severity::Advice;
  const std::vector<Argument> versions{{"last", read_before(c.serve, border).text()},
                                       {"first", border.text()}};
  complaint.diagnostic.because = {coming ? kBetweenWhy : kGoneBetweenWhy, versions};
  complaint.diagnostic.otherwise = {kExits, {{"name", c.model().architecture.value()}}};
  return complaint;
}

// What the header of a GGUF file says; of a model from the catalogue only the class's other name is
// known. Newer builds may take what the newest one read did not.
std::vector<Complaint> check_gguf(const Case& c) {
  const auto& name = c.model().architecture;
  if (name.origin() != Origin::Header || c.model().adapter_kind.known()) return {};
  if (knows_gguf_architecture(c.serve.engine, name.value()) != false) return {};
  Complaint complaint = complaint_of(c, kNotAmong);
  complaint.severity = Severity::Warning;
  complaint.diagnostic.because = kNotAmongWhy;
  complaint.diagnostic.otherwise = {kNoLoad, {{"name", name.value()}}};
  complaint.diagnostic.no_fix = kNewerBuild;
  return {complaint};
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  const EngineFlags* flags = engine_flags(serve.engine);
  if (serve.engine == "llamacpp") return check_gguf(c);
  if (flags == nullptr || overridden(serve, "architectures") ||
      serve.use_of("--model-impl") != nullptr)
    return {};
  const auto row = find_architecture(c.model().architecture.value());
  if (!row || serve.version < flags->oldest()) return {};
  const auto there = architecture_in(*row, serve.version);
  if (there == true) return {};
  const bool coming = row->first_seen && serve.version < *row->first_seen;
  if (there == false) return {coming ? not_yet(c, *row) : gone(c, *row)};
  if (coming) return {between(c, *row->first_seen, true)};
  if (row->removed) return {between(c, *row->removed, false)};
  return {};
}

}  // namespace

extern const Rule model_arch_unknown{
    .code = "SX4114",
    .name = "model-arch-unknown",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllmAndLlama,
    .check = check,
};

}  // namespace sx::rules
