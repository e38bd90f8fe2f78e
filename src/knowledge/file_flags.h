// Flags whose value is a file or a folder that has to be there (data/file_flags.tsv).
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace sx {

struct FileFlag {
  enum class Form {
    File,      // the name of one file
    Files,     // names with a comma between
    Scaled,    // the same, each with a colon and a number behind it
    Named,     // words NAME=PATH; a path that may be a repository's name is none
    Folder,    // the name of a folder
    Template,  // a file, or else a template's own text or the name of one that the engine brings
  };

  std::string_view flag;  // the engine's own name: "--chat-template"
  Form form = Form::File;
  bool late = false;         // opened when the weights are loaded, not as the server starts
  std::string_view words;    // what it says then, as a quotation
  std::string_view brought;  // how names of files that it brings along begin; empty: none
  std::vector<std::string_view> unless;  // flags that fetch the file: it is not opened then
  std::string_view needs;                // a flag without which it is not opened; empty: none
};

std::span<const FileFlag> file_flags(std::string_view engine);
// By the engine's own name; null when its value is no file.
const FileFlag* find_file_flag(std::string_view engine, std::string_view flag);

}  // namespace sx
