// What engines, libraries and kernels write when something is wrong, and the lines that tell how
// far they have come (data/causes/signatures.tsv, data/engines/<engine>/logs.tsv).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace sx {

enum class SignatureKind {
  Root,     // says what it failed of
  Symptom,  // says that something failed, not why; an answer only where nothing better is said
  Request,  // one request was refused; the server is well
  Wrapper,  // passes on a failure that somebody else had: never an answer
  Noise,    // frightens, and means nothing
  Stage,    // how far a process has come
  Mark,     // a fact that tells causes apart: a function in a traceback, a setting, a library
  Quote,    // repeats what a client sent: nothing in this line is the engine's own
};

enum class Certainty { Certain, Likely, Possible };

struct SignatureRow {
  std::string_view id;      // "vllm-heads"
  std::string_view engine;  // "vllm", "nccl", "kernel" …: who writes it; empty: anyone
  SignatureKind kind = SignatureKind::Root;
  // Of a root, symptom, request: the cause (or what a refinement starts from). Of a stage: which.
  // Of a mark: its name. Of noise and quotes: nothing.
  std::string_view cause;
  Certainty certainty = Certainty::Likely;
  int rank = 10;  // how far from the root: 0 is the root itself, 90 the last echo
  // One of these stands in each line that the pattern matches.
  std::vector<std::string_view> literals;
  std::string_view pattern;  // PCRE, of the words without the front of the line
  std::optional<Version> since, until;
  std::string_view example;
  std::string_view source;
};

std::span<const SignatureRow> signatures();

// How one reading of a line becomes a narrower one (data/causes/refinements.tsv).
struct RefinementRow {
  std::string_view from;               // a cause
  std::vector<std::string_view> when;  // all of them hold: "phase:capture", "near:frame-vision" …
  std::string_view to;                 // a cause; empty: no cause at all
  std::optional<Certainty> certainty;  // empty: as before
  std::string_view at;                 // the mark whose line says it; empty: the line itself
  std::string_view source;
};

std::span<const RefinementRow> refinements();

}  // namespace sx
