// The record is looked at once a second: a deployment may get keys while its gateway runs.
#include "gateway/deployment_books.h"

#include "sys/files.h"

namespace sx {
namespace {

constexpr Bytes kMostRecord = mib(16);
constexpr std::chrono::seconds kEvery{1};

}  // namespace

DeploymentBooks::DeploymentBooks(Relay& relay, StateFolder folder)
    : relay_(relay), folder_(std::move(folder)), timer_(relay.loop) {
  look();
  begin_log();
  wait();
}

// A log that cannot be written keeps no request from being served.
void DeploymentBooks::begin_log() {
  AccessLogAsk ask{.path = folder_.access_log()};
  if (const auto text = real_files().read(folder_.deployment(), kMostRecord)) {
    if (const auto deployment = read_deployment(*text)) {
      ask.file_bytes = deployment->log.file_bytes;
      ask.files = deployment->log.files;
    }
  }
  auto log = AccessLog::begin(std::move(ask));
  if (log)
    relay_.books.access_log = std::move(*log);
  else if (relay_.trouble)
    relay_.trouble(log.error());
}

void DeploymentBooks::look() {
  const FileLook look = look_at(folder_.deployment());
  const bool changed = look != seen_;
  if (!changed && read_) return;
  seen_ = look;
  const auto text = real_files().read(folder_.deployment(), kMostRecord);
  const bool absent = !text && text.error().kind == Error::Kind::Absent;
  read_ = text || absent;
  if (absent) return;
  const auto deployment =
      text ? read_deployment(*text) : Result<Deployment>(std::unexpected(text.error()));
  const auto begun = deployment ? relay_.books.key_file.begin(deployment->key_file)
                                : Result<void>(std::unexpected(deployment.error()));
  if (deployment) take_policy(*deployment);
  if (deployment && relay_.books.key_file.path().empty()) relay_.books.keys.unlock();
  if (begun) return;
  relay_.books.keys.lock();  // where nobody knows whether keys are wanted, they are
  if (changed && relay_.trouble) relay_.trouble(begun.error());
}

// A certificate that cannot be used lets nobody in until it can; a collector that cannot be had
// keeps no request from being served.
void DeploymentBooks::take_policy(const Deployment& deployment) {
  const GatewayPolicy& policy = deployment.gateway;
  const auto told = [&](const Result<void>& done) {
    if (!done && relay_.trouble) relay_.trouble(done.error());
  };
  if (policy.tls.wanted() && policy.tls != tls_) {
    tls_ = policy.tls;
    told(relay_.encrypt(tls_));
  }
  if (policy.otlp_endpoint == otlp_ && policy.otlp_sample == sample_) return;
  otlp_ = policy.otlp_endpoint;
  sample_ = policy.otlp_sample;
  // Of whoever called `up`: this process was given none.
  const auto variable = [&](const std::string& name) {
    const auto found = deployment.origin.environment.find(name);
    return found == deployment.origin.environment.end() ? std::nullopt
                                                        : std::optional(found->second);
  };
  auto settings = otlp_settings_at(otlp_, variable, sample_);
  if (settings && settings->note) told(std::unexpected(*settings->note));
  told(settings ? relay_.books.trace_to(std::move(*settings))
                : Result<void>(std::unexpected(settings.error())));
}

void DeploymentBooks::wait() {
  timer_.expires_after(kEvery);
  timer_.async_wait([this](const LoopError& error) {
    if (error) return;
    look();
    wait();
  });
}

}  // namespace sx
