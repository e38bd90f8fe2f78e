// Our own `plan` and `check` are asked as programs: what they say is the contract.
#include "cli/up_make.h"

#include <algorithm>
#include <chrono>

#include "base/shown_word.h"
#include "base/strings.h"
#include "cli/number_flag.h"
#include "cli/up_names.h"
#include "engines/engine.h"
#include "gateway/otlp_settings.h"
#include "gateway/tls_door.h"
#include "knowledge/images.h"
#include "read/shell_words.h"
#include "run/deployment_text.h"
#include "run/engine_launch.h"
#include "run/replica_share.h"
#include "sys/child_program.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPlanTime{60'000};

constexpr Text kNothing{
    "nothing to run was given: a model, a plan as JSON (-), or a command after --",
    "没有给出要运行的内容：模型、JSON 方案（-），或 -- 之后的命令"};
constexpr Text kRefused{
    "not started: `check` finds errors; --anyway \"reason\" starts it all the same",
    "未启动：`check` 发现错误；要照样启动，用 --anyway \"理由\""};
constexpr Text kNotChecked{"`check` gave no answer; this launch was not checked",
                           "`check` 没有给出结果；该启动命令未检查"};
constexpr Text kAnyway{"started in spite of errors: {reason}", "尽管有错误仍然启动：{reason}"};
constexpr Text kNoPlan{"there is no plan for {model} (`sextant plan` says why)",
                       "没有 {model} 的方案（原因见 `sextant plan`）"};
constexpr Text kBothFiles{"TLS needs both: gateway.tls_certificate and gateway.tls_key",
                          "TLS 需要同时设置 gateway.tls_certificate 和 gateway.tls_key"};
constexpr Text kNoPlanBecause{"there is no plan for {model}; `sextant plan` says: {why}",
                              "没有 {model} 的方案；`sextant plan` 的说明：{why}"};
constexpr Text kNoPlanCame{
    "no plan came on standard input: sextant plan MODEL --format json | sextant up -",
    "标准输入中没有方案：sextant plan MODEL --format json | sextant up -"};
constexpr Text kNoPlanNoGpu{
    "there is no plan for {model}; `sextant plan` says: {why}; a command starts without a plan: "
    "sextant up -- {command}",
    "没有 {model} 的方案；`sextant plan` 的说明：{why}；直接启动命令不需要方案：sextant up -- "
    "{command}"};
constexpr Text kTwo{"what is to run: {word}, or the command after --?",
                    "要运行的是 {word}，还是 -- 之后的命令？"};
constexpr Text kOfPlans{"{flag} is for plans: it changes nothing of a command",
                        "{flag} 用于制定方案，对命令不起作用"};
constexpr Text kNoProgram{"there is no {path}", "没有 {path}"};

// What the image holds is what is planned for, where the file does not say otherwise.
struct Planned {
  std::string engine, version;
};
Planned planned_for(const ModelSettings& model, const UpAsk& ask) {
  Planned planned{.engine = model.engine, .version = ask.version};
  const auto image = known_image(model.image.image);
  if (!image || !find_engine(image->engine)) return planned;
  if (planned.engine.empty()) planned.engine = image->engine;
  if (planned.version.empty() && image->version && planned.engine == image->engine)
    planned.version = image->version->text();
  return planned;
}

// The first line that `plan` says of what it could not do, in the language of whoever asked.
std::string words_of_plan(ChildAsk child, Language language) {
  const bool english = language == Language::English;
  child.words.insert(child.words.end(), {"--lang", english ? "en" : "zh"});
  child.with_errors = true;
  const auto answer = run_child_program(child);
  std::string_view said = answer ? std::string_view(answer->out) : std::string_view();
  said = said.substr(0, said.find('\n'));
  const std::string model = child.words[2] + (english ? ": " : "：");  // it is named already
  for (const std::string_view own :
       {std::string_view("sextant: "), std::string_view("sextant："), std::string_view(model)}) {
    if (said.starts_with(own)) said.remove_prefix(own.size());
  }
  return std::string(said);
}

// No card is seen, so that nothing can be planned for this machine.
bool sees_no_gpu(const UpWanted& wanted, const Outside& outside) {
  if (wanted.arguments.has("--on")) return false;
  const auto told = outside.nvml();
  return !told || told->gpus.empty();
}

Error no_plan(const ModelSettings& model, const std::string& why, bool no_gpu) {
  const bool file = model.id.ends_with(".gguf");
  const std::string command = file ? "llama-server -m " + shell_quoted(model.id) : "COMMAND";
  const Text text = why.empty() ? kNoPlan : no_gpu ? kNoPlanNoGpu : kNoPlanBecause;
  return {Error::Kind::Refused,
          in_both({text, {{"model", model.id}, {"why", why}, {"command", command}}})};
}

Result<std::string> plan_of(const ModelSettings& model, const UpAsk& ask, const UpWanted& wanted,
                            const Outside& outside) {
  const Planned planned = planned_for(model, ask);
  ChildAsk child{.words = {wanted.program, "plan", model.id, "--format", "json"}};
  const auto add = [&](std::string_view flag, const std::string& of_file) {
    const std::string value = wanted.arguments.value(flag).value_or(of_file);
    if (value.empty()) return;
    child.words.emplace_back(flag);
    child.words.push_back(value);
  };
  add("--on", "");
  add("--users", model.users ? std::to_string(*model.users) : "");
  add("--context", model.context ? std::to_string(*model.context) : "");
  add("--goal", model.goal);
  add("--engine", planned.engine);
  add("--engine-version", planned.version);
  add("--gpus", ask.gpus.empty() ? "" : std::to_string(ask.gpus.size()));
  if (wanted.arguments.has("--online")) child.words.emplace_back("--online");
  child.limit = kPlanTime;
  child.with_errors = false;
  SX_TRY(const auto answer, run_child_program(child));
  if (answer.code != kDone && answer.code != kFindings) {
    const std::string why = words_of_plan(child, wanted.language);
    return std::unexpected(no_plan(model, why, sees_no_gpu(wanted, outside)));
  }
  return answer.out;
}

// The folder in which `up` was called is where paths of its file begin.
std::string whole_path(const std::string& path, const DeploymentOrigin& origin) {
  return path.empty() || path.front() == '/' ? path : origin.folder + '/' + path;
}

// The environment of a Python environment that nobody activated.
Result<void> enter_venv(UpAsk& ask, const std::string& venv, const Outside& outside) {
  if (venv.empty()) return {};
  const std::string whole = whole_path(venv, ask.origin);
  if (!outside.files->info(whole + "/bin"))
    return fail(Error::Kind::Absent, in_both({kNoProgram, {{"path", whole + "/bin"}}}));
  std::string& path = ask.origin.environment["PATH"];
  path = whole + "/bin" + (path.empty() ? "" : ':' + path);
  ask.origin.environment["VIRTUAL_ENV"] = whole;
  return {};
}

// What `check` says of a command; nothing: it gave no answer.
std::optional<ChildAnswer> checked(const std::vector<std::string>& command,
                                   const UpWanted& wanted) {
  ChildAsk ask{.words = {wanted.program, "check", "--lang",
                         wanted.language == Language::English ? "en" : "zh"}};
  ask.folder = wanted.ask.origin.folder;  // `reload` may be asked from another one
  if (wanted.arguments.has("--online")) ask.words.emplace_back("--online");
  ask.words.emplace_back("--");
  ask.words.insert(ask.words.end(), command.begin(), command.end());
  auto answer = run_child_program(ask);
  const bool told =
      answer && !answer->timed_out && (answer->code == kFindings || answer->code == kDone);
  return told ? std::optional(std::move(*answer)) : std::nullopt;
}

// A rung that `check` finds errors in proves nothing when it fails.
void keep_rungs_that_can_work(UpMade& made, const UpWanted& wanted) {
  if (made.rung_commands.empty()) return;
  std::vector<DeployedLayout> good;
  for (std::size_t i = 0; i < made.rung_commands.size(); ++i) {
    const auto answer = checked(made.rung_commands[i], wanted);
    if (answer && answer->code == kDone) good.push_back(std::move(made.deployment.rungs[i]));
  }
  made.deployment.rungs = std::move(good);
  made.rung_commands.clear();
}

Result<UpMade> made_of_model(const ModelSettings& model, UpAsk ask, const UpWanted& wanted,
                             Session& session) {
  const Outside& outside = session.outside;
  ask.wanted = wanted.arguments.value("--plan").value_or(model.layout);
  ask.fallback = model.fallback;
  ask.version = model.version;
  ask.gpus = model.gpus;
  ask.environment = model.environment;
  SX_TRY(ask.replicas, number_or(wanted.arguments, {"--replicas", 1, 64}, model.replicas));
  ask.model = model.id;
  ask.image = model.image;
  if (!ask.image.image.empty()) {
    const auto told = outside.nvml();
    ask.hands_in_gpus = !ask.gpus.empty() || (told && !told->gpus.empty());
  }
  if (auto entered = enter_venv(ask, model.venv, outside); !entered)
    return std::unexpected(entered.error());
  if (!model.command.empty()) return deployment_of_command(model.command, ask, outside);
  SX_TRY(const auto text, plan_of(model, ask, wanted, outside));
  return deployment_of_plan(text, ask, outside);
}

// What runs without a file: a launch, a plan, or a model.
Result<std::vector<ModelSettings>> models_of(const UpWanted& wanted) {
  const Arguments& arguments = wanted.arguments;
  if (!wanted.read.path.empty()) return wanted.read.file.models;
  ModelSettings model;
  if (arguments.has_launch && !arguments.words.empty())
    return fail(Error::Kind::Usage,
                in_both({kTwo, {{"word", shown_word(arguments.words.front())}}}));
  if (!arguments.launch.empty()) {
    model.command = arguments.launch;
  } else if (!arguments.words.empty()) {
    model.id = arguments.words.front();
  } else {
    return fail(Error::Kind::Usage, in_both({kNothing}));
  }
  return std::vector{model};
}

// What was typed and does nothing is said, since whoever typed it counts on it.
void say_unused(const UpWanted& wanted, Session& session) {
  if (!wanted.arguments.has_launch) return;
  for (const std::string_view flag :
       {"--plan", "--on", "--users", "--context", "--goal", "--engine"}) {
    if (wanted.arguments.has(flag))
      say_warning(rendered({kOfPlans, {{"flag", flag}}}, wanted.language), wanted.language,
                  session);
  }
}

// A plan from elsewhere, on standard input.
bool is_plan(const Arguments& arguments) {
  return !arguments.has_launch && !arguments.words.empty() && arguments.words.front() == "-";
}

// GPUs and ports of what was made are no other model's.
void take_away(UpAsk& ask, const UpMade& made) {
  const auto& deployment = made.deployment;
  for (const auto* layouts : {&deployment.rungs, &deployment.layouts}) {
    for (const DeployedLayout& layout : *layouts) {
      for (const EngineLaunch& launch : layout.replicas) {
        ask.taken_ports.push_back(launch.port);
        for (const int gpu : launch.gpus) ask.first_gpu = std::max(ask.first_gpu, gpu + 1);
      }
    }
  }
}

}  // namespace

DeploymentOrigin origin_here(const Outside& outside, const std::string& file) {
  DeploymentOrigin origin{.file = file, .folder = outside.folder, .environment = {}};
  for (const auto& [name, value] : outside.environment.all()) {
    const bool wanted = std::ranges::any_of(
        all_engines(), [&](const Engine* engine) { return passed_on(engine->name, name); });
    if (wanted) origin.environment[name] = value;
  }
  return origin;
}

Result<UpAsk> ask_of(const Arguments& arguments, const DeploymentFile& file,
                     DeploymentOrigin origin) {
  UpAsk ask{.name = arguments.value("--name").value_or(file.name), .host = file.host};
  SX_TRY(ask.port, number_or(arguments, {"--port", 1, 65535}, file.port));
  ask.rungs = !arguments.has("--no-ladder") && (arguments.has("--ladder") || file.ladder != false);
  ask.ladder = ask.rungs && (arguments.has("--ladder") || file.ladder == true);
  ask.restart = file.restart;
  ask.patience = file.patience;
  ask.log = file.log;
  ask.gateway = file.gateway;
  ask.keys = file.keys;
  ask.key_file = whole_path(file.key_file, origin);
  TlsFiles& tls = ask.gateway.tls;
  if (tls.certificate.empty() != tls.key.empty())
    return fail(Error::Kind::Usage, in_both({kBothFiles}));
  if (tls.wanted()) {
    tls = {.certificate = whole_path(tls.certificate, origin), .key = whole_path(tls.key, origin)};
    SX_TRY(ask.notes, TlsDoor::judged(tls));
  }
  const auto otlp =
      otlp_settings_at(ask.gateway.otlp_endpoint, [](const auto&) { return std::nullopt; });
  if (!otlp) return std::unexpected(otlp.error());
  ask.origin = std::move(origin);
  return ask;
}

Result<std::vector<UpMade>> models_made(const UpWanted& wanted, Session& session) {
  SX_TRY(const auto models, models_of(wanted));
  say_unused(wanted, session);
  UpAsk ask = wanted.ask;
  std::vector<UpMade> parts;
  for (const ModelSettings& model : models) {
    SX_TRY(auto part, made_of_model(model, ask, wanted, session));
    for (DeployedLayout& layout : part.deployment.layouts) {
      if (auto given = give_weights(layout, model.weights); !given)
        return std::unexpected(given.error());
    }
    keep_rungs_that_can_work(part, wanted);
    for (const Message& remark : part.remarks)
      say_warning(rendered(remark, wanted.language), wanted.language, session);
    take_away(ask, part);
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<UpMade> made_together(std::vector<UpMade> models, const UpWanted& wanted, Session& session) {
  SX_TRY(auto made, joined(std::move(models)));
  if (auto good = names_lead_somewhere(wanted, made.deployment, session); !good)
    return std::unexpected(good.error());
  return made;
}

Result<UpMade> made_of(const UpWanted& wanted, Session& session) {
  const Arguments& arguments = wanted.arguments;
  if (wanted.read.path.empty() && is_plan(arguments)) {
    UpAsk ask = wanted.ask;
    ask.wanted = arguments.value("--plan").value_or("");
    SX_TRY(const auto text, session.outside.standard_input());
    if (trimmed(text).empty()) return fail(Error::Kind::Absent, in_both(Message{kNoPlanCame}));
    return deployment_of_plan(text, ask, session.outside);
  }
  SX_TRY(auto models, models_made(wanted, session));
  return made_together(std::move(models), wanted, session);
}

std::string file_of(const UpWanted& wanted, const UpMade& made) {
  const auto models = models_of(wanted);
  if (!wanted.read.path.empty() || is_plan(wanted.arguments) || !models) return {};
  DeploymentFile file;
  file.name = wanted.ask.name;
  file.host = wanted.ask.host;
  file.port = wanted.ask.port;
  if (!wanted.ask.rungs || wanted.ask.ladder) file.ladder = wanted.ask.ladder;
  file.models = *models;
  ModelSettings& model = file.models.front();
  model.replicas = static_cast<int>(made.deployment.layouts.front().replicas.size());
  if (!model.id.empty()) {
    model.replicas = 1;  // the layout says how many
    model.layout = made.deployment.layouts.front().label;
  }
  return deployment_file_text(file);
}

bool may_run(UpMade& made, const UpWanted& wanted, Session& session) {
  const Language language = wanted.language;
  for (const Error& note : wanted.ask.notes) session.output.trouble(trouble_line(note, language));
  std::string errors;
  for (const auto& command : made.commands) {
    const auto answer = checked(command, wanted);
    if (!answer)
      session.output.trouble(trouble_line(rendered(Message{kNotChecked}, language), language));
    if (answer && answer->code == kFindings) errors += answer->out;
  }
  if (errors.empty()) return true;
  session.output.trouble(errors);
  const std::string reason = wanted.arguments.value("--anyway").value_or("");
  const Message said = reason.empty() ? Message{kRefused} : Message{kAnyway, {{"reason", reason}}};
  session.output.trouble(trouble_line(rendered(said, language), language));
  made.deployment.anyway = reason;
  return !reason.empty();
}

}  // namespace sx
