// Machines that are only named, and what the person says on top of them.
#include <gtest/gtest.h>

#include "gather/gather_host.h"

namespace sx {
namespace {

Result<HostSpec> gathered(HostAsk ask, const MemoryFiles& files = {}) {
  Sources sources;
  Outside outside;
  outside.files = &files;
  outside.folder = "/home/user";
  return gather_host(sources, ask, outside);
}

TEST(HostNamed, ACountAndACard) {
  const auto host = parse_machine_name("6xA100-PCIE-40GB");
  ASSERT_TRUE(host) << host.error().what;
  EXPECT_EQ(host->from, HostFrom::Named);
  EXPECT_EQ(host->name, "6xA100-PCIE-40GB");
  EXPECT_EQ(host->gpu_count.value(), 6);
  ASSERT_EQ(host->gpus.size(), 6U);
  const Gpu& last = host->gpus[5];
  EXPECT_EQ(last.index, 5);
  EXPECT_EQ(last.name.value(), "NVIDIA A100-PCIE-40GB");
  EXPECT_EQ(last.memory.value(), mib(40960));
  EXPECT_EQ(last.capability.value(), (ComputeCapability{8, 0}));
  EXPECT_EQ(last.bf16.value(), true);
  EXPECT_EQ(last.fp8.value(), false);
  EXPECT_TRUE(host->uniform());
  EXPECT_TRUE(host->assumed.empty());
}

TEST(HostNamed, SpellingsOfOneMachine) {
  for (const char* text :
       {"4xL40S", "4XL40S", "4 x L40S", "4*L40S", "4\u00d7L40S", " 4xl40s ", "4xNVIDIA L40S"}) {
    const auto host = parse_machine_name(text);
    ASSERT_TRUE(host) << text;
    EXPECT_EQ(host->gpus.size(), 4U) << text;
    EXPECT_EQ(host->gpus[0].name.value(), "NVIDIA L40S") << text;
  }
  const auto one = parse_machine_name("4090");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->gpus.size(), 1U);
}

TEST(HostNamed, SeveralKindsInOrder) {
  const auto host = parse_machine_name("2xH100-SXM + 2xL40S");
  ASSERT_TRUE(host) << host.error().what;
  ASSERT_EQ(host->gpus.size(), 4U);
  EXPECT_EQ(host->gpus[3].index, 3);
  EXPECT_EQ(host->gpus[3].name.value(), "NVIDIA L40S");
  EXPECT_FALSE(host->uniform());
}

TEST(HostNamed, TheRuntimeSeesLessThanTheTotal) {
  const auto measured = parse_machine_name("A100-PCIE-40GB");
  ASSERT_TRUE(measured);
  const Gpu& known = measured->gpus[0];
  EXPECT_NEAR(in_gib(known.memory.value() - known.usable.value()), 0.61, 0.001);
  EXPECT_EQ(known.usable.origin(), Origin::Measured);
  EXPECT_EQ(known.usable_low.value(), known.usable_high.value());

  const auto assumed = parse_machine_name("Tesla P100-PCIE-16GB");  // no row says what is held back
  ASSERT_TRUE(assumed);
  const Gpu& band = assumed->gpus[0];
  EXPECT_EQ(band.usable.origin(), Origin::Assumed);
  EXPECT_LT(band.usable_low.value(), band.usable.value());
  EXPECT_LT(band.usable.value(), band.usable_high.value());
  EXPECT_LT(band.usable_high.value(), band.memory.value());
}

TEST(HostNamed, AnAmbiguousNameSaysWhatWasTaken) {
  const auto host = parse_machine_name("2xA100");
  ASSERT_TRUE(host);
  ASSERT_EQ(host->assumed.size(), 1U);
  EXPECT_NE(rendered(host->assumed[0], Language::English).find("NVIDIA A100-SXM4-80GB"),
            std::string::npos);
  EXPECT_EQ(host->gpus[0].memory.origin(), Origin::Assumed);
}

TEST(HostNamed, NVLinkIsKnownByTheBoardOnly) {
  EXPECT_EQ(parse_machine_name("A100-SXM4-80GB")->gpus[0].nvlink.value_or(false), true);
  EXPECT_EQ(parse_machine_name("L40S")->gpus[0].nvlink.value_or(true), false);
  EXPECT_FALSE(parse_machine_name("A100-PCIE-40GB")->gpus[0].nvlink.known());
}

TEST(HostNamed, WhatANameCannotTellIsUnknownWithAReason) {
  const auto host = parse_machine_name("4xL40S");
  ASSERT_TRUE(host);
  EXPECT_FALSE(host->links.known());
  EXPECT_NE(rendered(host->links.why_unknown, Language::English).find("--topology"),
            std::string::npos);
  EXPECT_FALSE(host->shared_memory.known());
  EXPECT_FALSE(host->driver.known());
  EXPECT_FALSE(host->used_ports.known());
  EXPECT_FALSE(host->gpus[0].used.known());
  EXPECT_FALSE(host->unknown.empty());
}

TEST(HostNamed, WrongNamesAreUsageErrors) {
  for (const char* text : {"", "x", "4x", "0xL40S", "65xL40S", "999999999999999999999xL40S",
                           "40xL40S+40xL40S", "4xL40S+", "4xNoSuchCard", "+", "-", "\xff\xfe"}) {
    const auto host = parse_machine_name(text);
    ASSERT_FALSE(host) << text;
    EXPECT_EQ(host.error().kind, Error::Kind::Usage) << text;
  }
  EXPECT_FALSE(parse_machine_name(std::string(100000, '9')));
  const auto typo = parse_machine_name("4xL40SS");
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().what.find("L40S"), std::string::npos);
}

TEST(HostNamed, SizesCountInPowersOfTwo) {
  EXPECT_EQ(parse_bytes("64MiB").value(), mib(64));
  EXPECT_EQ(parse_bytes("16g").value(), gib(16));
  EXPECT_EQ(parse_bytes("1.5GB").value(), mib(1536));
  EXPECT_EQ(parse_bytes("1024").value(), kib(1));
  EXPECT_EQ(parse_bytes(" 2 GiB ").value(), gib(2));
  EXPECT_EQ(parse_bytes("0").value(), Bytes{0});
  for (const char* text :
       {"", "g", "-1g", "1x", "1.2.3g", "1e5", "nan", "inf", "99999999999t", "1 2"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(HostNamed, FlagsSetWhatTheySay) {
  const auto host = gathered({.on = "2xL40S",
                              .driver = "550.54.15",
                              .cuda = "12.4",
                              .shm = "64m",
                              .free = "0=20GiB,1=18"});
  ASSERT_TRUE(host) << host.error().what;
  EXPECT_EQ(host->driver.value(), "550.54.15");
  EXPECT_EQ(host->driver.origin(), Origin::Flag);
  EXPECT_EQ(host->cuda.value(), "12.4");
  EXPECT_EQ(host->shared_memory.value(), mib(64));
  EXPECT_EQ(host->gpus[0].used.value(), mib(46068) - gib(20));
  EXPECT_EQ(host->gpus[1].used.value(), mib(46068) - gib(18));
  for (const auto& [what, why] : host->unknown) EXPECT_NE(what, "driver");
}

TEST(HostNamed, WrongFlagsNameTheFlag) {
  const auto wrong = [](HostAsk ask, std::string_view flag) {
    ask.on = "2xL40S";
    const auto host = gathered(ask);
    ASSERT_FALSE(host) << flag;
    EXPECT_EQ(host.error().kind, Error::Kind::Usage);
    EXPECT_NE(host.error().what.find(flag), std::string::npos) << host.error().what;
    EXPECT_NE(host.error().chinese.find(flag), std::string::npos) << host.error().chinese;
  };
  wrong({.driver = "new"}, "--driver");
  wrong({.driver = ""}, "--driver");
  wrong({.cuda = "12..4"}, "--cuda");
  wrong({.shm = "big"}, "--shm");
  wrong({.free = "20GiB"}, "--free");
  wrong({.free = "7=20GiB"}, "--free");
  wrong({.free = "0=900GiB"}, "--free");
  wrong({.free = "0=x"}, "--free");
  wrong({.free = "0=20GiB,"}, "--free");
}

TEST(HostNamed, ATopologyFileGivesTheLinks) {
  MemoryFiles files;
  files.add("/home/user/topo.txt",
            "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\t0-7\t0\nGPU1\tNV4\t X "
            "\t8-15\t1\n");
  files.add("/home/user/other.txt", "hello\n");
  const auto host = gathered({.on = "2xRTX3090", .topology = "topo.txt"}, files);
  ASSERT_TRUE(host) << host.error().what;
  EXPECT_EQ(host->links.classes.at(0).at(1), "NV4");
  EXPECT_EQ(host->gpus[1].numa.value(), 1);
  EXPECT_EQ(host->gpus[0].nvlink.value(), true);
  EXPECT_FALSE(gathered({.on = "3xRTX3090", .topology = "topo.txt"}, files));
  EXPECT_FALSE(gathered({.on = "2xRTX3090", .topology = "other.txt"}, files));
  EXPECT_FALSE(gathered({.on = "2xRTX3090", .topology = "none.txt"}, files));
}

TEST(HostNamed, AnUnknownNameThatIsAFileIsTheFile) {
  MemoryFiles files;
  files.add("/home/user/box", "GPU 0: NVIDIA L4 (UUID: GPU-1)\n");
  files.add("/home/user/L4", "GPU 0: NVIDIA L40S (UUID: GPU-1)\n");
  const auto host = gathered({.on = "box"}, files);
  ASSERT_TRUE(host) << host.error().what;
  EXPECT_EQ(host->gpus.at(0).name.value(), "NVIDIA L4");
  EXPECT_EQ(gathered({.on = "L4"}, files)->gpus.at(0).name.value(), "NVIDIA L4");
  EXPECT_EQ(gathered({.on = "./L4"}, files)->gpus.at(0).name.value(), "NVIDIA L40S");
  const auto neither = gathered({.on = "bex"}, files);
  ASSERT_FALSE(neither);
  EXPECT_NE(neither.error().what.find("no file"), std::string::npos);
}

}  // namespace
}  // namespace sx
