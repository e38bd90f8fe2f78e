// What the command line and the environment ask of the fake engine.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace fake {

enum class Speaks { Vllm, Sglang, LlamaCpp };

struct Asked {
  Speaks as = Speaks::Vllm;
  std::string host = "127.0.0.1";
  int port = 8000;
  std::string model = "model";
  std::string name;     // that requests carry; empty in the command: the model as typed
  std::string key;      // requests must carry it; empty: none
  bool metrics = true;  // vLLM has them always, the others when a flag asks for them
  std::chrono::milliseconds stage{20};  // each stage of the start takes so long
  unsigned seed = 1;
  std::string plan;  // FAKE_ENGINE_PLAN
};

// --as, --stage-ms and --seed are ours (also FAKE_ENGINE_AS, …); everything else is read as the
// engine itself would, and what it does not know is passed over. Without --as the program's own
// name decides: vllm, sglang, llama-server.
Asked asked(int count, char** words);

const char* word(Speaks as);  // "vllm": names its folders of texts

}  // namespace fake
