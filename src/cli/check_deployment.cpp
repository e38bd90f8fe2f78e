// The launches become one text, a line each, so that they are gathered as those of a script are.
#include "cli/check_deployment.h"

#include <algorithm>

#include "base/strings.h"
#include "check/secrets.h"
#include "cli/file_edits.h"
#include "cli/host_ask.h"
#include "cli/up_make.h"
#include "gather/command_text.h"
#include "gather/text_kind.h"
#include "read/shell_words.h"

namespace sx {
namespace {

constexpr Bytes kMostFile = mib(1);  // as `up` reads it
constexpr Text kNotRead{"{file} makes {made} launches, and {read} of them can be read",
                        "{file} 产生 {made} 个启动命令，其中能读懂的有 {read} 个"};

// A machine that is named in place of this one has its GPUs, whatever is seen here: they are handed
// to containers.
Result<Outside> outside_of(const Arguments& arguments, const Outside& outside) {
  Outside there = outside;
  const auto on = arguments.value("--on");
  if (!on || *on == "-") return there;
  Sources sources;
  SX_TRY(const auto host, gather_host(sources, host_ask(arguments), outside));
  const auto count = static_cast<std::size_t>(std::max(host.gpu_count.value_or(0), 0));
  there.nvml = [count] {
    NvmlAnswer answer;
    answer.gpus.resize(count);
    return Result<NvmlAnswer>(std::move(answer));
  };
  return there;
}

// What lies on the machine that is named is not looked for here.
void leave_out_its_folders(DeploymentFile& file, const Outside& outside) {
  for (ModelSettings& model : file.models) {
    const std::string bin = path_in(outside.folder, model.venv) + "/bin";
    if (!model.venv.empty() && !outside.files->info(bin)) model.venv.clear();
  }
  TlsFiles& tls = file.gateway.tls;
  if (!tls.certificate.empty() && !tls.key.empty()) tls = {};
}

struct MadeLaunch {
  std::vector<std::string> words;
  std::size_t model = 0;
  TemplateValues values;  // its own
};

// The first replica stands for all of a command: they differ in their port alone.
std::vector<MadeLaunch> launches_of(const std::vector<UpMade>& models, const DeploymentFile& file) {
  std::vector<MadeLaunch> launches;
  for (std::size_t model = 0; model < models.size(); ++model) {
    const auto& replicas = models[model].deployment.layouts.front().replicas;
    for (std::size_t i = 0; i < models[model].commands.size() && i < replicas.size(); ++i)
      launches.push_back({.words = models[model].commands[i],
                          .model = model,
                          .values = {.model = file.models[model].id,
                                     .port = replicas[i].port,
                                     .gpus = replicas[i].gpus,
                                     .replica = static_cast<int>(i)}});
  }
  return launches;
}

// Where the file says each word of a launch.
std::vector<std::optional<Span>> places_of_words(const ModelWords& model,
                                                 const std::vector<std::string>& words) {
  const auto in_command = found_in(model.words, words);
  std::vector<std::optional<Span>> places(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (in_command[i]) {
      places[i] = model.words[*in_command[i]].span;
      continue;
    }
    const auto variable = std::ranges::find(model.variables, words[i], &FileVariable::text);
    const auto setting = std::ranges::find(model.settings, words[i], &FileWord::text);
    if (setting != model.settings.end()) places[i] = setting->span;
    if (variable != model.variables.end()) places[i] = variable->whole;
    const std::string name = words[i].substr(0, words[i].find('='));
    const bool sets = name.size() < words[i].size();
    for (const auto& [named, span] : model.named) {
      if (sets && !places[i] && named == name) places[i] = span;
    }
  }
  return places;
}

// The text of all launches, and of each word where it stands there and in the file.
std::string text_of(const std::vector<MadeLaunch>& made, const Sources& file, const TomlRead& toml,
                    std::vector<DeploymentLaunch>& launches) {
  std::string text;
  for (const MadeLaunch& one : made) {
    DeploymentLaunch launch{.model = words_of_model(file, toml, one.model, one.values),
                            .made = {},
                            .words = {},
                            .found = {}};
    launch.found = places_of_words(launch.model, one.words);
    launch.made = {0, text.size(), 0};
    for (const std::string& word : one.words) {
      if (!launch.words.empty()) text += ' ';
      const std::size_t begin = text.size();
      text += shell_quoted(word);
      launch.words.push_back({0, begin, text.size()});
    }
    launch.made.end = text.size();
    text += '\n';
    launches.push_back(std::move(launch));
  }
  return text;
}

// What the file says counts where the version cannot be found out.
void take_version(GatheredCases& all, std::size_t at, const std::string& said,
                  const Outside& outside) {
  Launch& launch = all.launches[at];
  const auto version = parse_version(said);
  if (!version || launch.serve.version_origin != Origin::Default) return;
  understand_as(launch, *version, Origin::Flag, all.sources, outside);
  Case& c = all.cases[at];
  c.serve = launch.serve;
  c.visible = visible_devices(c.serve, c.host());
}

void put_labels(Diagnostic& d, const DeploymentLaunch& launch,
                const std::vector<DeploymentLaunch>& all) {
  std::vector<Label> kept;
  bool primary = false;
  for (Label& label : d.labels) {
    if (label.span.source == 0) {
      const auto place = place_in_file(all, label.span);
      if (!place && !label.primary) {
        // The file has no such word; what it means here is still said.
        if (!label.text.empty()) d.basis.push_back(std::move(label.text));
        continue;
      }
      label.span = place.value_or(launch.model.table);
    }
    primary = primary || (label.primary && label.span.source >= 0);
    kept.push_back(std::move(label));
  }
  if (!primary)
    kept.insert(kept.begin(), {.span = launch.model.table, .text = {}, .primary = true});
  d.labels = std::move(kept);
}

void put_fix(Fix& fix, const std::string& command, const ModelWords& model, const Sources& file) {
  fix.edits =
      fix.command.empty() ? std::vector<Edit>() : file_edits(file, model, command, fix.command);
  fix.by_lines = !fix.edits.empty();
}

}  // namespace

bool is_deployment_file(const std::string& file, const Outside& outside) {
  if (!lower(file).ends_with(".toml")) return false;  // no other file is read twice
  auto text = outside.files->read(path_in(outside.folder, file), kMostFile);
  if (!text || text_kind(file, *text) != TextKind::Toml) return false;
  const bool has_header = std::ranges::any_of(lines_of(*text), [](std::string_view line) {
    const std::string_view said = trimmed(line);
    return said.starts_with("[model]") || said.starts_with("[[model]]");
  });
  if (has_header) return true;  // also where the rest of it cannot be read
  Sources sources;
  const int source = sources.add({.name = file, .uri = {}, .text = *std::move(text)});
  return read_toml(sources, source).table.find("model") != nullptr;
}

Result<std::optional<DeploymentCases>> deployment_cases(const std::string& file,
                                                        const Arguments& arguments,
                                                        Session& session, const Outside& asked,
                                                        Language language) {
  SX_TRY(auto read, read_file_of(file, arguments, session, language));
  if (!read) return std::optional<DeploymentCases>();
  if (arguments.has("--on")) leave_out_its_folders(read->file, asked);
  SX_TRY(auto ask, ask_of(arguments, read->file, origin_here(session.outside, read->path)));
  ask.rungs = ask.ladder = false;
  for (const Error& note : ask.notes) session.output.trouble(trouble_line(note, language));
  SX_TRY(const auto program, asked.files->link_target("/proc/self/exe"));
  const UpWanted wanted{
      .arguments = arguments, .read = *read, .ask = ask, .program = program, .language = language};
  SX_TRY(const auto there, outside_of(arguments, session.outside));
  Session making{.outside = there, .output = session.output};
  SX_TRY(const auto models, models_made(wanted, making));
  if (auto together = made_together(models, wanted, making); !together)
    return std::unexpected(together.error());

  DeploymentCases deployment;
  deployment.file = read->sources;
  const TomlRead toml = read_toml(deployment.file, 0);
  const auto made = launches_of(models, read->file);
  const std::string text = text_of(made, deployment.file, toml, deployment.launches);
  SX_TRY(deployment.cases, gather_cases({.argv = {text},
                                         .engine_version = arguments.value("--engine-version"),
                                         .without_learned = arguments.has("--no-learned")},
                                        host_ask(arguments), asked));
  GatheredCases& all = *deployment.cases;
  if (all.cases.size() != made.size())
    return fail(
        Error::Kind::Unsupported,
        in_both({kNotRead, {{"file", file}, {"made", made.size()}, {"read", all.cases.size()}}}));
  for (std::size_t i = 0; i < made.size(); ++i) {
    all.cases[i].command.line =
        place_of(deployment.file.at(0), deployment.launches[i].model.table.begin).line;
    take_version(all, i, read->file.models[made[i].model].version, asked);
  }
  return std::optional(std::move(deployment));
}

std::optional<Span> place_in_file(const std::vector<DeploymentLaunch>& launches, const Span& span) {
  const bool empty = span.begin >= span.end;
  std::optional<Span> place;
  bool in_command = false;  // what is found so far is a word of the command
  for (const DeploymentLaunch& launch : launches) {
    for (std::size_t i = 0; i < launch.words.size(); ++i) {
      const Span& word = launch.words[i];
      const bool there = empty ? word.begin <= span.begin && span.begin <= word.end
                               : word.begin < span.end && span.begin < word.end;
      if (!there || !launch.found[i]) continue;
      const Span& found = *launch.found[i];
      const bool own = std::ranges::any_of(
          launch.model.words, [&found](const FileWord& one) { return one.span == found; });
      if (!place || (own && !in_command)) {
        place = found;
      } else if (own == in_command && own) {
        place = Span{0, std::min(place->begin, found.begin), std::max(place->end, found.end)};
      }
      in_command = in_command || own;
    }
  }
  return place;
}

void put_into_file(LaunchAnswer& answer, std::size_t launch, const DeploymentCases& deployment) {
  const DeploymentLaunch& own = deployment.launches.at(launch);
  const std::string& command = answer.asked.command;
  for (Diagnostic& d : answer.outcome.diagnostics) {
    put_labels(d, own, deployment.launches);
    for (Fix& fix : d.fixes) put_fix(fix, command, own.model, deployment.file);
  }
  put_fix(answer.outcome.combined, command, own.model, deployment.file);
}

Sources shown_sources(const DeploymentCases& deployment) {
  const GatheredCases& all = *deployment.cases;
  std::vector<Secret> secrets;
  for (const Case& c : all.cases) {
    for (Secret& secret : secrets_of(c)) {
      std::vector<Span> places;
      for (const Span& place : secret.places) {
        const auto found = place.source == 0 ? place_in_file(deployment.launches, place) : place;
        if (found) places.push_back(*found);
      }
      secret.places = std::move(places);
      secrets.push_back(std::move(secret));
    }
  }
  Sources sources;
  sources.add(deployment.file.at(0));
  for (std::size_t i = 1; i < all.sources.all().size(); ++i)
    sources.add(all.sources.at(static_cast<int>(i)));
  return without_secrets(sources, secrets);
}

}  // namespace sx
