// Variables that are handed down to what is started, by who reads them: names, and beginnings of
// families whose members are too many for a table (data/passed_variables.tsv).
#pragma once

#include <string_view>

namespace sx {

enum class VariableReader {
  Program,          // any: where its files are, how it speaks to people
  Network,          // whoever fetches something
  Engine,           // and the libraries below it
  ContainerClient,  // which daemon docker or podman asks, and with whose rights
};

bool reads_variable(VariableReader reader, std::string_view variable);

}  // namespace sx
