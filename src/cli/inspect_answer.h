// What `sextant inspect` found, before it is said as text or as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"
#include "facts/model_spec.h"
#include "fit/weights.h"
#include "gather/downloads.h"
#include "gather/pipeline.h"
#include "gather/verify.h"

namespace sx {

// One tensor-parallel size: it splits the model, or the first rule that says no.
struct SplitRow {
  int tensor = 1;
  std::string code, name;  // empty: it splits
  Message why;
};

// One GPU of a replica.
struct RankRow {
  int gpu = 0;
  int stage = 0;
  int rank = 0;  // within the stage
  int layers = 0;
  RankWeights weights;
};

struct Ranks {
  int tensor = 1, pipeline = 1;
  std::vector<RankRow> rows;
  Message why_none;  // when there are no rows
};

struct Inspection {
  ModelSpec model;
  std::string engine;  // whose rules decide about splits
  std::string version;
  std::vector<SplitRow> splits;     // empty: the model's shape is not known
  std::optional<Ranks> ranks;       // asked for by --tp or --pp
  std::vector<PipelinePart> parts;  // of a diffusion pipeline
  DownloadPlace download;
  std::vector<std::string> commands;  // that make the checkpoint whole
  std::optional<Verification> verified;
  std::vector<Message> problems;  // of the checkpoint as a whole
  bool damaged = false;
};

// A fact of the model as it is shown.
struct ShownFact {
  std::string_view key;  // of the JSON
  Text title;
  std::optional<Value> value;  // empty: not known
  std::optional<bool> yes;     // of facts that are true or false; then `value` is their word
  Origin origin = Origin::Assumed;
  Message why_unknown;
  bool absent = false;  // known that the model has no such part
};
std::vector<ShownFact> facts_of(const ModelSpec& model);

// False: a pipeline that makes pictures; engines of language models do not run it.
bool makes_text(const Inspection& found);

// The words of the machine format: ok truncated missing extra damaged pointer unreadable.
std::string_view state_word(FileState state);

std::string inspect_text(const Inspection& found, bool why, const Style& style);
std::string inspect_json(const Inspection& found);

}  // namespace sx
