// Places in braces of a file's command: there is an end to them. And names that would be flags.
#include <gtest/gtest.h>

#include <string>

#include "run/deployment_file.h"

namespace sx {
namespace {

std::string first_fault(const std::string& command) {
  Sources sources;
  sources.add({.kind = SourceKind::File,
               .name = "sextant.toml",
               .text = "[model]\nid = \"m\"\ncommand = " + command + '\n'});
  const DeploymentRead read = read_deployment_file(sources, 0);
  return read.faults.empty() ? "" : rendered(read.faults.front().title, Language::English);
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

constexpr const char* kTooMany = "the command has more than 64 places in braces";

// Each is looked for from the beginning of its text: a file full of them took minutes.
TEST(DeploymentPlaces, MoreThanALaunchHasUseForAreRefusedInATextAndInWords) {
  EXPECT_EQ(first_fault("\"vllm serve " + repeated("'{model}' ", 64) + '"'), "");
  EXPECT_EQ(first_fault("\"vllm serve " + repeated("'{model}' ", 65) + '"'), kTooMany);
  EXPECT_EQ(first_fault("[\"vllm\"" + repeated(", \"{model}\"", 64) + ']'), "");
  EXPECT_EQ(first_fault("[\"vllm\"" + repeated(", \"{model}\"", 65) + ']'), kTooMany);
}

TEST(DeploymentPlaces, ThoseThatStandForNothingAreNotToldOneByOneWithoutEnd) {
  Sources sources;
  sources.add({.kind = SourceKind::File,
               .name = "sextant.toml",
               .text = "[model]\nid = \"m\"\ncommand = \"vllm serve {model} " +
                       repeated("{zzzzzz}", 20'000) + "\"\n"});
  EXPECT_LE(read_deployment_file(sources, 0).faults.size(), 64U);
}

// `sextant plan` is given it as a word, and so are engines.
TEST(DeploymentModel, ANameIsNoFlag) {
  const auto fault_of = [](const std::string& id) {
    Sources sources;
    sources.add({.kind = SourceKind::File,
                 .name = "sextant.toml",
                 .text = "[model]\nid = \"" + id + "\"\n"});
    const DeploymentRead read = read_deployment_file(sources, 0);
    return read.faults.empty() ? "" : rendered(read.faults.front().title, Language::English);
  };
  for (const char* id : {"--help", "--online", "-", "--"})
    EXPECT_EQ(fault_of(id), "model.id begins with a dash") << id;
  for (const char* id : {"./--help", "a-b/c--d", "m"}) EXPECT_EQ(fault_of(id), "") << id;
}

}  // namespace
}  // namespace sx
