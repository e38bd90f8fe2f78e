// A name must lead to a model that runs: requests with any other are refused, and the file is the
// place to say so before they are.
#include "cli/up_names.h"

#include <algorithm>

#include "base/shown_word.h"
#include "base/strings.h"
#include "diag/listed.h"
#include "run/served_name.h"

namespace sx {
namespace {

constexpr Text kNobody{"no model here is called {model}", "这里没有名为 {model} 的模型"};
constexpr Text kClosest{"did you mean {closest}?", "是否想写 {closest}？"};
constexpr Text kServed{"models here: {known}", "这里的模型：{known}"};
constexpr Text kChain{"{name} means {model}, which is another name and no model",
                      "{name} 指向 {model}，而它也是别名，不是模型"};
constexpr Text kItsEnd{"the model itself: {end}", "应直接写模型：{end}"};
constexpr Text kLoop{"{name} means itself in the end: {chain}", "{name} 绕一圈又指回自己：{chain}"};
constexpr Text kOwnName{"the other name {name} is a model's own name",
                        "别名 {name} 本身就是一个模型的名称"};
constexpr Text kSaysNothing{"requests for it go to that model; this line says nothing",
                            "对它的请求都由该模型应答；这一行不起作用"};
constexpr Text kNoName{"{name} is no name that a request could say",
                       "{name} 不能作为名称：请求无法这样写"};
constexpr Text kNames{"one line of UTF-8, 1 to {most} bytes",
                      "应为一行 UTF-8 文本，1 到 {most} 字节"};
constexpr Text kNothingStarted{
    "nothing was started or changed: other names of models cannot be used",
    "没有启动或更改任何内容：有别名无法使用"};

using Aliases = std::map<std::string, std::string>;

FileFault fault(Message title, Span span, Message label) {
  return {.title = std::move(title),
          .labels = {{.span = span, .text = std::move(label), .primary = true}}};
}

FileFault nobody(const std::string& model, Span span, const std::set<std::string>& served) {
  const std::vector<std::string_view> names(served.begin(), served.end());
  const auto near = closest(model, names, 1);
  const std::vector<std::string> known(served.begin(), served.end());
  return fault({kNobody, {{"model", model}}}, span,
               near.empty() ? Message{kServed, {{"known", listed(known)}}}
                            : Message{kClosest, {{"closest", near.front()}}});
}

// One that goes over other names; nothing where a loop is told at another name of it.
std::vector<FileFault> of_chain(const DeploymentFile::AliasPlace& place, const Aliases& aliases) {
  const auto chain = alias_chain(place.name, aliases);
  const bool loops = std::ranges::count(chain, chain.back()) > 1;
  if (!loops) {
    const Message title{kChain, {{"name", place.name}, {"model", chain[1]}}};
    return {fault(title, place.model_span, {kItsEnd, {{"end", chain.back()}}})};
  }
  const bool told_here = chain.back() == place.name && std::ranges::min(chain) == place.name;
  if (!told_here) return {};
  return {
      fault({kLoop, {{"name", place.name}, {"chain", join(chain, " -> ")}}}, place.model_span, {})};
}

}  // namespace

NameFaults faults_of_names(const DeploymentFile& file, const std::set<std::string>& served) {
  NameFaults faults;
  const Aliases& aliases = file.gateway.aliases;
  for (const DeploymentFile::AliasPlace& place : file.alias_places) {
    const std::string& model = aliases.at(place.name);
    if (!is_served_name(place.name)) {
      faults.errors.push_back(fault({kNoName, {{"name", '"' + shown_word(place.name) + '"'}}},
                                    place.name_span, {kNames, {{"most", kMostServedName}}}));
    } else if (served.contains(place.name)) {
      faults.warnings.push_back(
          fault({kOwnName, {{"name", place.name}}}, place.name_span, {kSaysNothing}));
    } else if (served.contains(model)) {
      continue;
    } else if (aliases.contains(model)) {
      std::ranges::move(of_chain(place, aliases), std::back_inserter(faults.errors));
    } else {
      faults.errors.push_back(nobody(model, place.model_span, served));
    }
  }
  const std::string& otherwise = file.gateway.default_model;
  const auto setting =
      std::ranges::find(file.settings, "default_model", &DeploymentFile::Setting::key);
  const bool known = served.contains(otherwise) || aliases.contains(otherwise);
  if (setting != file.settings.end() && !otherwise.empty() && !known)
    faults.errors.push_back(nobody(otherwise, setting->span, served));
  return faults;
}

Result<void> names_lead_somewhere(const UpWanted& wanted, const Deployment& made,
                                  Session& session) {
  std::set<std::string> served;
  for (const EngineLaunch& launch : made.layouts.front().replicas) served.insert(launch.model);
  const NameFaults faults = faults_of_names(wanted.read.file, served);
  const auto places = [&](const FileFault& fault) {
    session.output.trouble(
        places_of(fault, wanted.read.sources, wanted.arguments, session, wanted.language));
  };
  for (const FileFault& one : faults.warnings) {
    say_warning(rendered(one.title, wanted.language), wanted.language, session);
    places(one);
  }
  for (const FileFault& one : faults.errors) {
    session.output.trouble(trouble_line(rendered(one.title, wanted.language), wanted.language));
    places(one);
  }
  if (faults.errors.empty()) return {};
  return fail(Error::Kind::Usage, in_both({kNothingStarted}));
}

}  // namespace sx
