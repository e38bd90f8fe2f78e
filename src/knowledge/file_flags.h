// Flags whose value is a file that has to be there (data/file_flags.tsv).
#pragma once

#include <span>
#include <string_view>

namespace sx {

struct FileFlag {
  // The name of one file; names with a comma between; a file, or else a template's own text or
  // the name of one that the engine brings along.
  enum class Form { File, Files, Template };

  std::string_view flag;  // the engine's own name: "--chat-template"
  Form form = Form::File;
  bool late = false;         // opened when the weights are loaded, not as the server starts
  std::string_view words;    // what it says then, as a quotation; empty: not known
  std::string_view brought;  // how names of files that it brings along begin; empty: none
};

std::span<const FileFlag> file_flags(std::string_view engine);
// By the engine's own name; null when its value is no file.
const FileFlag* find_file_flag(std::string_view engine, std::string_view flag);

}  // namespace sx
