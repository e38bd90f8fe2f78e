// The address that a health command asks, good beside none.
#include "facts/local_url.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

struct Asks {
  const char* text;
  int port;
  const char* path;
};

class HealthCommand : public testing::TestWithParam<Asks> {};

TEST_P(HealthCommand, AsksThisAddress) {
  const auto url = local_url(GetParam().text);
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->port, GetParam().port);
  EXPECT_EQ(url->path, GetParam().path);
  EXPECT_LE(url->end, std::string_view(GetParam().text).size());
}

INSTANTIATE_TEST_SUITE_P(
    Forms, HealthCommand,
    testing::Values(Asks{"curl -f http://localhost:8000/health || exit 1", 8000, "/health"},
                    Asks{"curl --fail localhost:30000/v1/models", 30000, "/v1/models"},
                    Asks{"wget -qO- 'http://127.0.0.1:8080/health'", 8080, "/health"},
                    Asks{"curl -sk https://localhost/health", 443, "/health"},
                    Asks{"curl http://[::1]:8000/ping?a=b", 8000, "/ping"},
                    Asks{"curl http://0.0.0.0:8000", 8000, "/"},
                    Asks{"curl http://localhost:$PORT/health", 0, "/health"},
                    Asks{"curl http://localhost:99999/health", 0, "/health"},
                    Asks{"python -c \"import urllib.request as r; "
                         "r.urlopen('http://localhost:8000/health')\"",
                         8000, "/health"}));

TEST(HealthCommand, AsksNobodyHere) {
  for (const char* text :
       {"", "curl -f http://gateway:8000/health", "pgrep -f vllm", "nc -z notlocalhost 8000",
        "curl http://mylocalhost:8000/health", "echo localhost"}) {
    EXPECT_FALSE(local_url(text)) << text;
  }
}

}  // namespace
}  // namespace sx
