// What stands around a launch and decides what it sees: a container, a pod, a unit, a process.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "facts/fact.h"

namespace sx {

// A folder of the host that the launch sees under another path.
struct Mount {
  std::string host;    // as written: a path, or the name of a volume
  std::string inside;  // path that the launch sees
  bool read_only = false;
  Span span;
};

struct PublishedPort {
  std::string address;  // of the host it listens on; empty: all
  int host = 0;         // 0: not said, the runtime picks one
  int inside = 0;
  Span span;
};

// A port of the container that a Service of the same file sends its requests to.
struct ForwardedPort {
  std::string service;
  int inside = 0;
  Span span;
};

// A file of this machine that holds a key or a token, as far as its permissions could be seen.
struct SecretFile {
  std::string name;  // as the launch names it
  std::string path;
  bool others_read = false;  // every account of the machine may read it
  Span span;                 // where the launch names it; source -1: it is found by itself
};

// A file or folder that the launch names and that is not on this machine.
struct AbsentFile {
  std::string flag;     // the engine's own name: "--chat-template"; of the model always "--model"
  std::string typed;    // as it is written in the launch: a flag, or the variable in its place
  std::string name;     // as the launch names it
  std::string path;     // whole, as it was looked for
  Span span;            // source -1: it stands nowhere
  Message unsure = {};  // why the launch may see it all the same; empty: it will not
  std::vector<std::string> near = {};  // what lies beside it and may be meant, as it would be named
};

// A question that is asked of the launch again and again, and what happens when no answer comes.
struct HealthProbe {
  enum class Kind { Startup, Readiness, Liveness, Health };
  Kind kind = Kind::Health;
  std::string path;  // "/health"; empty: a command or a bare connection
  int port = 0;      // 0: not said, or a name that stands nowhere
  Span port_span;    // source -1: it stands nowhere
  Span path_span;
  bool headers = false;  // it sends headers of its own, perhaps a key
  Fact<double> initial_delay_s, period_s, timeout_s;
  Fact<int> failures;  // in a row before it counts
  Span span;
};

// What the manager of a manifest refuses before anything starts.
struct ManifestFault {
  enum class Kind {
    NotText,          // a number or a bool where text is wanted (`value: 1`)
    NoCapabilities,   // compose: a device reservation that does not say what for
    CountAndDevices,  // compose: a number of devices and a list of them
  };
  Kind kind = Kind::NotText;
  std::string name;     // of the variable, "args" or "command"
  std::string written;  // the value as it stands
  Span span;
};

struct Surroundings {
  enum class Kind { Bare, Docker, Compose, Kubernetes, Systemd, Process };
  Kind kind = Kind::Bare;
  std::string name;         // of the container, service, workload or unit; may be empty
  bool joined = false;      // the launch goes into a container that runs already: what that one was
                            // given is not told here
  Fact<std::string> image;  // whole: "vllm/vllm-openai:v0.8.5"
  Fact<std::string> image_tag;  // "v0.8.5"; unknown without one and with a variable in it
  Fact<bool> all_gpus;          // --gpus all
  Fact<int> gpu_count;          // GPUs handed in; 0: known to be none
  Fact<std::vector<std::string>> gpu_devices;  // which: indices or UUIDs
  Fact<Bytes> shared_memory;                   // of /dev/shm inside
  Fact<Bytes> memory_limit;                    // of host memory
  Fact<Bytes> locked_memory;                   // memlock; a huge value means unlimited
  Fact<int> open_files;
  Fact<double> cpu_limit;
  Fact<bool> host_ipc, host_network, privileged;
  Fact<std::string> user;        // "0", "root", "1000"
  Fact<bool> low_ports;          // whether that user may listen below 1024; unknown: not said
  Fact<std::string> runtime;     // "nvidia"
  Fact<std::string> restart;     // restart policy as written
  Fact<double> start_timeout_s;  // after which the manager gives up
  Fact<double> stop_timeout_s;   // between the polite and the hard signal
  Fact<int> replicas, hosts;     // copies of the whole; machines of one copy
  Fact<std::string> working_folder;
  std::vector<Mount> mounts;
  std::vector<PublishedPort> ports;
  std::vector<ForwardedPort> forwarded;
  int beside = 0;  // other containers of the same pod: they may be what listens
  std::vector<HealthProbe> probes;
  std::vector<SecretFile> secret_files;  // of a launch on this machine only
  std::vector<AbsentFile> absent_files;  // the same
  std::vector<Message> remarks;          // what reading the text took for granted or could not see
  std::string workload;  // of Kubernetes: "Deployment", "LeaderWorkerSet"; of systemd its Type
  Span name_span;        // source -1: it stands nowhere
  std::vector<ManifestFault> faults;

  bool contained() const {
    return kind == Kind::Docker || kind == Kind::Compose || kind == Kind::Kubernetes;
  }
};

}  // namespace sx
