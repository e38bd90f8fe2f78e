// Pasted texts as machines, and machine files written and read back.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "gather/gather_host.h"
#include "gather/host_file.h"

namespace sx {
namespace {

Result<HostSpec> of_text(const std::string& text) {
  Sources sources;
  MemoryFiles files;
  files.add("/m.txt", text);
  Outside outside;
  outside.files = &files;
  return gather_host(sources, {.on = "/m.txt"}, outside);
}

std::vector<std::string> topology_names() {
  std::vector<std::string> names;
  std::error_code error;
  const std::string folder = std::string(SEXTANT_SOURCE_DIR) + "/tests/cases/topology";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().string());
  }
  return names;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(HostText, TheTextsOwnValuesWinOverTheCatalogue) {
  const auto host = of_text(
      "index, name, memory.total [MiB], memory.used [MiB], driver_version\n"
      "0, NVIDIA GeForce RTX 4090, 49140 MiB, 1000 MiB, 570.1\n");
  ASSERT_TRUE(host) << host.error().what;
  const Gpu& gpu = host->gpus.at(0);
  EXPECT_EQ(gpu.memory.value(), mib(49140));
  EXPECT_EQ(gpu.memory.origin(), Origin::Device);
  EXPECT_EQ(gpu.used.value(), mib(1000));
  EXPECT_EQ(gpu.capability.value(), (ComputeCapability{8, 9}));
  EXPECT_EQ(host->driver.value(), "570.1");
  EXPECT_EQ(host->from, HostFrom::File);
}

TEST(HostText, ACutNameIsMadeWholeByItsMemory) {
  const auto host = of_text(
      "|   0  NVIDIA A100-SXM...  On   | 00000000:1A:00.0 Off |                    0 |\n"
      "| N/A   38C    P0    42W / 400W |      0MiB / 40960MiB |      0%      Default |\n");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->gpus.at(0).name.value_or(""), "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(host->assumed.size(), 1U);
}

TEST(HostText, ACutNameOfSeveralCardsStaysUnknown) {
  const auto host = of_text(
      "|   0  NVIDIA ...  On   | 00000000:1A:00.0 Off |                    0 |\n"
      "| N/A   38C    P0    42W / 400W |      0MiB / 46068MiB |      0%      Default |\n");
  ASSERT_TRUE(host);
  EXPECT_FALSE(host->gpus.at(0).name.known());
  EXPECT_EQ(host->gpus.at(0).memory.value(), mib(46068));
}

TEST(HostText, AMatrixAloneTellsLinksAndNodes) {
  const auto host = of_text(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t0-7\t0-1\nGPU1\tSYS\t X "
      "\t\tN/A\n");
  ASSERT_TRUE(host) << host.error().what;
  EXPECT_EQ(host->gpu_count.value(), 2);
  EXPECT_FALSE(host->gpus[0].name.known());
  EXPECT_EQ(host->gpus[0].numa.value(), 0);
  EXPECT_FALSE(host->gpus[1].numa.known());
  EXPECT_EQ(host->gpus[0].nvlink.value(), false);
}

TEST(HostText, AMatrixOfAnotherCountIsNotUsed) {
  const auto host = of_text(
      "GPU 0: NVIDIA L4 (UUID: GPU-1)\n\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0\nGPU1\tSYS\t "
      "X \t0\n");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->gpus.size(), 1U);
  EXPECT_FALSE(host->links.known());
  EXPECT_FALSE(host->links.why_unknown.empty());
}

TEST(HostText, WhatCouldNotBeReadIsListed) {
  const auto host = of_text("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0\nGPU1\tSY\n");
  ASSERT_TRUE(host);
  bool listed = false;
  for (const auto& [what, why] : host->unknown) listed = listed || what == "text";
  EXPECT_TRUE(listed);
}

TEST(HostText, StandardInputIsATextToo) {
  Sources sources;
  Outside outside;
  EXPECT_FALSE(gather_host(sources, {.on = "-"}, outside));
  outside.standard_input = [] { return Result<std::string>("GPU 0: NVIDIA L4 (UUID: GPU-1)\n"); };
  const auto host = gather_host(sources, {.on = "-"}, outside);
  ASSERT_TRUE(host);
  EXPECT_EQ(host->gpus.size(), 1U);
}

// ---------------------------------------------------------------- machine files

Result<HostSpec> read_back(const std::string& text) {
  Sources sources;
  const int source = sources.add({.name = "m.json", .text = text});
  return host_from_json(sources, source);
}

void expect_round_trip(const HostSpec& host, const std::string& what) {
  const std::string once = host_to_json(host);
  const auto back = read_back(once);
  ASSERT_TRUE(back) << what << ": " << back.error().what;
  HostSpec again = *back;
  EXPECT_EQ(again.from, HostFrom::File);
  again.from = host.from;
  EXPECT_EQ(host_to_json(again), once) << what;
}

TEST(HostFile, EveryMachineComesBackAsItWas) {
  for (const char* name :
       {"A100", "6xA100-PCIE-40GB", "2xH100-SXM+2xL40S", "Tesla T4", "64xB200"}) {
    expect_round_trip(parse_machine_name(name).value(), name);
  }
  for (const std::string& path : topology_names()) {
    const auto host = of_text(read_whole(path));
    ASSERT_TRUE(host) << path;
    expect_round_trip(*host, path);
  }
}

TEST(HostFile, FactsOfALiveMachineComeBack) {
  HostSpec host = parse_machine_name("2xL4").value();
  host.used_ports = {{{8000, "127.0.0.1"}, {22, "::"}}, Origin::Device};
  host.memory = {gib(512), Origin::Device};
  host.open_files = {1024, Origin::Device};
  host.container = {true, Origin::Device};
  host.gpus[0].power_limit_w = {72.5, Origin::Device};
  host.gpus[1].pci = "00000000:1A:00.0";
  host.links.classes = {{"X", ""}, {"SYS", "X"}};
  host.environment = {{"NCCL_DEBUG", "INFO \"quoted\" \xff"},
                      {"HF_TOKEN", "hf_secret"},
                      {"VLLM_API_KEY", "secret"}};
  list_unknown(host);
  expect_round_trip(host, "live");
  const auto back = read_back(host_to_json(host));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->used_ports.value().at(1).address, "::");
  EXPECT_EQ(back->links.classes.at(0).at(1), "");
  EXPECT_EQ(back->gpus[0].usable.origin(), host.gpus[0].usable.origin());
}

TEST(HostFile, SecretsAreNotWritten) {
  HostSpec host;
  host.environment = {{"NCCL_DEBUG", "INFO"},
                      {"HF_TOKEN", "hf_x"},
                      {"VLLM_API_KEY", "y"},
                      {"AWS_ID", "z"},
                      {"CUDA_PASSWD", "w"}};
  const auto back = read_back(host_to_json(host));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->environment.size(), 1U);
  EXPECT_EQ(back->environment[0].first, "NCCL_DEBUG");
}

TEST(HostFile, AHandWrittenFileIsCompletedFromTheCatalogue) {
  const auto host = read_back(
      R"({"schema": "sextant.host/1", "gpus": [{"name": "NVIDIA L40S"}, {"name": "NVIDIA L40S"}]})");
  ASSERT_TRUE(host) << host.error().what;
  EXPECT_EQ(host->gpu_count.value(), 2);
  EXPECT_EQ(host->gpus[1].index, 1);
  EXPECT_EQ(host->gpus[1].memory.value(), mib(46068));
  EXPECT_TRUE(host->gpus[1].usable.known());
}

TEST(HostFile, NoGpusAndNotLookedAreTwoThings) {
  const auto none = read_back(R"({"schema": "sextant.host/1", "gpu_count": 0, "gpus": []})");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->gpu_count.value(), 0);
  const auto unknown = read_back(
      R"({"schema": "sextant.host/1", "gpu_count": null, "gpus": [], "unknown": [{"what": "gpus", "why": "no NVML"}]})");
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(unknown->gpu_count.known());
  EXPECT_EQ(rendered(unknown->gpu_count.why_unknown(), Language::English), "no NVML");
}

TEST(HostFile, WrongFilesAreRefusedInWords) {
  for (
      const char* text :
      {"", "[]", "{}", "{\"schema\": 1}", R"({"schema": "sextant.host/2"})",
       R"({"schema": "sextant.plan/1"})", R"({"schema": "sextant.host/1", "gpus": 4})",
       R"({"schema": "sextant.host/1", "gpus": [4]})",
       R"({"schema": "sextant.host/1", "gpus": [{"index": 1}, {"index": 1}]})",
       R"({"schema": "sextant.host/1", "gpus": [{}], "links": {"classes": [["X", "SYS"]]}})",
       R"({"schema": "sextant.host/1", "gpus": [{}], "links": {"classes": "X"}})",
       R"({"schema": "sextant.host/1", "gpus": [{}], "links": {"p2p": [["a word that is far too long"]]}})"}) {
    const auto host = read_back(text);
    ASSERT_FALSE(host) << text;
    EXPECT_FALSE(host.error().what.empty()) << text;
  }
}

TEST(HostFile, OddValuesAreUnknownAndNotZero) {
  const auto host = read_back(
      R"({"schema": "sextant.host/1", "gpus": [{"index": 0, "memory_bytes": -5, "usable_bytes": "many", "cc": 8.0,
      "numa": 1e30, "mig": "no"}], "memory": 7, "ports": [{"port": 99999}, 5, null], "nics": {"a": 1}, "environment": [3], "cpus": 1e99})");
  ASSERT_TRUE(host) << host.error().what;
  const Gpu& gpu = host->gpus.at(0);
  EXPECT_FALSE(gpu.memory.known());
  EXPECT_FALSE(gpu.usable.known());
  EXPECT_FALSE(gpu.capability.known());
  EXPECT_FALSE(gpu.numa.known());
  EXPECT_FALSE(gpu.mig.known());
  EXPECT_FALSE(host->cpu_count.known());
  EXPECT_TRUE(host->used_ports.value().empty());
}

TEST(HostFile, EveryPrefixOfAFileIsAnsweredOrRefused) {
  const std::string text = host_to_json(parse_machine_name("2xL4").value());
  for (std::size_t length = 0; length + 1 < text.size(); length += 3) {
    const auto host = read_back(text.substr(0, length));
    EXPECT_FALSE(host) << length;
  }
}

TEST(HostFile, APickIsWrittenInItsPlace) {
  HostSpec host = parse_machine_name("2xL4").value();
  host.links.classes = {{"X", "PHB"}, {"PHB", "X"}};
  const std::string text = host_to_json(host, best_gpus(host, 2), 2);
  EXPECT_NE(text.find(R"("weakest": "PHB")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("ties": 1)"), std::string::npos);
  EXPECT_TRUE(read_back(text));
}

}  // namespace
}  // namespace sx
