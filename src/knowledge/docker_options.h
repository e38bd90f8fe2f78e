// The options of what starts a container (data/docker_options.tsv).
#pragma once

#include <string_view>
#include <vector>

namespace sx {

enum class DockerVerb {
  Global,
  Run,
  Exec
};  // options in front of the verb; of run and create; of exec

struct DockerOption {
  DockerVerb verb = DockerVerb::Run;
  std::string_view name;  // "--gpus"
  char short_name = 0;    // 'e' of -e; 0: none
  bool takes_value = false;
  std::string_view program;  // "all", or the one program that has it: "podman"
};

// By its long name with dashes; null when the program has none such. "--net" is a name of its own.
const DockerOption* find_docker_option(DockerVerb verb, std::string_view program,
                                       std::string_view name);
const DockerOption* find_docker_option(DockerVerb verb, std::string_view program, char short_name);
// The long names that it has.
std::vector<std::string_view> docker_option_names(DockerVerb verb, std::string_view program);

}  // namespace sx
