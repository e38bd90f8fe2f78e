// Flags of three engines, as far as a supervisor sees them.
#include "fake_engine/asked.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

namespace fake {
namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Flags {
  std::map<std::string, std::string> values;  // "--port" → "8000"; a bare flag has an empty one
  std::vector<std::string> plain;             // words that belong to no flag

  std::optional<std::string> first(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (const auto found = values.find(name); found != values.end()) return found->second;
    }
    return std::nullopt;
  }
};

// `--flag value`, `--flag=value`, `--flag`. A word after a flag is its value unless it is a flag.
Flags flags_of(int count, char** words) {
  Flags flags;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word.size() < 2 || word.front() != '-') {
      flags.plain.push_back(std::move(word));
      continue;
    }
    if (const auto equals = word.find('='); equals != std::string::npos) {
      flags.values[word.substr(0, equals)] = word.substr(equals + 1);
      continue;
    }
    const bool has_value = i + 1 < count && (words[i + 1][0] != '-' || words[i + 1][1] == '\0');
    flags.values[word] = has_value ? words[++i] : "";
  }
  return flags;
}

Speaks speaks(const std::string& as, std::string program) {
  if (const auto slash = program.rfind('/'); slash != std::string::npos)
    program.erase(0, slash + 1);
  const std::string& said = as.empty() ? program : as;
  if (said.find("sglang") != std::string::npos) return Speaks::Sglang;
  if (said.find("llama") != std::string::npos) return Speaks::LlamaCpp;
  return Speaks::Vllm;
}

// Behind `serve`, where an engine takes it there.
std::string positional_model(const Flags& flags) {
  const auto& plain = flags.plain;
  if (plain.size() >= 2 && plain[0] == "serve") return plain[1];
  return "";
}

// The first of those that it would take; a file has one on its first line.
std::string key_of(const Flags& flags, Speaks as) {
  if (const auto key = flags.first({"--api-key"})) return *key;
  if (as == Speaks::Vllm) return from_environment("VLLM_API_KEY");
  if (as == Speaks::Sglang) return "";
  std::string key = from_environment("LLAMA_API_KEY");
  if (const auto file = flags.first({"--api-key-file"}); file && key.empty()) {
    std::ifstream lines(*file);
    std::getline(lines, key);
  }
  return key;
}

int number(const std::string& text, int otherwise) {
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

}  // namespace

const char* word(Speaks as) {
  switch (as) {
    case Speaks::Sglang:
      return "sglang";
    case Speaks::LlamaCpp:
      return "llamacpp";
    case Speaks::Vllm:
      break;
  }
  return "vllm";
}

Asked asked(int count, char** words) {
  const Flags flags = flags_of(count, words);
  Asked all;
  all.as = speaks(flags.first({"--as"}).value_or(from_environment("FAKE_ENGINE_AS")), words[0]);
  const bool llama = all.as == Speaks::LlamaCpp;
  const bool sglang = all.as == Speaks::Sglang;
  all.host = flags.first({"--host"}).value_or(all.host);
  if (all.host == "localhost") all.host = "127.0.0.1";
  const char* port = llama ? "8080" : sglang ? "30000" : "8000";
  all.port = number(flags.first({"--port"}).value_or(port), 0);
  all.model = flags.first({"--model-path", "--model", "-m"}).value_or(positional_model(flags));
  if (all.model.empty()) all.model = "model";
  all.name = flags.first({"--served-model-name", "--alias", "-a"}).value_or(all.model);
  all.key = key_of(flags, all.as);
  if (llama) all.metrics = flags.first({"--metrics"}).has_value();
  if (sglang) all.metrics = flags.first({"--enable-metrics"}).has_value();
  const auto ours = [&](const char* flag, const char* variable, int otherwise) {
    return number(flags.first({flag}).value_or(from_environment(variable)), otherwise);
  };
  all.stage = std::chrono::milliseconds(ours("--stage-ms", "FAKE_ENGINE_STAGE_MS", 20));
  all.seed = static_cast<unsigned>(ours("--seed", "FAKE_ENGINE_SEED", 1));
  all.plan = from_environment("FAKE_ENGINE_PLAN");
  return all;
}

}  // namespace fake
