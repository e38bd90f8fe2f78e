// What rules say to the launches of each engine: no other engine's name, and no flag that the
// engine does not have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "check/rule.h"
#include "facts/need.h"
#include "knowledge/engine_names.h"
#include "knowledge/flags.h"
#include "knowledge/foreign_flags.h"
#include "read/shell_words.h"
#include "rules/all.h"

namespace sx {
namespace {

using rules::all;

// Everything that a complaint says, in one language.
std::vector<std::string> said(const Complaint& complaint, Language language) {
  const Diagnostic& d = complaint.diagnostic;
  std::vector<Message> messages{d.title, d.because, d.otherwise, d.no_fix};
  for (const Label& label : d.labels) messages.push_back(label.text);
  messages.insert(messages.end(), d.basis.begin(), d.basis.end());
  for (const Proposal& proposal : complaint.proposals) messages.push_back(proposal.title);
  std::vector<std::string> texts;
  for (const Message& message : messages) {
    if (!message.empty()) texts.push_back(rendered(message, language));
  }
  return texts;
}

// "--tp-size" wherever it stands.
std::vector<std::string> flags_in(const std::string& text) {
  std::vector<std::string> flags;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    std::size_t end = at + 2;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '-' || text[end] == '_'))
      ++end;
    if (end > at + 2) flags.push_back(text.substr(at, end - at));
  }
  return flags;
}

// Flags of this program, of the hub's program and of containers, which are not the engine's.
bool of_other_programs(const std::string& flag) {
  static const std::set<std::string> kOthers{
      "--on",    "--free",           "--shm",      "--local-dir", "--local_dir", "--include",
      "--model", "--force-download", "--shm-size", "--ipc"};
  return kOthers.contains(flag);
}

bool engine_has(std::string_view engine, const std::string& flag) {
  const EngineFlags* flags = engine_flags(engine);
  if (flags == nullptr) return foreign_flag(engine, flag) == nullptr;  // of no other engine, then
  return flags->find(flag) != nullptr || own_name(engine, flag) == flag;
}

// A launch at which many rules have something to say.
class Launch {
 public:
  explicit Launch(std::string_view engine) {
    c_.command = command_from_argv(
        sources_, {"CUDA_VISIBLE_DEVICES=0,0,9", "NCCL_P2P_DISABLE=1", "server", "--x", "y"});
    c_.serve.engine = engine;
    if (const EngineFlags* flags = engine_flags(engine)) c_.serve.version = flags->newest();
    const Span span = c_.command.words.front().span;
    fill_in_sizes(span);
    fill_in_rest(span);
    fill_in_model();
    fill_in_host();
    c_.sources = &sources_;
    c_.model_spec = &model_;
    c_.host_spec = &host_;
    c_.visible = visible_devices(c_.serve, host_);
  }

  Case& ask() { return c_; }
  ModelSpec& model() { return model_; }

  void add_use(const std::string& name, std::vector<std::string> values) {
    if (own_name(c_.serve.engine, name).empty()) return;
    c_.serve.flags.push_back({.name = own_name(c_.serve.engine, name),
                              .typed = name,
                              .values = std::move(values),
                              .span = c_.command.words.back().span,
                              .first_word = c_.command.words.size() - 2,
                              .word_count = 2});
  }

  void add_problem(FlagProblem::Kind kind, const std::string& name) {
    c_.serve.problems.push_back({.kind = kind,
                                 .name = own_name(c_.serve.engine, name),
                                 .typed = own_name(c_.serve.engine, name),
                                 .value = "many",
                                 .expected = {"a number", "数字"},
                                 .file = FlagProblem::File::NoMap,
                                 .span = c_.command.words.back().span,
                                 .first_word = c_.command.words.size() - 1,
                                 .word_count = 1});
  }

 private:
  void fill_in_sizes(Span span) {
    ServeSpec& s = c_.serve;
    s.tensor_parallel = {3, Origin::Flag, span};
    s.pipeline_parallel = {2, Origin::Flag, span};
    s.data_parallel = {1, Origin::Default};
    s.prefill_context_parallel = {1, Origin::Default};
    s.decode_context_parallel = {2, Origin::Flag, span};
    s.node_count = {0, Origin::Flag, span};
    s.expert_parallel = {true, Origin::Flag, span};
    s.partition = {{.layers = {1, 2, 3}}, Origin::Environment, span};
  }

  void fill_in_rest(Span span) {
    ServeSpec& s = c_.serve;
    s.model = {"org/model", Origin::Flag, span};
    s.max_model_len = {Tokens{1'000'000}, Origin::Flag, span};
    s.memory_fraction = {0.999, Origin::Flag, span};
    s.quantization = {"awq", Origin::Flag, span};
    s.kv_dtype = {"fp8", Origin::Flag, span};
    s.dtype = {"bfloat16", Origin::Flag, span};
    s.trust_remote_code = {true, Origin::Flag, span};
    s.host = {"0.0.0.0", Origin::Flag, span};
    s.port = {8000, Origin::Flag, span};
    s.has_api_key = {false, Origin::Default};
    s.visible_devices = {"0,0,9", Origin::Environment, span};
  }

  void fill_in_model() {
    model_.from = ModelFrom::Directory;
    model_.folder = "/models/model";
    model_.architecture = {"Qwen2ForCausalLM", Origin::Config};
    model_.model_type = {"qwen2", Origin::Config};
    model_.dtype = {"bfloat16", Origin::Config};
    model_.generates = {true, Origin::Config};
    model_.layers = {28, Origin::Config};
    model_.hidden_size = {3584, Origin::Config};
    model_.intermediate_size = {18944, Origin::Config};
    model_.heads = {28, Origin::Config};
    model_.kv_heads = {4, Origin::Config};
    model_.head_dim = {128, Origin::Config};
    model_.vocab_size = {152064, Origin::Config};
    model_.experts = {0, Origin::Config};
    model_.max_positions = {Tokens{32768}, Origin::Config};
    model_.quantisation = {Quantisation{}, Origin::Config};
    model_.needs_remote_code = {false, Origin::Config};
    for (const FileState state : {FileState::Missing, FileState::Truncated, FileState::Pointer,
                                  FileState::Damaged, FileState::Extra}) {
      model_.files.push_back({.path = "model-0000" + std::to_string(model_.files.size()),
                              .bytes = Bytes{100},
                              .expected = Bytes{200},
                              .state = state,
                              .detail = {"cut short", "不完整"}});
    }
  }

  void fill_in_host() {
    host_.from = HostFrom::Live;
    host_.gpu_count = {2, Origin::Device};
    for (int i = 0; i < 2; ++i) {
      Gpu gpu;
      gpu.index = i;
      gpu.name = {"NVIDIA GeForce RTX 2080 Ti", Origin::Device};
      gpu.memory = {mib(11264), Origin::Device};
      gpu.usable = {mib(10800), Origin::Device};
      gpu.used = {mib(6000), Origin::Device};
      gpu.capability = {ComputeCapability{7, 5}, Origin::Device};
      host_.gpus.push_back(gpu);
    }
    host_.links.classes = {{"X", "NV2"}, {"NV2", "X"}};
    host_.shared_memory = {mib(64), Origin::Device};
    host_.used_ports = {{{.port = 8000, .address = "0.0.0.0"}}, Origin::Device};
  }

  Sources sources_;
  ModelSpec model_;
  HostSpec host_;
  Case c_;
};

// Launches that differ in what makes some rules silent.
std::vector<std::unique_ptr<Launch>> launches(std::string_view engine) {
  std::vector<std::unique_ptr<Launch>> launches;
  const auto add = [&]() -> Launch& {
    return *launches.emplace_back(std::make_unique<Launch>(engine));
  };
  add();
  Launch& secrets = add();
  secrets.add_use("--api-key", {"k"});
  secrets.add_use("--hf-token", {"k"});
  secrets.ask().serve.node_count = {1, Origin::Default};
  Launch& from_hub = add();
  from_hub.model() = {};
  from_hub.ask().serve.visible_devices = {};
  from_hub.ask().visible = {.known = true, .gpus = {0, 1}};
  from_hub.ask().command.environment.push_back(
      {.name = "HF_HUB_OFFLINE", .value = "1", .complete = true, .prefix = true});
  Launch& no_folder = add();
  no_folder.model() = {};
  no_folder.ask().serve.model = {"./gone", Origin::Flag};
  using enum FlagProblem::Kind;
  for (const auto kind : {Unknown, MissingValue, UnwantedValue, WrongType, NotAChoice, BadJson,
                          ExtraWord, ConfigUnreadable}) {
    Launch& launch = add();
    launch.add_use("--max-num-seqs", {"many"});
    launch.add_use("--max-num-seqs", {"4"});
    launch.add_problem(kind, "--max-num-seqs");
  }
  return launches;
}

class OfEngineTest : public testing::TestWithParam<std::string_view> {};

TEST_P(OfEngineTest, NoRuleNamesAnotherEngineOrAFlagOfOne) {
  const std::string_view engine = GetParam();
  std::set<std::string_view> speaking;
  for (const auto& launch : launches(engine)) {
    const Case& c = launch->ask();
    for (const Rule* rule : all()) {
      const bool ours =
          rule->engines.empty() || std::ranges::find(rule->engines, engine) != rule->engines.end();
      if (!ours || !std::ranges::all_of(rule->needs, [&c](Need need) { return met(need, c); }))
        continue;
      for (const Complaint& complaint : rule->check(c)) {
        speaking.insert(rule->code);
        for (const Language language : {Language::English, Language::Chinese}) {
          for (const std::string& text : said(complaint, language)) {
            SCOPED_TRACE(std::string(rule->code) + ": " + text);
            for (const std::string_view other : {"vllm", "sglang", "llamacpp"}) {
              if (other == engine) continue;
              EXPECT_EQ(text.find(shown_engine(other)), std::string::npos);
              EXPECT_EQ(text.find(other), std::string::npos);
            }
            EXPECT_EQ(text.find("VLLM_"), std::string::npos);
            for (const std::string& flag : flags_in(text)) {
              EXPECT_TRUE(of_other_programs(flag) || engine_has(engine, flag)) << flag;
            }
          }
        }
      }
    }
  }
  // A launch like these gives many rules something to say; else nothing was tested.
  EXPECT_GE(speaking.size(), engine == "sglang" ? 15U : 7U);
}

INSTANTIATE_TEST_SUITE_P(Engines, OfEngineTest, testing::Values("sglang", "llamacpp"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace sx
