// Words that the rules about weight files share.
#pragma once

#include <string>
#include <vector>

#include "check/rule.h"

namespace sx::rules {

// Whether this launch reads the weight files of the folder as they are; `--load-format dummy` does
// not.
bool loads_weight_files(const ServeSpec& serve);

std::vector<const WeightFile*> files_in_state(const ModelSpec& model, FileState state);

// How many files the checkpoint consists of: those passed over are no part of it.
int files_of_checkpoint(const ModelSpec& model);

// "a, b, c" of the first three, and how many are left.
struct NamedFiles {
  std::string names;
  int more = 0;
};
NamedFiles named(const std::vector<const WeightFile*>& files);

// Underlines the model and says what its own words do not: which folder it is, which files where
// the title names none.
void mark_files(const Case& c, Diagnostic& d, const std::vector<const WeightFile*>& files);

// "in FOLDER"; nothing where the user typed that folder.
Message folder_words(const Case& c);

// How to get files that are not there, and how to get others in the place of damaged ones: by the
// tools of the hubs, with what is known of the model's name.
Message fetch_missing(const Case& c);
Message fetch_anew(const Case& c, const std::vector<const WeightFile*>& files);
Message fetch_index(const Case& c);

}  // namespace sx::rules
