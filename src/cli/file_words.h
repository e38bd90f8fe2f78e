// The words of a launch as its deployment file has them: what of the file says which word.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "read/toml.h"
#include "run/command_template.h"

namespace sx {

struct FileWord {
  // How another text would be written in its place.
  enum class Form {
    Item,     // a text in a list
    Shell,    // a word inside a text for a shell
    Setting,  // a key that says it in its own way: nothing is written there
  };
  std::string text;  // as the replica gets it
  Span span;
  Form form = Form::Item;
  bool literal = true;  // nothing of it was filled in: another text may stand there
};

// NAME=value; what another value would be written over is its value alone.
struct FileVariable {
  std::string text;
  Span whole, value;
  bool literal = true;
};

struct ModelWords {
  Span table = {};                           // of the model: its header, or where it begins
  std::vector<FileWord> words = {};          // of its command, in order
  std::vector<FileVariable> variables = {};  // of its environment
  std::optional<std::string> between_variables =
      {};  // what another one begins with; empty: no place
  std::vector<FileWord> settings =
      {};  // words that other keys say, wherever they stand in the launch
  std::vector<std::pair<std::string, Span>> named = {};  // variables that other keys set, by name
};

// Where [model] or the [[model]] of this index begins.
Span table_of_model(const TomlRead& file, std::size_t model);

// `values`: those of the replica that is launched.
ModelWords words_of_model(const Sources& sources, const TomlRead& file, std::size_t model,
                          const TemplateValues& values);

// For each word of a launch the word of the file that it is, by index. A value that was chosen for
// the launch (its port) stands where the file has its own.
std::vector<std::optional<std::size_t>> found_in(std::span<const FileWord> file,
                                                 std::span<const std::string> launch);

// For each of `some` the equal one of `others`, in the order of both and as many as can be; nothing
// where there are more of them than a launch has.
std::vector<std::optional<std::size_t>> same_words(std::span<const std::string> some,
                                                   std::span<const std::string> others);

}  // namespace sx
