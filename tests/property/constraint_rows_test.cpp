// Each row of the engines' constraint tables: a launch is looked for that meets its condition;
// there the rule must speak, and each of the row's fixes must clear it.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "check/condition_answer.h"
#include "check/constraint_rules.h"
#include "check/run_rules.h"
#include "engines/engine.h"
#include "gather/gather_host.h"
#include "gather/gather_model.h"
#include "knowledge/constraints.h"
#include "knowledge/flags.h"
#include "read/shell_words.h"
#include "sys/files.h"

namespace sx {
namespace {

constexpr int kTries = 4000;  // launches tried a row before it counts as not found

struct World {
  std::vector<ModelSpec> models;
  std::vector<HostSpec> hosts;
};

const World& world() {
  static const World made = [] {
    World all;
    static const MemoryFiles no_files;
    for (const char* id :
         {"Qwen/Qwen2.5-7B-Instruct", "meta-llama/Meta-Llama-3.1-8B", "Qwen/Qwen3-30B-A3B",
          "mistralai/Mixtral-8x7B-v0.1", "deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V3.2",
          "Qwen/Qwen3.5-27B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "google/gemma-3-27b-it",
          "openai/gpt-oss-20b", "Qwen/Qwen2.5-VL-7B-Instruct", "zai-org/GLM-4.5-Air",
          "meta-llama/Llama-4-Scout-17B-16E-Instruct", "deepseek-ai/DeepSeek-V4-Flash",
          "microsoft/Phi-3-mini-128k-instruct", "Qwen/Qwen3-30B-A3B-FP8", "google/gemma-4-26B-A4B",
          "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"}) {
      Sources sources;
      Outside outside;
      outside.files = &no_files;
      all.models.push_back(gather_model(sources, id, outside));
    }
    for (const char* name :
         {"8xH100-80GB-HBM3", "8xGeForce-RTX-4090", "2xGeForce-RTX-5090", "8xB200",
          "8xA100-SXM4-80GB", "4xTesla-T4", "2xTesla-V100-SXM2-32GB", "2xTesla-P40"}) {
      auto host = parse_machine_name(name);
      if (!host) continue;
      host->memory = Fact<Bytes>(Bytes{std::int64_t{16} << 30}, Origin::Assumed);
      all.hosts.push_back(std::move(*host));
    }
    return all;
  }();
  return made;
}

// A model like one of those but for what the condition speaks of: a class, a head size, draft
// layers that the catalogue has not.
ModelSpec model_beside(const Condition& condition) {
  ModelSpec model = world().models.front();
  model.head_dim = Fact<int>(100, Origin::Config);
  model.sliding_window = Fact<Tokens>(Tokens{4096}, Origin::Config);
  model.draft_layers = Fact<int>(2, Origin::Config);
  model.architecture = Fact<std::string>("BloomForCausalLM", Origin::Config);
  for (const auto& node : condition.nodes()) {
    if (node.kind == Condition::Kind::Call && node.text == "starts")
      model.architecture =
          Fact<std::string>(std::string(condition.node(node.children[1]).text), Origin::Config);
    if (node.kind == Condition::Kind::In && condition.node(node.children[0]).text == "model_type")
      model.model_type =
          Fact<std::string>(std::string(condition.node(node.children[1]).text), Origin::Config);
  }
  return model;
}

// What a condition speaks of, from its parts.
struct Mentioned {
  std::set<std::pair<std::string, std::string>> flags;  // name, key
  std::set<std::string> variables, names;
  std::vector<std::string> values{"1", "2", "3", "4", "8"};
};

Mentioned mentioned(const Condition& condition) {
  Mentioned all;
  for (const auto& node : condition.nodes()) {
    using Kind = Condition::Kind;
    if (node.kind == Kind::Flag) all.flags.emplace(node.text, node.key);
    if (node.kind == Kind::Variable) all.variables.emplace(node.text);
    if (node.kind == Kind::Text) all.values.emplace_back(node.text);
    // A word that is among no flag's choices.
    if (node.kind == Kind::Call && node.text == "choice") all.values.emplace_back("NO_SUCH_WORD");
    if (node.kind == Kind::Name && node.text == "speculative") {
      all.flags.emplace("--speculative-config", node.key.empty() ? "method" : node.key);
    } else if (node.kind == Kind::Name) {
      all.names.emplace(node.text);
    }
    if (node.kind != Kind::Number) continue;
    all.values.emplace_back(node.text);
    all.values.push_back(std::to_string(static_cast<long long>(node.number) + 1));
    all.values.push_back(std::to_string(static_cast<long long>(node.number) - 1));
  }
  return all;
}

// The flags that stand for the facts a launch says itself.
std::string flag_of(std::string_view engine, const std::string& name) {
  static const std::map<std::string, std::string> vllm{{"tp", "--tensor-parallel-size"},
                                                       {"pp", "--pipeline-parallel-size"},
                                                       {"world", "--tensor-parallel-size"},
                                                       {"dp", "--data-parallel-size"},
                                                       {"dp_local", "--data-parallel-size-local"},
                                                       {"pcp", "--prefill-context-parallel-size"},
                                                       {"dcp", "--decode-context-parallel-size"},
                                                       {"nnodes", "--nnodes"},
                                                       {"kv_dtype", "--kv-cache-dtype"},
                                                       {"dtype", "--dtype"},
                                                       {"length", "--max-model-len"},
                                                       {"ep", "--enable-expert-parallel"}};
  static const std::map<std::string, std::string> sglang{{"tp", "--tp-size"},
                                                         {"pp", "--pp-size"},
                                                         {"world", "--tp-size"},
                                                         {"dp", "--dp-size"},
                                                         {"nnodes", "--nnodes"},
                                                         {"attn_dp", "--attn-dp-size"},
                                                         {"dcp", "--dcp-size"},
                                                         {"dtype", "--dtype"},
                                                         {"kv_dtype", "--kv-cache-dtype"},
                                                         {"length", "--context-length"},
                                                         {"ep", "--ep-size"}};
  const auto& map = engine == "sglang" ? sglang : vllm;
  const auto found = map.find(name);
  return found == map.end() ? std::string() : found->second;
}

class Maker {
 public:
  Maker(std::string_view engine, const ConstraintRow& row, const Condition& condition)
      : engine_(*find_engine(engine)),
        flags_(*engine_flags(engine)),
        row_(row),
        condition_(condition),
        wanted_(mentioned(condition)),
        beside_(model_beside(condition)),
        random_(static_cast<unsigned>(std::hash<std::string_view>{}(row.id))) {}

  // A launch that meets the condition, or nothing within the tries. It lives as long as this.
  const Case* find() {
    for (int i = 0; i < kTries; ++i) {
      make();
      if (ConditionAsk(case_).answer(condition_) != Answer::Yes) continue;
      if (!constraints_bite(case_, row_.rule).empty()) return &case_;
    }
    return nullptr;
  }

 private:
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  const std::string& some_value() { return wanted_.values[below(wanted_.values.size())]; }

  void add_flag(std::vector<std::string>& argv, const std::string& name, const std::string& key) {
    const FlagRow* row = flags_.find(name);
    if (row == nullptr || below(4) == 0) return;
    if (!key.empty()) {
      argv.insert(argv.end(), {name + '.' + key, below(3) == 0 ? "true" : some_value()});
    } else if (row->kind == FlagKind::Switch) {
      argv.push_back(below(2) == 0 ? name : negation_of(name));
    } else if (row->kind == FlagKind::Json) {
      argv.insert(argv.end(), {name, "{}"});
    } else {
      const bool choose = !row->choices.empty() && below(2) == 0;
      argv.insert(argv.end(), {name, choose ? std::string(row->choices[below(row->choices.size())])
                                            : some_value()});
      if (row->kind == FlagKind::List && below(2) == 0) argv.push_back(some_value());
      if (below(4) == 0) argv.back() += ',' + argv.back();
    }
  }

  std::string negation_of(const std::string& name) {
    for (const FlagRow& row : flags_.rows) {
      if (below(2) == 0 && row.opposite_of == name) return std::string(row.name);
    }
    return "--no-" + name.substr(2);
  }

  Version version() const {
    if (row_.until) return *row_.until;
    return flags_.newest();
  }

  void make() {
    std::vector<std::string> argv =
        engine_.name == "vllm" ? std::vector<std::string>{"vllm", "serve", "some/model"}
        : engine_.name == "sglang"
            ? std::vector<std::string>{"python", "-m", "sglang.launch_server", "--model-path", "m"}
            : std::vector<std::string>{"llama-server", "-m", "m.gguf"};
    for (const auto& [name, key] : wanted_.flags) add_flag(argv, name, key);
    for (const auto& name : wanted_.names) {
      if (const auto flag = flag_of(engine_.name, name); !flag.empty()) add_flag(argv, flag, {});
    }
    if (engine_.name == "sglang" && wanted_.names.contains("attn_dp")) {
      add_flag(argv, "--enable-dp-attention", {});  // the older way to say it
      add_flag(argv, "--dp-size", {});
    }
    sources_ = Sources();
    case_ = Case();
    case_.command = command_from_argv(sources_, argv);
    for (const auto& name : wanted_.variables) {
      if (below(4) == 0) continue;
      case_.command.environment.push_back({.name = name,
                                           .value = below(3) == 0 ? "true" : some_value(),
                                           .span = case_.command.words.front().span});
    }
    case_.serve = engine_.understand(case_.command, version(), sources_,
                                     [](std::string_view) { return std::nullopt; });
    case_.sources = &sources_;
    beside_.head_dim = Fact<int>(below(2) == 0 ? 100 : 320, Origin::Config);
    case_.model_spec = below(2) == 0 ? &beside_ : &world().models[below(world().models.size())];
    case_.host_spec = &world().hosts[below(world().hosts.size())];
    case_.visible = visible_devices(case_.serve, *case_.host_spec);
  }

  const Engine& engine_;
  const EngineFlags& flags_;
  const ConstraintRow& row_;
  const Condition& condition_;
  Mentioned wanted_;
  ModelSpec beside_;
  std::mt19937 random_;
  Sources sources_;
  Case case_;
};

void check_engine(std::string_view engine) {
  const Constraints* table = constraints_of(engine);
  ASSERT_NE(table, nullptr);
  int met = 0;
  for (const ConstraintRow& row : table->rows()) {
    SCOPED_TRACE(std::string(row.id));
    const auto condition = row.condition();
    ASSERT_TRUE(condition.has_value()) << row.when;
    Maker maker(engine, row, *condition);
    const Case* c = maker.find();
    EXPECT_NE(c, nullptr) << "no launch found for: " << row.when;
    if (c == nullptr) continue;
    ++met;
    int proposals = 0;
    for (const Complaint& complaint : constraints_bite(*c, row.rule)) {
      for (const Proposal& proposal : complaint.proposals) {
        if (complaint.diagnostic.subject != row.marks.front()) continue;
        const auto again = asked_again(*c, proposal.changes);
        if (!again) continue;
        proposals += ConditionAsk(*again).answer(*condition) == Answer::Yes ? 0 : 1;
      }
    }
    EXPECT_TRUE(row.fixes.empty() || proposals > 0) << "no fix clears it: " << row.when;
  }
  EXPECT_GT(met, 0);
}

TEST(ConstraintRows, OfVllmSpeakAndAreCleared) { check_engine("vllm"); }
TEST(ConstraintRows, OfSglangSpeakAndAreCleared) { check_engine("sglang"); }
TEST(ConstraintRows, OfLlamaCppSpeakAndAreCleared) { check_engine("llamacpp"); }

}  // namespace
}  // namespace sx
