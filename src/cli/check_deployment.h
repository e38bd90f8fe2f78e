// `check -f sextant.toml`: every model of a deployment file made into its launches as `up` makes
// them, and what is found said of the places in the file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_words.h"
#include "diag/render.h"
#include "gather/gather_case.h"

namespace sx {

// The words of the launches stand in one text that was made to be gathered: source 0.
struct DeploymentLaunch {
  ModelWords model;
  Span made;                               // all of it in that text
  std::vector<Span> words;                 // its words there
  std::vector<std::optional<Span>> found;  // of each: where the file says it
};

struct DeploymentCases {
  std::unique_ptr<GatheredCases> cases;
  Sources file;                            // the deployment file, source 0
  std::vector<DeploymentLaunch> launches;  // one a case, in their order
};

// By its name and what it holds; standard input is none.
bool is_deployment_file(const std::string& file, const Outside& outside);

// Nothing: the file has mistakes, and they are said.
Result<std::optional<DeploymentCases>> deployment_cases(const std::string& file,
                                                        const Arguments& arguments,
                                                        Session& session, const Outside& asked,
                                                        Language language);

// The place in the file of a span of the made text; nothing: no word of the file says it.
std::optional<Span> place_in_file(const std::vector<DeploymentLaunch>& launches, const Span& span);

// What is said of that launch: its places and its edits are the file's from then on.
void put_into_file(LaunchAnswer& answer, std::size_t launch, const DeploymentCases& deployment);

// The texts of the answer: the file in the place of the made text, without keys and tokens.
Sources shown_sources(const DeploymentCases& deployment);

}  // namespace sx
