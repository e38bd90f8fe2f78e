// What the settings of the gateway say together: files of TLS that need each other, an address that
// nobody can be reached by.
#include <algorithm>

#include "run/deployment_keys.h"
#include "run/otlp_address.h"

namespace sx {
namespace {

constexpr std::string_view kCertificate = "gateway.tls_certificate", kKey = "gateway.tls_key";
constexpr std::string_view kCollector = "gateway.otlp_endpoint";

constexpr Text kAlone{"{key} stands there without {other}", "写了 {key}，却没有 {other}"};
constexpr Text kBoth{"TLS needs both files: the certificate and its key",
                     "TLS 需要两个文件：证书和它的私钥"};
constexpr Text kWrong{"{key} does not take this value", "{key} 不接受这个值"};
constexpr Text kSaid{"{words}", "{words}"};

const DeploymentFile::Setting* written(const DeploymentFile& file, std::string_view key) {
  const auto found = std::ranges::find(file.settings, key, &DeploymentFile::Setting::key);
  return found == file.settings.end() ? nullptr : &*found;
}

FileFault fault(Message title, const Span& span, Message label) {
  return {.title = std::move(title),
          .labels = {{.span = span, .text = std::move(label), .primary = true}}};
}

}  // namespace

std::vector<FileFault> faults_of_gateway(const DeploymentFile& file) {
  std::vector<FileFault> faults;
  const TlsFiles& tls = file.gateway.tls;
  if (tls.certificate.empty() != tls.key.empty()) {
    const bool key_alone = tls.certificate.empty();
    const std::string_view key = key_alone ? kKey : kCertificate;
    const std::string_view other = key_alone ? kCertificate : kKey;
    if (const auto* setting = written(file, key))
      faults.push_back(fault({kAlone, {{"key", key}, {"other", other}}}, setting->span, {kBoth}));
  }
  const std::string& collector = file.gateway.otlp_endpoint;
  if (collector.empty()) return faults;
  const auto* setting = written(file, kCollector);
  const auto good = otlp_address_is_good(collector);
  if (setting == nullptr || good) return faults;
  faults.push_back(fault({kWrong, {{"key", kCollector}}}, setting->span,
                         {kSaid, {{"words", Both{good.error().what, good.error().chinese}}}}));
  faults.back().secret = collector.contains('@');  // a password in it
  return faults;
}

}  // namespace sx
