// Each form of a log line in its parts.
#include "read/log_line.h"

#include <gtest/gtest.h>

#include <string>

namespace sx {
namespace {

struct Form {
  std::string line;
  std::string text;
  std::string process;
  int rank;
  LogLevel level;
  std::string place;
  std::string stamp;
};

class LogForms : public testing::TestWithParam<Form> {};

TEST_P(LogForms, IsReadInItsParts) {
  LogLineReader reader;
  const LogLine line = reader.read(GetParam().line);
  EXPECT_EQ(line.text, GetParam().text);
  EXPECT_EQ(line.process, GetParam().process);
  EXPECT_EQ(line.rank, GetParam().rank);
  EXPECT_EQ(line.level, GetParam().level);
  EXPECT_EQ(line.place, GetParam().place);
  EXPECT_EQ(line.stamp, GetParam().stamp);
}

INSTANTIATE_TEST_SUITE_P(
    Engines, LogForms,
    testing::Values(
        Form{"INFO 12-21 19:46:48 model_runner.py:705] Starting", "Starting", "", -1,
             LogLevel::Info, "model_runner.py:705", "12-21 19:46:48"},
        Form{"(EngineCore_DP0 pid=123) ERROR 11-29 18:12:29 [core.py:1510]     raise x",
             "    raise x", "EngineCore_DP0", 0, LogLevel::Error, "core.py:1510", "11-29 18:12:29"},
        Form{"(VllmWorker rank=1 pid=5420) ERROR 02-03 18:23:52 [x.py:167] RuntimeError: y",
             "RuntimeError: y", "VllmWorker rank=1", 1, LogLevel::Error, "x.py:167",
             "02-03 18:23:52"},
        Form{"(RayWorkerWrapper pid=9, ip=10.0.0.3) INFO 02-03 18:23:52 [x.py:1] y", "y",
             "RayWorkerWrapper", -1, LogLevel::Info, "x.py:1", "02-03 18:23:52"},
        Form{"[2025-04-09 07:11:03 DP0 TP3] Load weight end.", "Load weight end.", "DP0 TP3", 3,
             LogLevel::Unknown, "", "2025-04-09 07:11:03"},
        Form{"INFO:     Application startup complete.", "Application startup complete.", "", -1,
             LogLevel::Info, "", ""},
        Form{"[rank2]: ValueError: z", "ValueError: z", "rank2", 2, LogLevel::Unknown, "", ""},
        Form{"0.12.123.456 E srv  load_model: failed", "srv  load_model: failed", "", -1,
             LogLevel::Error, "", "0.12.123.456"},
        Form{"gpu-7:5274:5585 [3] NCCL WARN Duplicate GPU", "NCCL WARN Duplicate GPU", "gpu-7:5274",
             3, LogLevel::Warning, "", ""},
        Form{"[ 4711.123456] NVRM: Xid (PCI:0000:41:00): 79", "NVRM: Xid (PCI:0000:41:00): 79", "",
             -1, LogLevel::Unknown, "", "4711.123456"},
        Form{"E0409 07:11:03.123456 1234 torch/api.py:882] failed", "failed", "", -1,
             LogLevel::Error, "", "0409 07:11:03.123456"},
        Form{"/venv/torch/cuda/__init__.py:287: UserWarning: x",
             "/venv/torch/cuda/__init__.py:287: UserWarning: x", "", -1, LogLevel::Warning, "", ""},
        Form{"(Worker_TP1 pid=7) /venv/x.py:8: FutureWarning", "/venv/x.py:8: FutureWarning",
             "Worker_TP1", 1, LogLevel::Warning, "", ""}));

INSTANTIATE_TEST_SUITE_P(
    Collectors, LogForms,
    testing::Values(Form{"2026-11-29T18:12:29.123456789Z stderr F INFO:     up", "up", "", -1,
                         LogLevel::Info, "", "2026-11-29T18:12:29.123456789Z"},
                    Form{"vllm-1  | INFO:     up", "up", "", -1, LogLevel::Info, "", ""},
                    Form{"[pod/vllm-0/server] Killed", "Killed", "", -1, LogLevel::Unknown, "", ""},
                    Form{"Apr 09 07:11:12 gpu-7 vllm[123]: Killed", "Killed", "", -1,
                         LogLevel::Unknown, "", "Apr 09 07:11:12"},
                    Form{R"({"log":"INFO:     up\n","stream":"stdout"})", "up", "", -1,
                         LogLevel::Info, "", ""},
                    Form{"\x1b[0;36m(APIServer pid=1)\x1b[0;0m INFO 11-29 18:12:29 [x.py:1] up",
                         "up", "APIServer", -1, LogLevel::Info, "x.py:1", "11-29 18:12:29"}));

INSTANTIATE_TEST_SUITE_P(
    NoForm, LogForms,
    testing::Values(Form{"plain words", "plain words", "", -1, LogLevel::Unknown, "", ""},
                    Form{"", "", "", -1, LogLevel::Unknown, "", ""},
                    Form{"[", "[", "", -1, LogLevel::Unknown, "", ""},
                    Form{"(x pid=", "(x pid=", "", -1, LogLevel::Unknown, "", ""},
                    Form{"2026-11", "2026-11", "", -1, LogLevel::Unknown, "", ""},
                    Form{"x.py:12: in f", "x.py:12: in f", "", -1, LogLevel::Unknown, "", ""},
                    Form{"x.py:: UserWarning: y", "x.py:: UserWarning: y", "", -1,
                         LogLevel::Unknown, "", ""},
                    Form{"x.py:12", "x.py:12", "", -1, LogLevel::Unknown, "", ""},
                    Form{"{\"log\":\"cut", "{\"log\":\"cut", "", -1, LogLevel::Unknown, "", ""},
                    Form{"Loading:  25% Completed | 1/4", "Loading:  25% Completed | 1/4", "", -1,
                         LogLevel::Unknown, "", ""}));

}  // namespace
}  // namespace sx
