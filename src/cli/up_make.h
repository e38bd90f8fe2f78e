// What `up` and `reload` share: the file is read and its mistakes shown, its models become one
// deployment, `check` is asked of every command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/up_ask.h"
#include "run/deployment_file.h"

namespace sx {

struct ReadFile {
  std::string path;  // whole; empty: there is no file
  DeploymentFile file;
  Sources sources;  // its text: places of `file` are places in it
};
// Every mistake in it is shown, underlined; nothing: it has some.
Result<std::optional<ReadFile>> read_file_of(const std::string& path, const Arguments& arguments,
                                             Session& session, Language language);

// Its places in the file, underlined.
std::string places_of(const FileFault& fault, const Sources& sources, const Arguments& arguments,
                      const Session& session, Language language);
void say_warning(const std::string& words, Language language, Session& session);

struct UpWanted {
  const Arguments& arguments;  // flags win over the file
  ReadFile read;
  UpAsk ask;            // of the deployment as a whole
  std::string program;  // our own, by path
  Language language = Language::English;
};
// What is passed on to engines, for all that come of one terminal.
DeploymentOrigin origin_here(const Outside& outside, const std::string& file);
Result<UpAsk> ask_of(const Arguments& arguments, const DeploymentFile& file,
                     DeploymentOrigin origin);

// Each model by itself, in the order of the file: what one takes is no other's. Nothing is written.
Result<std::vector<UpMade>> models_made(const UpWanted& wanted, Session& session);
// The deployment with the commands that will run; nothing has been written.
Result<UpMade> made_of(const UpWanted& wanted, Session& session);
// The same of models that are made already.
Result<UpMade> made_together(std::vector<UpMade> models, const UpWanted& wanted, Session& session);

// What flags and words asked for, as a deployment file; empty where there is one, and for a plan
// from elsewhere.
std::string file_of(const UpWanted& wanted, const UpMade& made);

// Asks `check`. False: it finds errors, they are said, and no --anyway REASON allows them; a reason
// is put into the deployment.
bool may_run(UpMade& made, const UpWanted& wanted, Session& session);

}  // namespace sx
