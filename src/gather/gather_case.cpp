// Commands first, then each model once, then the machine, and what each launch sees of it; a case a
// launch.
#include "gather/gather_case.h"

#include "engines/other/other.h"
#include "facts/seen_host.h"
#include "gather/absent_files.h"
#include "gather/gather_model.h"
#include "gather/launch_place.h"
#include "gather/learned_store.h"
#include "gather/model_catalogue.h"
#include "gather/model_mount.h"
#include "gather/secret_files.h"
#include "knowledge/engine_names.h"
#include "knowledge/models.h"

namespace sx {
namespace {

constexpr std::size_t kMostOtherModels = 16;  // models looked up for fixes that name one

// The revision matters on the hub only; a folder lies here as it is.
std::string revision_of(const ServeSpec& serve) {
  const FlagUse* use = serve.use_of("--revision");
  return use == nullptr || use->values.empty() || !use->complete ? "" : use->values.front();
}

const ModelSpec* model_of(GatheredCases& all, const std::string& name, const std::string& revision,
                          const Outside& outside) {
  auto& slot = all.models[revision.empty() ? name : name + "@" + revision];
  if (!slot) slot = std::make_unique<ModelSpec>(gather_model(all.sources, name, outside, revision));
  return slot.get();
}

ModelSpec no_model() {
  ModelSpec model;
  model.why_unknown =
      Text{"the command names no model that can be known here", "命令里没有这里能确定的模型"};
  return model;
}

// Only the catalogue is asked: a fix must not depend on what lies in a cache.
const ModelSpec* catalogue_model(GatheredCases& all, const std::string& id) {
  const std::string key = "catalogue:" + id;
  const auto found = all.models.find(key);
  if (found != all.models.end()) return found->second.get();
  if (all.models.size() > kMostOtherModels + all.launches.size()) return nullptr;
  const ModelMatch match = match_model(id);
  if (!match.row) return nullptr;
  auto model = std::make_unique<ModelSpec>(model_from_row(*match.row, id));
  return all.models.emplace(key, std::move(model)).first->second.get();
}

std::string near_key(std::size_t launch, const std::string& name) {
  return "near:" + std::to_string(launch) + ':' + name;
}

// What lies beside a model that is not there: a fix may name it.
void read_near_models(GatheredCases& all, std::size_t launch, const Outside& outside) {
  for (const AbsentFile& file : all.launches[launch].around.absent_files) {
    if (file.flag != "--model") continue;
    for (const std::string& name : file.near) {
      const std::string whole =
          file.path.substr(0, file.path.rfind('/') + 1) + name.substr(name.rfind('/') + 1);
      auto& slot = all.models[near_key(launch, name)];
      if (!slot) slot = std::make_unique<ModelSpec>(gather_model(all.sources, whole, outside));
    }
  }
}

// A model that a fix names: what was read for it, or in a container the folder to which another
// path leads.
const ModelSpec* other_model(GatheredCases& all, std::size_t launch, const std::string& id) {
  if (const auto near = all.models.find(near_key(launch, id)); near != all.models.end())
    return near->second.get();
  const auto read = all.models.find(path_on_host(all.launches[launch].around, id));
  const bool same = id.starts_with('/') && read != all.models.end();
  return same ? read->second.get() : catalogue_model(all, id);
}

constexpr Text kVersionOfMachine{"{engine} {version}: as the report of the machine says",
                                 "{engine} {version}：按机器报告所写"};

// A report of a machine tells which engine is installed there; what is said of the launch itself
// (--engine-version, an image) goes before.
void take_reported_version(GatheredCases& all, Launch& launch, const Outside& outside) {
  const ServeSpec& serve = launch.serve;
  const bool said = serve.version_origin == Origin::Flag || serve.version_origin == Origin::Config;
  if (said || launch.around.contained() || all.host.from != HostFrom::File) return;
  const Fact<std::string> told = serve.engine == "vllm"     ? all.host.state.vllm
                                 : serve.engine == "sglang" ? all.host.state.sglang
                                                            : Fact<std::string>();
  const auto version = told.known() ? parse_version(told.value()) : std::nullopt;
  if (!version) return;
  understand_as(launch, *version, Origin::Device, all.sources, outside);
  launch.around.remarks.push_back(
      {kVersionOfMachine,
       {{"engine", shown_engine(launch.serve.engine)}, {"version", version->text()}}});
}

// The translation is a command line like any other. One that cannot be read is no answer.
void gather_nearest(GatheredCases& all, const HostAsk& host, const Outside& outside) {
  constexpr std::size_t kMostNearest = 4;  // each gathers the machine again
  for (const Case& c : all.cases) {
    if (all.nearest.size() == kMostNearest) return;
    if (find_other_engine(c.serve.engine) == nullptr) continue;
    auto translation = other::translate(c.command);
    if (!translation) continue;
    auto cases = gather_cases({.argv = std::move(translation->words)}, host, outside);
    if (!cases || (*cases)->cases.size() != 1) continue;
    // In a container it sees no more GPUs; the rest of that container is not its own.
    HostSpec& seen = (*cases)->host;
    seen.gpu_count = c.host().gpu_count;
    seen.gpus = c.host().gpus;
    seen.links = c.host().links;
    Case& near = (*cases)->cases.front();
    near.visible = visible_devices(near.serve, near.host());
    all.nearest[c.launch] = {.cases = std::move(*cases),
                             .left_out = std::move(translation->left_out)};
  }
}

}  // namespace

Result<std::unique_ptr<GatheredCases>> gather_cases(const CommandAsk& command, const HostAsk& host,
                                                    const Outside& outside) {
  auto all = std::make_unique<GatheredCases>();
  SX_TRY(auto commands, gather_commands(all->sources, command, outside));
  SX_TRY(all->host, gather_host(all->sources, host, outside));
  if (!command.without_learned) all->learned = read_learned(outside);
  all->launches = std::move(commands.launches);
  all->notes = std::move(commands.notes);
  GatheredCases* owner = all.get();
  for (std::size_t i = 0; i < all->launches.size(); ++i) {
    Launch& launch = all->launches[i];
    Case c;
    take_reported_version(*all, launch, outside);
    follow_mounts(launch.around, folder_of_manifest(launch, all->sources, outside), outside);
    if (launch.serve.model.known()) {
      c.model_spec = model_of(*all, model_name_here(launch, all->sources, outside),
                              revision_of(launch.serve), outside);
    } else {
      auto& slot = all->models[""];
      if (!slot) slot = std::make_unique<ModelSpec>(no_model());
      c.model_spec = slot.get();
    }
    c.sources = &all->sources;
    c.whole_host = &all->host;
    c.host_spec = &all->host;
    if (sees_less(launch.around))
      c.host_spec = &all->seen.emplace_back(seen_host(all->host, launch.around));
    if (all->host.from == HostFrom::Live) {
      launch.around.secret_files = secret_files(launch, all->sources, outside);
      launch.around.absent_files = absent_files(launch, *c.model_spec, all->sources, outside);
      read_near_models(*all, i, outside);
    }
    c.command = launch.command;
    c.serve = launch.serve;
    c.around = launch.around;
    c.visible = visible_devices(launch.serve, *c.host_spec);
    c.launch = static_cast<int>(i);
    if (!all->learned.empty()) c.learned = &all->learned;
    c.find_model = [owner, i](const std::string& id) { return other_model(*owner, i, id); };
    all->cases.push_back(std::move(c));
  }
  for (Case& c : all->cases) c.all_launches = all->cases.size() > 1 ? &all->cases : nullptr;
  gather_nearest(*all, host, outside);
  return all;
}

}  // namespace sx
