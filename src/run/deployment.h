// What should run: the replicas of a layout, with the layouts that stand in when it does not work.
// Every word of the commands is settled here; the supervisor chooses, it does not plan.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/gateway_policy.h"

namespace sx {

// How one engine process is started.
constexpr std::size_t kMostInLayout = 256;  // of a layout; more than one machine can run

struct EngineLaunch {
  std::string engine;                              // "vllm", "sglang", "llamacpp"
  std::vector<std::string> words;                  // the whole command; never given to a shell
  std::map<std::string, std::string> environment;  // all of it: nothing else is passed on
  std::string folder;                              // where it works; empty: its own state folder
  std::string host = "127.0.0.1";
  int port = 0;
  std::string model;      // the name that requests must carry
  std::vector<int> gpus;  // indices on this machine; empty: none
  bool any_gpus = false;  // we chose them among all: others may stand in for one that is lost
  std::string key;        // that the engine itself asks requests for; empty: none
  std::string version;    // of the engine: "0.11.0"; empty: not known
  std::string container;  // "docker", "podman": what the words begin with; empty: none
  int container_at = 0;   // index in `words` where further options of it may stand
  std::string cpus;       // "0-15,32-47": bound to these before it starts; empty: not bound
  // What the gateway makes of it; how it is launched does not change with these.
  int weight = 1;  // its share of the work beside that of the others
  int most = 0;    // requests that it works on at a time, as its flags say; 0: they do not
  bool operator==(const EngineLaunch&) const = default;
};

// Whether a process of the one is as good as one of the other.
bool launched_alike(const EngineLaunch& a, const EngineLaunch& b);

// One way to run the deployment.
struct DeployedLayout {
  std::string label;  // "3 x TP2", "TP2 x PP3"
  std::vector<EngineLaunch> replicas;
  // Of a rung of the ladder: what it proves when it works; it is stopped then, and the next begins.
  // Empty: the layout that is to serve.
  std::string proves;
  bool operator==(const DeployedLayout&) const = default;
};

struct RestartPolicy {
  // Waits before the second, third and fourth try; the last one holds for all further ones.
  std::vector<std::chrono::seconds> backoff{std::chrono::seconds(5), std::chrono::seconds(20),
                                            std::chrono::seconds(60)};
  int tries = 3;  // starts of one replica in one layout
  // A replica that was ready for so long has earned its tries back.
  std::chrono::seconds healed{600};
  std::chrono::seconds stop_grace{30};  // from the request to end until it is killed
  bool operator==(const RestartPolicy&) const = default;
};

// How long we wait for a replica; what is not there has our built-in value (run/supervisor.h).
struct PatiencePolicy {
  std::optional<std::chrono::seconds> stall;  // without any sign of progress while it starts
  std::map<std::string, std::chrono::seconds> stages;  // likewise in that stage: "load", "compile"
  std::optional<std::chrono::seconds> warm_up;         // for the request that proves it
  std::optional<std::chrono::seconds> drain;           // for its requests to end
  bool operator==(const PatiencePolicy&) const = default;
};

struct LogPolicy {
  std::int64_t file_bytes = std::int64_t{16} << 20U;  // then a new one is begun
  int files = 4;                                      // of one replica, the oldest goes
  bool operator==(const LogPolicy&) const = default;
};

// What it was made of, so that a reload makes it again in the same way.
struct DeploymentOrigin {
  std::string file;                                // sextant.toml by its whole path; empty: none
  std::string folder;                              // where engines work
  std::map<std::string, std::string> environment;  // what was passed on to them
  bool operator==(const DeploymentOrigin&) const = default;
};

struct Deployment {
  std::string name;
  std::string host = "127.0.0.1";  // of the one address
  int port = 8000;
  std::vector<DeployedLayout> rungs;    // the ladder, smallest first; empty: none
  std::vector<DeployedLayout> layouts;  // the wanted one, then what stands in for it; never empty
  RestartPolicy restart;
  PatiencePolicy patience;
  LogPolicy log;
  DeploymentOrigin origin;
  std::string anyway;    // why it was started in spite of errors; empty: there were none
  std::string key_file;  // of keys that clients may use; empty: none is asked for
  GatewayPolicy gateway;
  bool operator==(const Deployment&) const = default;
};

// Of the one address: "https://0.0.0.0:8443".
std::string address_of(const Deployment& deployment);

// As it lies in the state folder (deployment.json, schema sextant.deployment/1). Reading checks
// everything that the rest relies on: at least one layout and replica, ports that are ports,
// bounds.
std::string deployment_json(const Deployment& deployment);
Result<Deployment> read_deployment(std::string_view json);

}  // namespace sx
