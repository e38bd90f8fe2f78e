// Rows for all programs hold for podman and nerdctl, too; kubectl has its own alone.
#include "knowledge/docker_options.h"

#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

DockerVerb verb_of(std::string_view cell) {
  if (cell == "global") return DockerVerb::Global;
  return cell == "exec" ? DockerVerb::Exec : DockerVerb::Run;
}

std::vector<DockerOption> read_options() {
  const Table table(table_bytes("data/docker_options.tsv"));
  std::vector<DockerOption> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto letter = table.cell(row, "short");
    all.push_back({.verb = verb_of(table.cell(row, "verb")),
                   .name = table.cell(row, "name"),
                   .short_name = letter.size() == 2 ? letter[1] : '\0',
                   .takes_value = table.cell(row, "value") == "yes",
                   .program = table.cell(row, "program")});
  }
  return all;
}

const std::vector<DockerOption>& options() {
  static const std::vector<DockerOption> all = read_options();
  return all;
}

bool has(std::string_view program, const DockerOption& option) {
  return option.program == program || (option.program == "all" && program != "kubectl");
}

template <class Matches>
const DockerOption* find(DockerVerb verb, std::string_view program, Matches matches) {
  for (const DockerOption& option : options()) {
    if (option.verb == verb && has(program, option) && matches(option)) return &option;
  }
  return nullptr;
}

}  // namespace

const DockerOption* find_docker_option(DockerVerb verb, std::string_view program,
                                       std::string_view name) {
  return find(verb, program, [&](const DockerOption& option) { return option.name == name; });
}

const DockerOption* find_docker_option(DockerVerb verb, std::string_view program, char short_name) {
  return find(verb, program,
              [&](const DockerOption& option) { return option.short_name == short_name; });
}

std::vector<std::string_view> docker_option_names(DockerVerb verb, std::string_view program) {
  std::vector<std::string_view> names;
  for (const DockerOption& option : options()) {
    if (option.verb == verb && has(program, option)) names.push_back(option.name);
  }
  return names;
}

}  // namespace sx
